// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What is kept of a line are its bytes, not its samples: who touched each first, whether anybody
 * else did. So a line costs the same however many samples and threads it has.
 */
#include "prof/sharing.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "prof/copy.h"
#include "prof/data_access.h"

struct line_key {
	int64_t process; /* 0: the kernel's memory is everybody's */
	uint32_t line;   /* text */
	uint32_t pad;
};

struct line {
	int64_t first[PROF_CACHE_LINE]; /* thread that touched the byte first; 0: none */
	uint64_t by_others, written;    /* a bit for each byte */
	int64_t thread;                 /* the first that touched any */
	bool by_several, modified_elsewhere, candidate;
};

/* What a sample says. */
struct touch {
	struct line_key key;
	int64_t thread;
	int first, last; /* bytes of the line */
	bool writes, modified_elsewhere, candidate;
};

struct lines {
	struct intern keys;
	struct line *list;
	size_t cap;
};

static void lines__done(struct lines *l)
{
	intern__done(&l->keys);
	free(l->list);
}

static int64_t number_of(const struct prof *p, uint32_t labels, const char *key)
{
	const struct prof_label *label = prof__label(p, labels, key);

	return label && !label->text ? label->number : 0;
}

/* "8" or "8..15", and perhaps that it is a candidate. */
static bool parse_bytes(const char *text, struct touch *t)
{
	const char *mark = strstr(text, PROF_CANDIDATE);
	_cleanup_free_ char *first = xstrndup(text, mark ? (size_t)(mark - text) : strlen(text));
	char *last = strstr(first, "..");

	t->candidate = mark;
	if (last)
		*last = '\0';
	if (num__parse_int(first, 0, PROF_CACHE_LINE - 1, &t->first) < 0)
		return false;
	t->last = t->first;
	return !last || num__parse_int(last + 2, t->first, PROF_CACHE_LINE - 1, &t->last) == 0;
}

/* Whether the sample says all of it. */
static bool touch_of(const struct prof *p, uint32_t labels, struct touch *ret)
{
	const struct prof_label *line = prof__label(p, labels, "cache_line");
	const char *source = prof__label_text(p, labels, "data_source");

	*ret = (struct touch){.thread = number_of(p, labels, "tid")};
	if (!line || !line->text || !ret->thread ||
	    !parse_bytes(prof__label_text(p, labels, "data_offset"), ret))
		return false;
	ret->key.line = line->text;
	if (strcmp(prof__label_text(p, labels, "data_segment"), "kernel") != 0)
		ret->key.process = number_of(p, labels, "pid");
	ret->writes = prof__data_access(p, labels).stores;
	ret->modified_elsewhere = strstr(source, ", hitm");
	return true;
}

/* Its number in the list. */
static uint32_t number_of_line(struct lines *l, const struct line_key *key)
{
	uint32_t number = intern__add(&l->keys, key, sizeof(*key));

	GROW_TO(l->list, number, l->cap);
	return number;
}

static void add(struct line *line, const struct touch *t)
{
	if (!line->thread)
		line->thread = t->thread;
	line->by_several |= line->thread != t->thread;
	line->modified_elsewhere |= t->modified_elsewhere;
	line->candidate |= t->candidate;
	for (int i = t->first; i <= t->last; i++) {
		uint64_t bit = 1ULL << i;

		if (!line->first[i])
			line->first[i] = t->thread;
		else if (line->first[i] != t->thread)
			line->by_others |= bit;
		if (t->writes)
			line->written |= bit;
	}
}

/* NULL: it isn't shared, or nobody was seen writing. */
static const char *verdict(const struct line *line)
{
	if (!line->by_several || !line->written)
		return NULL;
	if (line->by_others & line->written)
		return line->candidate ? PROF_SHARING_SAME PROF_CANDIDATE : PROF_SHARING_SAME;
	if (line->candidate)
		return PROF_SHARING_SUSPECT PROF_CANDIDATE;
	return line->modified_elsewhere ? PROF_SHARING_PROVEN : PROF_SHARING_SUSPECT;
}

static uint32_t labels_with(struct prof_copier *c, uint32_t labels, const char *sharing)
{
	struct prof_label_list list = {0};
	const struct prof_label *set;
	uint32_t copied = prof_copier__labels(c, labels), all;
	size_t n = prof__label_set(c->to, copied, &set);

	for (size_t i = 0; i < n; i++) {
		GROW(list.items, list.n, list.cap);
		list.items[list.n++] = set[i];
	}
	prof__add_text(c->to, &list, PROF_SHARING, sharing);
	all = prof__labels(c->to, list.items, list.n);
	free(list.items);
	return all;
}

/* line_of: of each sample, one more than the line's number; 0: it says nothing of any. */
static struct prof *copy(const struct prof *p, const struct lines *lines, const uint32_t *line_of)
{
	struct prof *to = prof__new();
	struct prof_copier c;

	prof_copier__init(&c, to);
	prof_copier__from(&c, p);
	prof_copier__types(&c);
	for (size_t i = 0; i < p->n_samples; i++) {
		const struct prof_sample *s = &p->samples[i];
		const char *sharing = line_of[i] ? verdict(&lines->list[line_of[i] - 1]) : NULL;

		prof_copier__sample(&c, i, prof_copier__stack(&c, s->stack),
				    sharing ? labels_with(&c, s->labels, sharing) :
					      prof_copier__labels(&c, s->labels));
	}
	prof_copier__head(&c);
	prof_copier__done(&c);
	return to;
}

int prof__mark_sharing(struct prof **ret, const struct prof *p, struct err *err)
{
	_cleanup_(lines__done) struct lines lines = {0};
	_cleanup_free_ uint32_t *line_of = xcalloc(p->n_samples, sizeof(*line_of));
	struct touch t;

	for (size_t i = 0; i < p->n_samples; i++) {
		if (!touch_of(p, p->samples[i].labels, &t))
			continue;
		line_of[i] = number_of_line(&lines, &t.key) + 1;
		add(&lines.list[line_of[i] - 1], &t);
	}
	if (!lines.cap)
		return err__usage(err,
				  "--shared: no sample of the profile says which bytes of "
				  "which cache line a thread touched; `pmubpf record --data' with "
				  "an event that has data addresses makes one");
	*ret = copy(p, &lines, line_of);
	return 0;
}
