// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "ship/pyroscope.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/proto.h"
#include "base/text.h"
#include "prof/copy.h"
#include "prof/other.h"
#include "render/pprof.h"

enum {
	CODE_SIZE = 64,
	TEXT_SIZE = 300,
	LEAST_STACKS = 16, /* that are tried to fit */
};
static const char path_of_push[] = "/push.v1.PusherService/Push";

/* ---------------------------------------------------------------- profiles */

/* Its servers refuse '-' in the name of a type, and ':' separates them. */
static uint32_t plain_name(struct prof_copier *c, uint32_t name)
{
	_cleanup_free_ char *text = xstrdup(prof__text(c->from, name));

	if (!*text)
		return 0;
	for (char *at = text; *at; at++) {
		bool is_word = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') ||
			       (*at >= '0' && *at <= '9');

		if (!is_word)
			*at = '_';
	}
	return prof__string(c->to, text);
}

static void copy_head(struct prof_copier *c)
{
	const struct prof *from = c->from;
	struct prof *to = c->to;

	for (size_t i = 0; i < from->n_types; i++) {
		uint32_t name = plain_name(c, from->types[i].name);
		_cleanup_free_ char *text = xstrdup(prof__text(to, name));
		_cleanup_free_ char *unit = xstrdup(prof__text(from, from->types[i].unit));

		prof__type(to, text, unit);
	}
	to->time_ns = from->time_ns;
	to->duration_ns = from->duration_ns;
	to->period_type.name = plain_name(c, from->period_type.name);
	to->period_type.unit = prof_copier__string(c, from->period_type.unit);
	to->period = from->period;
	to->default_type = plain_name(c, from->default_type);
}

static const char *container_of(const struct prof *p, size_t sample)
{
	const struct prof_label *label = prof__label(p, p->samples[sample].labels, "container");

	return label && label->text ? prof__text(p, label->text) : NULL;
}

static bool same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Without labels: what has the same stack becomes one sample. */
static struct prof *part_of(const struct prof *p, const char *container)
{
	struct prof *to = prof__new();
	struct prof_copier c;

	prof_copier__init(&c, to);
	prof_copier__from(&c, p);
	copy_head(&c);
	for (size_t i = 0; i < p->n_samples; i++) {
		if (!same(container_of(p, i), container))
			continue;
		prof_copier__sample(&c, i, prof_copier__stack(&c, p->samples[i].stack),
				    prof__labels(to, NULL, 0));
	}
	prof_copier__done(&c);
	return to;
}

/* ---------------------------------------------------------------- what fits */

struct ranked {
	size_t sample;
	int64_t weight;
};

static int by_weight(const void *pa, const void *pb)
{
	const struct ranked *a = pa, *b = pb;
	int r = CMP3(b->weight, a->weight);

	return r ? r : CMP3(a->sample, b->sample);
}

/* By the first type of each: of windows of ours these are the samples of the first event. */
static struct prof *keep_largest(const struct prof *p, size_t n)
{
	_cleanup_free_ struct ranked *list = xcalloc(p->n_samples + 1, sizeof(*list));
	_cleanup_free_ bool *give_up = xcalloc(p->n_samples + 1, sizeof(*give_up));

	for (size_t i = 0; i < p->n_samples; i++) {
		const int64_t *values = prof__values(p, i);

		list[i].sample = i;
		for (size_t t = 0; t < p->n_types; t++) {
			if (ends_with(prof__text(p, p->types[t].name), "_sample"))
				list[i].weight += values[t];
		}
		if (!list[i].weight && p->n_types)
			list[i].weight = values[0];
	}
	qsort(list, p->n_samples, sizeof(*list), by_weight);
	for (size_t i = n; i < p->n_samples; i++)
		give_up[list[i].sample] = true;
	return prof__with_other(p, give_up, 0);
}

static void pack(const struct prof *p, struct buf *out)
{
	char *data = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&data, &len);
	int r = file ? pprof__write(file, p) : -errno;

	if (file)
		fclose(file);
	buf__clear(out);
	if (r == 0)
		buf__add(out, data, len);
	free(data);
}

/* What gzip says at its end. */
static size_t unpacked_bytes(const struct buf *file)
{
	const uint8_t *end = (const uint8_t *)file->data + file->len;

	if (file->len < 4)
		return 0;
	return (size_t)end[-4] | (size_t)end[-3] << 8 | (size_t)end[-2] << 16 |
	       (size_t)end[-1] << 24;
}

static void pack_what_fits(struct prof *p, size_t most, struct buf *out)
{
	size_t n = p->n_samples < most ? p->n_samples : most;

	if (n == p->n_samples)
		pack(p, out);
	while (n < p->n_samples || unpacked_bytes(out) > PYROSCOPE_BYTES) {
		struct prof *part;

		if (out->len && n < LEAST_STACKS)
			return;
		n = out->len ? n / 2 : n;
		part = keep_largest(p, n);
		pack(part, out);
		prof__free(part);
		if (unpacked_bytes(out) <= PYROSCOPE_BYTES)
			return;
	}
}

static bool has_series(const struct pyroscope *p, const char *container)
{
	for (size_t i = p->n; i--;) {
		if (same(p->list[i].container, container))
			return true;
	}
	return false;
}

void pyroscope__make(struct pyroscope *p, const struct prof *prof, const char *host,
		     size_t max_stacks)
{
	size_t most = max_stacks && max_stacks < PYROSCOPE_STACKS ? max_stacks : PYROSCOPE_STACKS;

	*p = (struct pyroscope){.host = host};
	for (size_t i = 0; i < prof->n_samples; i++) {
		const char *container = container_of(prof, i);
		struct prof *part;

		if (has_series(p, container))
			continue;
		GROW(p->list, p->n, p->cap);
		p->list[p->n] = (struct pyroscope_series){
			.container = container ? xstrdup(container) : NULL,
		};
		part = part_of(prof, container);
		pack_what_fits(part, most - 1, &p->list[p->n++].file);
		prof__free(part);
	}
	p->taken = xcalloc(p->n, sizeof(*p->taken));
}

void pyroscope__done(struct pyroscope *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->list[i].container);
		buf__done(&p->list[i].file);
	}
	free(p->list);
	free(p->taken);
	*p = (struct pyroscope){0};
}

/* ---------------------------------------------------------------- protobuf */

enum {
	PUSH_SERIES = 1,    /* of PushRequest: RawProfileSeries */
	SERIES_LABELS = 1,  /* of that: LabelPair */
	SERIES_SAMPLES = 2, /* RawSample */
	LABEL_NAME = 1,
	LABEL_VALUE = 2,
	SAMPLE_PROFILE = 1,
	VALUE_MAX = 1024, /* bytes of a label's, as servers have it by default */
};

/* A value that isn't UTF-8 is refused, and so is one that is too long. */
static void put_label(struct buf *out, const char *name, const char *value)
{
	_cleanup_(buf__done) struct buf pair = {0};
	_cleanup_free_ char *plain = xstrndup(value, VALUE_MAX);

	for (char *at = plain; *at; at++)
		*at = *at < ' ' || *at >= 0x7f ? '?' : *at;
	proto__put_bytes(&pair, LABEL_NAME, name, strlen(name));
	proto__put_bytes(&pair, LABEL_VALUE, plain, strlen(plain));
	proto__put_bytes(out, SERIES_LABELS, pair.data, pair.len);
}

/* In the order of their names. */
static void put_series(const struct pyroscope *p, const struct pyroscope_series *s, struct buf *out)
{
	_cleanup_(buf__done) struct buf series = {0};
	_cleanup_(buf__done) struct buf sample = {0};

	put_label(&series, "__name__", "process_cpu");
	if (s->container)
		put_label(&series, "container", s->container);
	put_label(&series, "host", p->host);
	put_label(&series, "service_name", s->container ? s->container : "host");
	proto__put_bytes(&sample, SAMPLE_PROFILE, s->file.data, s->file.len);
	proto__put_bytes(&series, SERIES_SAMPLES, sample.data, sample.len);
	proto__put_bytes(out, PUSH_SERIES, series.data, series.len);
}

void pyroscope__put(const struct pyroscope *p, size_t from, size_t to, struct buf *out)
{
	for (size_t i = from; i < to; i++) {
		if (!p->taken[i])
			put_series(p, &p->list[i], out);
	}
}

/* ---------------------------------------------------------------- requests */

/* The text of a member of a small JSON object, in characters that a terminal may be given. What it
 * can't find is "". */
static void member(const struct http_reply *reply, const char *name, char *ret, size_t size)
{
	_cleanup_free_ char *text = reply->data ? xstrndup(reply->data, reply->len) : xstrdup("");
	_cleanup_free_ char *key = xasprintf("\"%s\"", name);
	const char *at = strstr(text, key);
	size_t n = 0;

	*ret = '\0';
	if (!at)
		return;
	at += strlen(key);
	at += strspn(at, " \t\r\n:");
	if (*at++ != '"')
		return;
	for (; *at && *at != '"' && n + 1 < size; at++) {
		if (*at == '\\' && at[1])
			at++;
		ret[n++] = *at >= ' ' && *at < 0x7f ? *at : '?';
	}
	ret[n] = '\0';
}

static enum answer meaning_of(unsigned status, const char *message)
{
	if (status == 413)
		return ANSWER_SPLIT;
	if (status == 429) /* Connect says so of messages that are too large, too */
		return strstr(message, "larger than") ? ANSWER_SPLIT : ANSWER_LATER;
	if (status == 400)
		return ANSWER_REFUSED;
	return status == 408 || status >= 500 ? ANSWER_DOUBT : ANSWER_LATER;
}

enum answer pyroscope_answer(const struct http_reply *reply, char why[static HTTP_TEXT_MAX])
{
	char code[CODE_SIZE], message[TEXT_SIZE];

	if (reply->outcome == HTTP_ANSWERED && reply->status == 200)
		return ANSWER_DONE;
	if (reply->outcome != HTTP_ANSWERED)
		return answer__of_none(reply, why);
	member(reply, "code", code, sizeof(code));
	member(reply, "message", message, sizeof(message));
	snprintf(why, HTTP_TEXT_MAX, "the server answers %u%s%s%s%s", reply->status,
		 *code ? ": " : "", code, *message ? ": " : "", message);
	return meaning_of(reply->status, message);
}

static void put_all(void *ctx, size_t from, size_t to, struct buf *out)
{
	pyroscope__put(ctx, from, to, out);
}

enum answer pyroscope__send(struct pyroscope *p, struct http_client *http,
			    const struct push_how *how, uint64_t *bytes, uint32_t *ret_wait_s,
			    char why[static HTTP_TEXT_MAX])
{
	const struct push push = {
		.path = path_of_push,
		.headers = "Content-Type: application/proto\nConnect-Protocol-Version: 1\n",
		.ctx = p,
		.n = p->n,
		.taken = p->taken,
		.put = put_all,
		.answer = pyroscope_answer,
	};

	return push__send(&push, http, how, bytes, ret_wait_s, why);
}
