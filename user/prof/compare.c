// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Samples are counted, so a row's two numbers of samples are compared as counts, each in the time
 * (or whatever the total is) that belongs to it. With thousands of rows chance makes some of them
 * look different: so what is significant depends on how many there are (Bonferroni).
 */
#include "prof/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "model/poisson.h"

#define SIGNIFICANT 0.05

struct row_key {
	uint32_t text, module;
};

struct comparing {
	struct comparison *c;
	struct intern keys;
	const struct compare_opts *opts;
};

static struct compare_row *row_of(struct comparing *x, const char *text, const char *module)
{
	struct comparison *c = x->c;
	struct row_key key = {intern__add(&c->texts, text, strlen(text) + 1),
			      intern__add(&c->texts, module, strlen(module) + 1)};
	uint32_t number = intern__add(&x->keys, &key, sizeof(key));

	if (number > c->n) {
		GROW(c->rows, c->n, c->cap);
		c->rows[c->n++] = (struct compare_row){.text = key.text, .module = key.module};
	}
	return &c->rows[number - 1];
}

static void add(struct compare_row *row, const struct compare_side *side, const int64_t *values,
		bool is_after)
{
	double n = side->samples != PROF_NO_TYPE ? (double)values[side->samples] : 0;

	*(is_after ? &row->after : &row->before) += (double)values[side->type];
	*(is_after ? &row->n_after : &row->n_before) += n;
}

/* "outer > inner" of rows within rows. */
static void path_text(const struct group *g, uint32_t row, struct buf *out)
{
	uint32_t path[64];
	size_t n = 0;

	for (; row && n < ARRAY_SIZE(path); row = g->rows[row].parent)
		path[n++] = row;
	while (n--) {
		buf__puts(out, group__text(g, g->rows[path[n]].text));
		buf__puts(out, n ? " > " : "");
	}
}

static void add_groups(struct comparing *x, const struct compare_side *side, bool is_after)
{
	const struct group_opts opts = {
		.keys = x->opts->keys,
		.n_keys = x->opts->n_keys,
		.sort_type = side->type,
	};
	struct group *g = group__new(side->prof, &opts);
	_cleanup_(buf__done) struct buf text = {0};

	for (size_t i = 0; i < g->n_order; i++) {
		uint32_t row = g->order[i];

		if (g->rows[row].level != x->opts->n_keys)
			continue;
		buf__clear(&text);
		path_text(g, row, &text);
		add(row_of(x, text.data ? text.data : "", group__text(g, g->rows[row].module)),
		    side, x->opts->total ? group__total(g, row) : group__self(g, row), is_after);
	}
	group__free(g);
}

/* Frames are parted by line feeds, so what was added since has to be without. */
static void end_frame(struct buf *out, size_t since)
{
	for (size_t i = since; i < out->len; i++) {
		if (out->data[i] == '\n')
			out->data[i] = COMPARE_LINE_FEED;
	}
}

static void stack_text(const struct prof *p, const struct prof_sample *s,
		       struct prof_frames *frames, struct buf *out)
{
	const struct prof_label *comm = prof__label(p, s->labels, "comm");

	if (comm)
		buf__puts(out, prof__text(p, comm->text));
	end_frame(out, 0);
	prof_frames__expand(frames, p, s->stack, true);
	for (size_t i = frames->n; i-- > 0;) {
		size_t since;

		buf__puts(out, out->len ? "\n" : "");
		since = out->len;
		prof_frame__text(&frames->list[i], p, false, out);
		end_frame(out, since);
	}
	if (!out->len)
		buf__puts(out, "[unknown]");
}

static void add_stacks(struct comparing *x, const struct compare_side *side, bool is_after)
{
	struct prof_frames frames = {0};
	_cleanup_(buf__done) struct buf text = {0};

	for (size_t i = 0; i < side->prof->n_samples; i++) {
		buf__clear(&text);
		stack_text(side->prof, &side->prof->samples[i], &frames, &text);
		add(row_of(x, text.data, ""), side, prof__values(side->prof, i), is_after);
	}
	prof_frames__done(&frames);
}

static int compare(const void *pa, const void *pb)
{
	const struct compare_row *a = pa, *b = pb;
	double change_a = fabs(a->scaled - a->before), change_b = fabs(b->scaled - b->before);

	if (a->p != b->p && !isnan(a->p) && !isnan(b->p))
		return CMP3(a->p, b->p);
	if (change_a != change_b)
		return CMP3(change_b, change_a);
	return a->text != b->text ? CMP3(a->text, b->text) : CMP3(a->module, b->module);
}

/* What both are measured against, in samples of each. */
static double exposure(const struct compare_side *side)
{
	return side->total / side->weight;
}

static void judge(struct comparison *c, const struct compare_side *before,
		  const struct compare_side *after)
{
	size_t kept = 0;

	c->has_samples = before->weight > 0 && after->weight > 0;
	for (size_t i = 0; i < c->n; i++) { /* callers have no self: nothing to compare */
		if (c->rows[i].before != 0 || c->rows[i].after != 0)
			c->rows[kept++] = c->rows[i];
	}
	c->n = kept;
	for (size_t i = 0; i < c->n; i++) {
		struct compare_row *row = &c->rows[i];

		row->scaled = row->after * before->total / after->total;
		row->p = c->has_samples ? poisson_same_rate(row->n_before, exposure(before),
							    row->n_after, exposure(after)) :
					  NAN;
		row->significant = row->p * (double)c->n < SIGNIFICANT;
	}
	if (c->n)
		qsort(c->rows, c->n, sizeof(*c->rows), compare);
}

struct comparison *comparison__new(const struct compare_side *before,
				   const struct compare_side *after,
				   const struct compare_opts *opts)
{
	struct comparing x = {.c = xcalloc(1, sizeof(*x.c)), .opts = opts};

	(opts->stacks ? add_stacks : add_groups)(&x, before, false);
	(opts->stacks ? add_stacks : add_groups)(&x, after, true);
	intern__done(&x.keys);
	judge(x.c, before, after);
	return x.c;
}

struct comparison *comparison__free(struct comparison *c)
{
	if (!c)
		return NULL;
	intern__done(&c->texts);
	free(c->rows);
	free(c);
	return NULL;
}

const char *comparison__text(const struct comparison *c, uint32_t text)
{
	size_t size;

	return intern__get(&c->texts, text, &size);
}

double compare_row__growth(const struct compare_row *row)
{
	if (row->before > 0)
		return row->scaled / row->before - 1;
	return row->scaled > 0 ? INFINITY : 0;
}
