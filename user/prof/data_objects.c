// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is what one object is. A variable is one by its name, wherever its samples come
 * from. What has none is told by its type alone, on the heap as in mapped memory: who changes the
 * type changes both. A candidate is never one with what was validated: its texts are marked.
 */
#include "prof/data_objects.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "model/data_source.h"
#include "pmubpf/record.h"
#include "prof/data_access.h"
#include "prof/frames.h"

/* Samples of a row that have a text: a member, or a function. */
struct part_key {
	uint32_t row, text;
};

struct parts {
	struct intern keys;
	int64_t *samples; /* by the key's number */
	size_t cap;
};

struct finder {
	const struct prof *p;
	size_t type;
	struct data_objects *ret;
	struct intern keys; /* object and type, each with its NUL; the number is one more than the
			       row's */
	size_t cap_rows;
	struct parts members, functions;
	struct buf text;
};

static bool is_segment(const char *object)
{
	for (size_t i = 0; i < PMB_N_SEGMENTS; i++) {
		if (strcmp(object, data_segment_texts[i]) == 0)
			return true;
	}
	return false;
}

/* Where it lies says less than of which type it is. */
static uint32_t row_of(struct finder *f, const char *object, const char *type)
{
	bool by_type = *type && !data_typing__is_stand_in(type) && is_segment(object);
	uint32_t number;

	buf__clear(&f->text);
	buf__add(&f->text, by_type ? "" : object, by_type ? 1 : strlen(object) + 1);
	buf__add(&f->text, type, strlen(type) + 1);
	number = intern__add(&f->keys, f->text.data, f->text.len);
	while (f->ret->n < number) {
		GROW(f->ret->rows, f->ret->n, f->cap_rows);
		f->ret->rows[f->ret->n++] = (struct object_row){0};
	}
	return number - 1;
}

static void add_part(struct finder *f, struct parts *parts, uint32_t row, const char *text,
		     int64_t n)
{
	struct part_key key = {row, intern__add(f->ret->texts, text, strlen(text) + 1)};
	uint32_t number = intern__add(&parts->keys, &key, sizeof(key));

	GROW_TO(parts->samples, number, parts->cap);
	parts->samples[number] += n;
}

static void add_function(struct finder *f, uint32_t row, uint32_t stack, int64_t n)
{
	struct prof_frame leaf;

	if (!prof_frame__leaf(f->p, stack, &leaf))
		return;
	buf__clear(&f->text);
	prof_frame__text(&leaf, f->p, false, &f->text);
	add_part(f, &f->functions, row, f->text.data, n);
}

static void add_class(struct object_row *row, const char *class, int64_t n)
{
	for (int i = 0; i < N_DATA_CLASSES; i++) {
		if (strcmp(class, data_class_keys[i]) == 0)
			row->classes[i] += n;
	}
}

static void add(struct finder *f, const struct prof_sample *sample, int64_t n)
{
	const uint32_t labels = sample->labels;
	struct data_access access = prof__data_access(f->p, labels);
	const char *member = prof__label_text(f->p, labels, "member");
	uint32_t at = row_of(f, prof__label_text(f->p, labels, "data_object"),
			     prof__label_text(f->p, labels, "data_type"));
	struct object_row *row = &f->ret->rows[at];

	row->samples += n;
	row->loads += access.loads ? n : 0;
	row->stores += access.stores ? n : 0;
	add_class(row, prof__label_text(f->p, labels, "data_class"), n);
	if (*member)
		add_part(f, &f->members, at, member, n);
	add_function(f, at, sample->stack, n);
}

/* Of as many samples the one that came first. */
static void keep_most(const struct finder *f, const struct parts *parts, bool members)
{
	for (uint32_t i = 1; i < intern__count(&parts->keys); i++) {
		size_t size;
		const struct part_key *key = intern__get(&parts->keys, i, &size);
		struct object_row *row = &f->ret->rows[key->row];
		struct object_part *part = members ? &row->member : &row->function;

		if (parts->samples[i] > part->samples)
			*part = (struct object_part){
				.text = intern__get(f->ret->texts, key->text, &size),
				.samples = parts->samples[i],
			};
	}
}

static int compare(const void *pa, const void *pb)
{
	const struct object_row *a = pa, *b = pb;
	int by_object = strcmp(a->object, b->object);

	if (a->samples != b->samples)
		return CMP3(b->samples, a->samples);
	return by_object ? by_object : strcmp(a->type, b->type);
}

/* Texts stay where they are once nothing is added any more. */
static void settle(struct finder *f)
{
	struct data_objects *ret = f->ret;

	for (uint32_t i = 0; i < ret->n; i++) {
		size_t size, len;
		const char *key = intern__get(&f->keys, i + 1, &size);

		len = strlen(key) + 1;
		intern__add(ret->texts, key, len);
		intern__add(ret->texts, key + len, strlen(key + len) + 1);
	}
	for (uint32_t i = 0; i < ret->n; i++) {
		struct object_row *row = &ret->rows[i];
		size_t size, len;
		const char *key = intern__get(&f->keys, i + 1, &size);
		uint32_t object, of_type;

		len = strlen(key) + 1;
		object = intern__find(ret->texts, key, len);
		of_type = intern__find(ret->texts, key + len, strlen(key + len) + 1);
		row->object = intern__get(ret->texts, object, &size);
		row->type = intern__get(ret->texts, of_type, &size);
		row->member.text = row->function.text = "";
	}
	keep_most(f, &f->members, true);
	keep_most(f, &f->functions, false);
	if (ret->n)
		qsort(ret->rows, ret->n, sizeof(*ret->rows), compare);
}

void data_objects__find(struct data_objects *ret, const struct prof *p, size_t type)
{
	struct finder f = {.p = p, .type = type, .ret = ret};

	*ret = (struct data_objects){.texts = xcalloc(1, sizeof(*ret->texts))};
	for (size_t i = 0; i < p->n_samples; i++) {
		int64_t n = prof__values(p, i)[type];

		ret->all += n > 0 ? n : 0; /* a difference has others, too */
		if (n <= 0 || !*prof__label_text(p, p->samples[i].labels, "data_class"))
			continue;
		ret->with_data += n;
		add(&f, &p->samples[i], n);
	}
	settle(&f);
	intern__done(&f.keys);
	intern__done(&f.members.keys);
	intern__done(&f.functions.keys);
	free(f.members.samples);
	free(f.functions.samples);
	buf__done(&f.text);
}

void data_objects__done(struct data_objects *o)
{
	if (o->texts)
		intern__done(o->texts);
	free(o->texts);
	free(o->rows);
	*o = (struct data_objects){0};
}
