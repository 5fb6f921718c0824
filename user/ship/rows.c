// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "ship/rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "ship/binary.h"
#include "ship/frame_text.h"
#include "ship/schema.h"
#include "spool/alarm_line.h"

enum { VALUES = 3, NS_PER_S = 1000000000, S_PER_DAY = 86400 };

struct row_key {
	uint32_t event;  /* index */
	uint32_t labels; /* of label_sets */
	uint64_t stack;  /* its hash */
};

struct stack_row {
	uint64_t hash;
	uint32_t stack; /* of the profile */
	int64_t samples;
};

struct rows {
	const struct prof *prof;
	const struct rows_window *window;
	struct rows_opts opts;
	int64_t times; /* what it counts for; 0: it isn't shared */
	struct prof_event *events;
	size_t n_events;
	struct stack_row *stacks; /* those that are kept, by hash */
	size_t n_stacks, n_others;
	uint64_t *hashes;         /* by the profile's stack; 0: it isn't kept */
	uint32_t *labels;         /* by the profile's set: number in label_sets */
	struct intern label_sets; /* those with columns and the others, as a row has them */
	struct intern keys;       /* number - 1 indexes values */
	int64_t (*values)[VALUES];
	size_t n_values, cap_values;
};

uint64_t rows_window__hash(const struct rows_window *w)
{
	uint64_t seq = w->seq, hash = BINARY_HASH;
	_cleanup_(buf__done) struct buf bytes = {0};

	binary__u64(&bytes, seq);
	hash = binary_hash__add(hash, w->host, strlen(w->host) + 1);
	hash = binary_hash__add(hash, w->boot, strlen(w->boot) + 1);
	return binary_hash__end(binary_hash__add(hash, bytes.data, bytes.len));
}

/* ---------------------------------------------------------------- stacks */

/* Names and the rest, each as an array; *ret_hash is that of both. */
static void put_frames(const struct prof *p, uint32_t stack, struct buf *functions,
		       struct buf *frames)
{
	_cleanup_(buf__done) struct buf name = {0};
	_cleanup_(buf__done) struct buf rest = {0};
	const uint32_t *locations;
	size_t n = prof__stack_locations(p, stack, &locations), depth = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t lines = p->locations[locations[i]].n_lines;

		depth += lines ? lines : 1;
	}
	binary__length(functions, depth);
	binary__length(frames, depth);
	for (size_t i = 0; i < n; i++) {
		uint32_t lines = p->locations[locations[i]].n_lines;

		for (uint32_t k = 0; k == 0 || k < lines; k++) {
			frame_text__of(p, locations[i], k, &name, &rest);
			binary__bytes(functions, name.data, name.len);
			binary__bytes(frames, rest.data, rest.len);
		}
	}
}

static uint64_t hash_of(const struct prof *p, uint32_t stack, struct buf *functions,
			struct buf *frames)
{
	uint64_t hash;

	buf__clear(functions);
	buf__clear(frames);
	put_frames(p, stack, functions, frames);
	hash = binary_hash__add(BINARY_HASH, functions->data, functions->len);
	return binary_hash__end(binary_hash__add(hash, frames->data, frames->len));
}

static int by_samples(const void *pa, const void *pb)
{
	const struct stack_row *a = pa, *b = pb;
	int r = CMP3(b->samples, a->samples);

	/* which of them stay doesn't depend on what they are called: names may come between two
	 * parts of a window (pmubpf symbolize) */
	return r ? r : CMP3(a->stack, b->stack);
}

static int by_hash(const void *pa, const void *pb)
{
	const struct stack_row *a = pa, *b = pb;

	return CMP3(a->hash, b->hash);
}

static int by_hash_and_stack(const void *pa, const void *pb)
{
	const struct stack_row *a = pa, *b = pb;
	int r = CMP3(a->hash, b->hash);

	return r ? r : CMP3(a->stack, b->stack);
}

/* The same under one hash once: stacks that differ in what isn't kept. */
static void unite(struct rows *r)
{
	size_t n = 0;

	if (r->n_stacks)
		qsort(r->stacks, r->n_stacks, sizeof(*r->stacks), by_hash_and_stack);
	for (size_t i = 0; i < r->n_stacks; i++) {
		if (n && r->stacks[n - 1].hash == r->stacks[i].hash)
			r->stacks[n - 1].samples += r->stacks[i].samples;
		else
			r->stacks[n++] = r->stacks[i];
	}
	r->n_stacks = n;
}

static void give_up_rarest(struct rows *r)
{
	size_t most = r->opts.max_stacks ? r->opts.max_stacks : ROWS_MAX_STACKS;

	if (r->n_stacks <= most)
		return;
	qsort(r->stacks, r->n_stacks, sizeof(*r->stacks), by_samples);
	r->n_others = r->n_stacks - most;
	r->n_stacks = most;
	qsort(r->stacks, r->n_stacks, sizeof(*r->stacks), by_hash);
}

/* What a stack is ranked by: samples of all events, or where none are counted its values. */
static int64_t rank(const struct rows *r, size_t sample)
{
	const int64_t *values = prof__values(r->prof, sample);
	int64_t sum = 0;

	for (size_t e = 0; e < r->n_events; e++) {
		const struct prof_event *event = &r->events[e];
		size_t type = event->samples != PROF_NO_TYPE ? event->samples :
			      event->events != PROF_NO_TYPE  ? event->events :
							       event->time;

		if (__builtin_add_overflow(sum, values[type], &sum))
			sum = INT64_MAX;
	}
	return sum;
}

static void find_stacks(struct rows *r)
{
	const struct prof *p = r->prof;
	size_t n = intern__count(&p->stacks);
	_cleanup_(buf__done) struct buf functions = {0};
	_cleanup_(buf__done) struct buf frames = {0};
	_cleanup_free_ uint64_t *hashes = xcalloc(n, sizeof(*hashes));
	_cleanup_free_ int64_t *ranks = xcalloc(n, sizeof(*ranks));

	for (size_t i = 0; i < p->n_samples; i++) {
		uint32_t stack = p->samples[i].stack;

		if (!hashes[stack])
			hashes[stack] = hash_of(p, stack, &functions, &frames);
		if (__builtin_add_overflow(ranks[stack], rank(r, i), &ranks[stack]))
			ranks[stack] = INT64_MAX;
	}
	r->stacks = xcalloc(n, sizeof(*r->stacks));
	for (uint32_t i = 0; i < n; i++) {
		if (hashes[i])
			r->stacks[r->n_stacks++] = (struct stack_row){hashes[i], i, ranks[i]};
	}
	unite(r);
	give_up_rarest(r);
	r->hashes = xcalloc(n, sizeof(*r->hashes));
	for (uint32_t i = 0; i < n; i++) {
		struct stack_row key = {.hash = hashes[i]};

		if (hashes[i] && bsearch(&key, r->stacks, r->n_stacks, sizeof(key), by_hash))
			r->hashes[i] = hashes[i];
	}
}

/* ---------------------------------------------------------------- labels */

/* Whose values are others in each window, so that no row would be that of another. */
static bool is_fleeting(const char *key)
{
	static const char *const fleeting[] = {"pid",  "tid",  "thread",    "cpu",
					       "core", "host", "data_addr", "window_number"};

	for (size_t i = 0; i < ARRAY_SIZE(fleeting); i++) {
		if (strcmp(key, fleeting[i]) == 0)
			return true;
	}
	return false;
}

static bool has_column(const struct prof *p, const struct prof_label *label)
{
	return label->text && schema__is_label(prof__text(p, label->key));
}

static int by_text(const void *pa, const void *pb)
{
	const struct buf *a = pa, *b = pb;

	return strcmp(a->data, b->data);
}

/* By their texts: the profile has them by the numbers of their keys. */
static void put_labels(const struct rows *r, uint32_t labels, struct buf *out)
{
	const struct prof_label *set;
	size_t n = prof__label_set(r->prof, labels, &set), kept = 0;
	_cleanup_free_ struct buf *texts = xcalloc(n, sizeof(*texts));

	for (size_t i = 0; i < n; i++) {
		const char *key = prof__text(r->prof, set[i].key);

		if (*key && !has_column(r->prof, &set[i]) &&
		    (r->opts.all_labels ? strcmp(key, "host") != 0 : !is_fleeting(key)))
			label_text__of(r->prof, &set[i], &texts[kept++]);
	}
	if (kept)
		qsort(texts, kept, sizeof(*texts), by_text);
	binary__length(out, kept);
	for (size_t i = 0; i < kept; i++) {
		binary__bytes(out, texts[i].data, texts[i].len);
		buf__done(&texts[i]);
	}
}

static uint32_t labels_of(struct rows *r, uint32_t labels)
{
	_cleanup_(buf__done) struct buf bytes = {0};

	if (!r->labels[labels]) {
		for (const char *const *key = schema_labels; *key; key++)
			binary__string(&bytes, prof__label_text(r->prof, labels, *key));
		put_labels(r, labels, &bytes);
		r->labels[labels] = intern__add(&r->label_sets, bytes.data, bytes.len);
	}
	return r->labels[labels];
}

/* ---------------------------------------------------------------- rows */

static void add_values(struct rows *r, const struct row_key *key, const int64_t add[VALUES])
{
	size_t i = intern__add(&r->keys, key, sizeof(*key)) - 1;

	if (i == r->n_values) {
		GROW(r->values, r->n_values, r->cap_values);
		memset(r->values[r->n_values++], 0, sizeof(*r->values));
	}
	for (size_t v = 0; v < VALUES; v++)
		r->values[i][v] += add[v]; /* what was read adds up to 63 bits */
}

static int64_t times(int64_t n, int64_t by)
{
	int64_t product;

	return __builtin_mul_overflow(n, by, &product) ? (n < 0 ? INT64_MIN : INT64_MAX) : product;
}

static void add_sample(struct rows *r, size_t sample)
{
	const struct prof_sample *s = &r->prof->samples[sample];
	const int64_t *values = prof__values(r->prof, sample);

	for (size_t e = 0; e < r->n_events; e++) {
		const struct prof_event *event = &r->events[e];
		const size_t types[VALUES] = {event->samples, event->events, event->time};
		int64_t add[VALUES] = {0};
		bool any = false;

		for (size_t v = 0; v < VALUES; v++) {
			add[v] = types[v] == PROF_NO_TYPE ? 0 : values[types[v]];
			any |= add[v] != 0;
		}
		if (any)
			add_values(r,
				   &(struct row_key){(uint32_t)e, labels_of(r, s->labels),
						     r->hashes[s->stack]},
				   add);
	}
}

struct rows *rows__new(const struct prof *p, const struct rows_window *window,
		       const struct rows_opts *opts)
{
	struct rows *r = xcalloc(1, sizeof(*r));

	r->prof = p;
	r->window = window;
	r->opts = *opts;
	r->times = opts->one_of < 2                              ? 1 :
		   rows_window__hash(window) % opts->one_of == 0 ? (int64_t)opts->one_of :
								   0;
	r->n_events = prof__events(p, &r->events);
	r->labels = xcalloc(intern__count(&p->label_sets), sizeof(*r->labels));
	if (!r->times)
		return r;
	find_stacks(r);
	for (size_t i = 0; i < p->n_samples; i++)
		add_sample(r, i);
	return r;
}

void rows__free(struct rows *r)
{
	if (!r)
		return;
	prof_events__free(r->events, r->n_events);
	intern__done(&r->label_sets);
	intern__done(&r->keys);
	free(r->stacks);
	free(r->hashes);
	free(r->labels);
	free(r->values);
	free(r);
}

size_t rows__samples(const struct rows *r)
{
	return r->n_values;
}

size_t rows__stacks(const struct rows *r)
{
	return r->n_stacks;
}

size_t rows__others(const struct rows *r)
{
	return r->n_others;
}

uint64_t rows__stack_hash(const struct rows *r, size_t stack)
{
	return r->stacks[stack].hash;
}

static uint32_t start_s(const struct rows *r)
{
	int64_t s = r->prof->time_ns / NS_PER_S;

	return s < 0 ? 0 : s > UINT32_MAX ? UINT32_MAX : (uint32_t)s;
}

void rows__put_samples(const struct rows *r, size_t from, size_t to, uint16_t part, struct buf *out)
{
	uint64_t window = rows_window__hash(r->window);

	for (size_t i = from; i < to; i++) {
		size_t size;
		const struct row_key *key = intern__get(&r->keys, (uint32_t)i + 1, &size);
		const char *labels;

		binary__u32(out, start_s(r));
		binary__u64(out, window);
		binary__u16(out, part);
		binary__string(out, r->window->host);
		labels = intern__get(&r->label_sets, key->labels, &size);
		buf__add(out, labels, size);
		binary__string(out, r->events[key->event].name);
		binary__u64(out, key->stack);
		for (size_t v = 0; v < VALUES; v++)
			binary__u64(out, (uint64_t)times(r->values[i][v], r->times));
	}
}

void rows__put_stack(const struct rows *r, size_t stack, struct buf *out)
{
	_cleanup_(buf__done) struct buf functions = {0};
	_cleanup_(buf__done) struct buf frames = {0};

	put_frames(r->prof, r->stacks[stack].stack, &functions, &frames);
	binary__u64(out, r->stacks[stack].hash);
	binary__u16(out, (uint16_t)(start_s(r) / S_PER_DAY));
	buf__add(out, functions.data, functions.len);
	buf__add(out, frames.data, frames.len);
}

/* Calls back for each; fn may be NULL. How many there are. */
static size_t each_alarm(const struct rows *r,
			 void (*fn)(const struct rows *r, const struct alarm_line *line,
				    struct buf *out),
			 struct buf *out)
{
	size_t n = 0;

	for (size_t i = 0; i < r->prof->n_comments; i++) {
		_cleanup_free_ char *relation = NULL;
		struct alarm_line line;

		if (!alarm_line__parse(prof__text(r->prof, r->prof->comments[i]), &line, &relation))
			continue;
		n++;
		if (fn)
			fn(r, &line, out);
	}
	return n;
}

size_t rows__alarms(const struct rows *r)
{
	return each_alarm(r, NULL, NULL);
}

static void put_alarm(const struct rows *r, const struct alarm_line *line, struct buf *out)
{
	binary__string(out, r->window->host);
	binary__string(out, r->window->boot);
	binary__u64(out, r->window->seq);
	binary__u64(out, rows_window__hash(r->window));
	binary__u32(out, start_s(r));
	binary__u64(out, (uint64_t)line->at_ns);
	binary__u64(out, (uint64_t)line->since_ns);
	binary__string(out, line->relation);
	binary__string(out, alarm_words[line->word]);
	binary__f64(out, line->percent);
	binary__f64(out, line->observed);
	binary__f64(out, line->expected);
}

void rows__put_alarms(const struct rows *r, struct buf *out)
{
	each_alarm(r, put_alarm, out);
}

static void put_texts(const struct prof *p, const uint32_t *texts, size_t n, struct buf *out)
{
	binary__length(out, n);
	for (size_t i = 0; i < n; i++)
		binary__string(out, prof__text(p, texts[i]));
}

/* Those of the profile, and what who adds windows up has to know. */
static void put_comments(const struct rows *r, struct buf *out)
{
	const struct prof *p = r->prof;
	_cleanup_free_ char *shared = NULL;

	if (r->opts.one_of < 2)
		return put_texts(p, p->comments, p->n_comments, out);
	binary__length(out, p->n_comments + 1);
	for (size_t i = 0; i < p->n_comments; i++)
		binary__string(out, prof__text(p, p->comments[i]));
	shared = xasprintf("warning: of %s one window of %u was sent, and counts for all of them: "
			   "sums are estimates",
			   r->window->host, r->opts.one_of);
	binary__string(out, shared);
}

static void put_type(const struct prof *p, const struct prof_type *type, struct buf *out)
{
	buf__printf(out, "%s/%s\n", prof__text(p, type->name), prof__text(p, type->unit));
}

void rows__put_window(const struct rows *r, struct buf *out)
{
	const struct prof *p = r->prof;
	_cleanup_(buf__done) struct buf types = {0};
	_cleanup_(buf__done) struct buf period = {0};

	for (size_t t = 0; t < p->n_types; t++)
		put_type(p, &p->types[t], &types);
	put_type(p, &p->period_type, &period);
	binary__string(out, r->window->host);
	binary__string(out, r->window->boot);
	binary__u64(out, r->window->seq);
	binary__u64(out, rows_window__hash(r->window));
	binary__u32(out, start_s(r));
	binary__u64(out, (uint64_t)p->time_ns);
	binary__u64(out, (uint64_t)p->duration_ns);
	binary__bytes(out, types.data, types.len);
	binary__string(out, prof__text(p, p->default_type));
	binary__bytes(out, period.data, period.len);
	binary__u64(out, (uint64_t)p->period);
	binary__string(out, prof__text(p, p->drop_frames));
	binary__string(out, prof__text(p, p->keep_frames));
	put_comments(r, out);
	put_texts(p, p->layouts, p->n_layouts, out);
	binary__u64(out, r->n_values);
	binary__u32(out, (uint32_t)r->n_stacks);
	binary__u32(out, (uint32_t)r->n_others);
}

void rows__put_question(const struct rows *r, struct buf *out)
{
	uint64_t hash = rows_window__hash(r->window);

	buf__printf(out,
		    "SELECT toUInt64(part),toUInt64(count()) FROM samples WHERE window=%" PRIu64
		    " AND start=toDateTime(%" PRId64 ") GROUP BY part UNION ALL "
		    "SELECT toUInt64(0),toUInt64(count()) FROM windows WHERE window=%" PRIu64,
		    hash, r->prof->time_ns / NS_PER_S, hash);
	if (rows__alarms(r))
		buf__printf(out,
			    " UNION ALL SELECT toUInt64(%d),toUInt64(count()) FROM alarms "
			    "WHERE window=%" PRIu64,
			    ROWS_ALARMS, hash);
	buf__puts(out, " FORMAT RowBinary");
}

void rows__part(uint16_t part, size_t n, size_t *ret_from, size_t *ret_to)
{
	unsigned level = 31 - (unsigned)__builtin_clz(part);
	size_t at = part - ((size_t)1 << level);

	*ret_from = n * at >> level;
	*ret_to = n * (at + 1) >> level;
}
