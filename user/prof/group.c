// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The text of a frame's key is made once, whatever the number of stacks that it is in. Sums can't
 * overflow: whoever read the profile has checked the magnitudes of all its values.
 */
#include "prof/group.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "prof/text_rank.h"

/* How a row is known below its parent. */
struct row_key {
	uint32_t parent, text, module, pad;
};

struct label_pair {
	uint32_t text, module;
};

struct grouping {
	struct group *g;
	const struct group_opts *opts;
	const struct prof *p;
	struct prof_event *events;
	size_t n_events;
	struct prof_frames frames;
	struct label_pair *known; /* of frames: by key and number of the frame; text 0: not yet */
	size_t n_numbers;
	int64_t *masked;
	uint64_t n_seen;
	bool has_frame_key;
	struct intern pids; /* by the number of a process: its text */
	uint32_t *pid_texts;
	size_t n_pids, cap_pids;
};

static uint32_t intern_text(struct group *g, struct buf *text)
{
	uint32_t number;

	buf__putc(text, '\0');
	number = intern__add(&g->texts, text->data, text->len);
	buf__clear(text);
	return number;
}

static uint32_t child(struct group *g, uint32_t parent, struct label_pair label)
{
	const struct row_key key = {parent, label.text, label.module, 0};
	uint32_t row = intern__add(&g->keys, &key, sizeof(key));

	if (row < g->n_rows)
		return row;
	GROW(g->rows, g->n_rows, g->cap_rows);
	g->rows[g->n_rows++] = (struct group_row){
		.parent = parent,
		.text = label.text,
		.module = label.module,
		.level = g->rows[parent].level + 1,
	};
	for (size_t t = 0; t < g->prof->n_types; t++) {
		GROW(g->self, g->n_self, g->cap_self);
		g->self[g->n_self++] = 0;
		GROW(g->total, g->n_total, g->cap_total);
		g->total[g->n_total++] = 0;
	}
	return row;
}

static struct label_pair frame_label(struct grouping *x, size_t key, const struct prof_frame *frame)
{
	const struct prof_key *k = &x->opts->keys[key];
	struct label_pair *known =
		&x->known[key * x->n_numbers + (frame ? frame->number : x->n_numbers - 1)];
	_cleanup_(buf__done) struct buf text = {0};

	if (known->text)
		return *known;
	prof_key__frame_text(k, x->p, frame, &text);
	known->text = intern_text(x->g, &text);
	if (frame && k->kind != KEY_MODULE && k->kind != KEY_LANGUAGE && k->kind != KEY_CLASS) {
		prof_frame__put_module_name(frame, x->p, &text);
		if (text.len)
			known->module = intern_text(x->g, &text);
	}
	return *known;
}

static void add_values(struct grouping *x, int64_t *to, uint32_t row, const int64_t *values)
{
	for (size_t t = 0; t < x->p->n_types; t++)
		to[row * x->p->n_types + t] += values[t];
}

static void add_total(struct grouping *x, uint32_t row, const int64_t *values)
{
	if (x->g->rows[row].seen == x->n_seen)
		return;
	x->g->rows[row].seen = x->n_seen;
	add_values(x, x->g->total, row, values);
}

/* What is called so may be inlined in one place, and in others not. */
static void note_inlined(struct grouping *x, uint32_t row, size_t key,
			 const struct prof_frame *frame)
{
	enum prof_key_kind kind = x->opts->keys[key].kind;

	if (!frame || (kind != KEY_FUNCTION && kind != KEY_LINE && kind != KEY_ADDRESS))
		return;
	x->g->rows[row].inlined |= frame->inlined;
	x->g->rows[row].own |= !frame->inlined;
}

/* The rows that one frame belongs to, one for each key. */
static void add_frame(struct grouping *x, const struct label_pair *of_sample,
		      const struct prof_frame *frame, const int64_t *values, bool is_leaf)
{
	uint32_t row = 0;

	for (size_t k = 0; k < x->opts->n_keys; k++) {
		bool of_frames = prof_key__is_of_frames(&x->opts->keys[k]);

		row = child(x->g, row, of_frames ? frame_label(x, k, frame) : of_sample[k]);
		note_inlined(x, row, k, frame);
		add_total(x, row, values);
		if (is_leaf)
			add_values(x, x->g->self, row, values);
	}
}

static void add_by_keys(struct grouping *x, const struct label_pair *of_sample,
			const int64_t *values)
{
	x->n_seen++;
	if (!x->has_frame_key || !x->frames.n) {
		add_frame(x, of_sample, NULL, values, true);
		return;
	}
	for (size_t i = 0; i < x->frames.n; i++)
		add_frame(x, of_sample, &x->frames.list[i], values, i == 0);
}

/* Those of one event; of the others nothing. */
static const int64_t *mask(struct grouping *x, const struct prof_event *e, const int64_t *values)
{
	const size_t types[] = {e->samples, e->events, e->time};

	memset(x->masked, 0, x->p->n_types * sizeof(*x->masked));
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		if (types[i] != PROF_NO_TYPE)
			x->masked[types[i]] = values[types[i]];
	}
	return x->masked;
}

/* Threads of one process have names of their own: it is called as its first sample is. */
static uint32_t process_text(struct grouping *x, const struct prof_key *key, uint32_t labels,
			     bool idle)
{
	const struct prof_label *pid = prof__label(x->p, labels, "pid");
	_cleanup_(buf__done) struct buf text = {0};
	uint32_t number = pid ? intern__add(&x->pids, pid, sizeof(*pid)) : 0;

	if (number && number <= x->n_pids)
		return x->pid_texts[number - 1];
	prof_key__sample_text(key, x->p, labels, idle, &text);
	if (!number)
		return intern_text(x->g, &text);
	GROW(x->pid_texts, x->n_pids, x->cap_pids);
	return x->pid_texts[x->n_pids++] = intern_text(x->g, &text);
}

static bool all_zero(const int64_t *values, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (values[i])
			return false;
	}
	return true;
}

static void add_keys_sample(struct grouping *x, const struct prof_sample *s, const int64_t *values)
{
	_cleanup_free_ struct label_pair *labels = xcalloc(x->opts->n_keys, sizeof(*labels));
	_cleanup_(buf__done) struct buf text = {0};
	bool idle = prof__is_idle(x->p, s->stack);
	size_t event_key = SIZE_MAX;

	for (size_t k = 0; k < x->opts->n_keys; k++) {
		const struct prof_key *key = &x->opts->keys[k];

		if (key->kind == KEY_EVENT) {
			event_key = k;
		} else if (key->kind == KEY_PROCESS) {
			labels[k].text = process_text(x, key, s->labels, idle);
		} else if (!prof_key__is_of_frames(key)) {
			prof_key__sample_text(key, x->p, s->labels, idle, &text);
			labels[k].text = intern_text(x->g, &text);
		}
	}
	if (event_key == SIZE_MAX) {
		add_by_keys(x, labels, values);
		return;
	}
	for (size_t e = 0; e < x->n_events; e++) {
		const int64_t *part = mask(x, &x->events[e], values);

		if (all_zero(part, x->p->n_types))
			continue;
		buf__puts(&text, x->events[e].name);
		labels[event_key].text = intern_text(x->g, &text);
		add_by_keys(x, labels, part);
	}
}

static void add_calls(struct grouping *x, const int64_t *values)
{
	size_t n = x->frames.n;
	uint32_t row = 0;

	x->n_seen++;
	for (size_t i = 0; i < n || (i == 0 && n == 0); i++) {
		const struct prof_frame *frame = !n ? NULL :
						 x->opts->shape == GROUP_CALLS ?
						      &x->frames.list[n - 1 - i] :
						      &x->frames.list[i];

		row = child(x->g, row, frame_label(x, 0, frame));
		note_inlined(x, row, 0, frame);
		add_total(x, row, values);
	}
	add_values(x, x->g->self, row, values);
}

static void add_all(struct grouping *x)
{
	for (size_t i = 0; i < x->p->n_samples; i++) {
		const struct prof_sample *s = &x->p->samples[i];
		const int64_t *values = prof__values(x->p, i);

		add_values(x, x->g->total, 0, values);
		add_values(x, x->g->self, 0, values);
		if (x->has_frame_key)
			prof_frames__expand(&x->frames, x->p, s->stack, true);
		if (x->opts->shape == GROUP_KEYS)
			add_keys_sample(x, s, values);
		else
			add_calls(x, values);
	}
}

/* ---- order */

struct sorted {
	uint32_t row, parent;
	int64_t first, second; /* both 0: it is sorted by its text */
	const char *text;
	struct text_rank rank;
};

static int compare(const void *pa, const void *pb)
{
	const struct sorted *a = pa, *b = pb;
	int by_text;

	if (a->parent != b->parent)
		return CMP3(a->parent, b->parent);
	if (a->first != b->first)
		return CMP3(b->first, a->first);
	if (a->second != b->second)
		return CMP3(b->second, a->second);
	by_text = text_rank__compare(a->rank, a->text, b->rank, b->text);
	return by_text ? by_text : CMP3(a->row, b->row);
}

static bool is_too_small(const struct group *g, const struct group_opts *opts, uint32_t row)
{
	double whole = fabs((double)group__total(g, 0)[opts->sort_type]);

	return fabs((double)group__total(g, row)[opts->sort_type]) * 100 < opts->min_share * whole;
}

static struct sorted *sort_rows(const struct group *g, const struct group_opts *opts)
{
	struct sorted *list = xcalloc(g->n_rows, sizeof(*list));
	bool total = opts->sort_total;

	for (uint32_t i = 1; i < g->n_rows; i++) {
		int64_t self = group__self(g, i)[opts->sort_type];
		int64_t all = group__total(g, i)[opts->sort_type];

		list[i] = (struct sorted){.row = i,
					  .parent = g->rows[i].parent,
					  .first = total ? all : self,
					  .second = total ? self : all,
					  .text = group__text(g, g->rows[i].text)};
		list[i].rank = text_rank__of(list[i].text);
		if (g->rows[i].level == opts->sort_level)
			list[i].first = list[i].second = 0;
	}
	if (g->n_rows > 1)
		qsort(list + 1, g->n_rows - 1, sizeof(*list), compare);
	return list;
}

/* Depth first, without recursion: a tree of calls is as deep as its stacks. */
static void put_in_order(struct group *g, const struct group_opts *opts)
{
	_cleanup_free_ struct sorted *list = sort_rows(g, opts);
	_cleanup_free_ size_t *first = xcalloc(g->n_rows + 1, sizeof(*first));
	_cleanup_free_ size_t *left = xcalloc(g->n_rows, sizeof(*left)); /* may still be shown */
	_cleanup_free_ uint32_t *path = xcalloc(g->n_rows + 1, sizeof(*path));
	size_t depth = 1;

	for (size_t i = g->n_rows - 1; i > 0; i--)
		first[list[i].parent] = i;
	for (size_t i = 0; i < g->n_rows; i++)
		left[i] = opts->limit ? opts->limit : SIZE_MAX;
	g->order = xcalloc(g->n_rows, sizeof(*g->order));
	while (depth) {
		uint32_t parent = path[depth - 1];
		size_t i = first[parent];

		if (!i || i >= g->n_rows || list[i].parent != parent) {
			depth--;
			continue;
		}
		first[parent]++;
		if (!left[parent] || is_too_small(g, opts, list[i].row)) {
			g->n_hidden++;
			continue;
		}
		left[parent]--;
		g->order[g->n_order++] = list[i].row;
		path[depth++] = list[i].row;
	}
}

/* ---- the whole */

static void begin(struct grouping *x)
{
	struct group *g = x->g;

	GROW(g->rows, g->n_rows, g->cap_rows);
	g->rows[g->n_rows++] = (struct group_row){0};
	for (size_t t = 0; t < x->p->n_types; t++) {
		GROW(g->self, g->n_self, g->cap_self);
		g->self[g->n_self++] = 0;
		GROW(g->total, g->n_total, g->cap_total);
		g->total[g->n_total++] = 0;
	}
	x->n_numbers = x->p->n_lines + x->p->n_locations + 1; /* and no frame at all */
	x->known = xcalloc(x->opts->n_keys * x->n_numbers, sizeof(*x->known));
	x->masked = xcalloc(x->p->n_types, sizeof(*x->masked));
	x->n_events = prof__events(x->p, &x->events);
	x->has_frame_key = x->opts->shape != GROUP_KEYS;
	for (size_t k = 0; k < x->opts->n_keys; k++)
		x->has_frame_key |= prof_key__is_of_frames(&x->opts->keys[k]);
}

struct group *group__new(const struct prof *p, const struct group_opts *opts)
{
	struct group *g = xcalloc(1, sizeof(*g));
	struct grouping x = {.g = g, .opts = opts, .p = p};

	g->prof = p;
	begin(&x);
	add_all(&x);
	free(x.known);
	free(x.masked);
	free(x.pid_texts);
	intern__done(&x.pids);
	prof_events__free(x.events, x.n_events);
	prof_frames__done(&x.frames);
	put_in_order(g, opts);
	return g;
}

struct group *group__free(struct group *g)
{
	if (!g)
		return NULL;
	intern__done(&g->texts);
	intern__done(&g->keys);
	free(g->rows);
	free(g->self);
	free(g->total);
	free(g->order);
	free(g);
	return NULL;
}

const char *group__text(const struct group *g, uint32_t text)
{
	size_t size;

	return intern__get(&g->texts, text, &size);
}

const int64_t *group__self(const struct group *g, uint32_t row)
{
	return g->self + row * g->prof->n_types;
}

const int64_t *group__total(const struct group *g, uint32_t row)
{
	return g->total + row * g->prof->n_types;
}
