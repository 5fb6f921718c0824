// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: no sample may get lost where the listing and the profile don't agree on where
 * instructions begin. So what has samples is a row, whatever the listing says.
 */
#include "render/code.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "render/report_head.h"

static void add_row(struct code_view *v, const struct code_row *row)
{
	GROW(v->rows, v->n, v->cap);
	v->rows[v->n++] = *row;
}

static void add_insn(struct code_view *v, const struct listing *l, const struct listing_row *insn,
		     const int64_t *values)
{
	struct code_row row = code_row__of(l, insn);

	row.values = values;
	add_row(v, &row);
}

/* Where it stands says the profile. */
static void add_point(struct code_view *v, const struct code_point *p)
{
	struct code_row row = {.address = v->base + p->address, .values = p->values};

	if (p->source && p->line > 0 && p->line <= INT32_MAX) {
		row.file = prof__text(v->report->prof, p->source);
		row.line = (uint32_t)p->line;
	}
	add_row(v, &row);
}

/* The points up to that offset that no instruction had. */
static size_t add_points(struct code_view *v, size_t from, uint64_t file_off)
{
	while (from < v->points->n && v->points->list[from].file_off < file_off)
		add_point(v, &v->points->list[from++]);
	return from;
}

static size_t add_listing(struct code_view *v, const struct listing *l, size_t from)
{
	for (size_t i = 0; i < l->n; i++) {
		uint64_t file_off = l->file_off + l->rows[i].at;
		const int64_t *values = NULL;

		from = add_points(v, from, file_off);
		if (from < v->points->n && v->points->list[from].file_off == file_off)
			values = v->points->list[from++].values;
		add_insn(v, l, &l->rows[i], values);
	}
	return from;
}

/* ---- lines */

static int by_line(const void *a, const void *b)
{
	const struct code_row *x = *(const struct code_row *const *)a;
	const struct code_row *y = *(const struct code_row *const *)b;
	int r = strcmp(x->file ? x->file : "", y->file ? y->file : "");

	if (r == 0)
		r = CMP3(x->line, y->line);
	return r ? r : CMP3(x->address, y->address);
}

static bool is_on(const struct code_line *l, const struct code_row *row)
{
	return l->line == row->line &&
	       strcmp(l->file ? l->file : "", row->file ? row->file : "") == 0;
}

static int by_value(const void *a, const void *b, void *ctx)
{
	const struct code_line *x = a, *y = b;
	const struct report *r = ctx;

	for (size_t i = 0; i < r->n_events; i++) {
		size_t type = report_event__type(&r->events[i]);

		if (x->values[type] != y->values[type])
			return CMP3(y->values[type], x->values[type]);
	}
	return CMP3(x->address, y->address);
}

static void add_to_line(struct code_view *v, const struct code_row *row)
{
	size_t n_types = v->report->prof->n_types;
	struct code_line *last = v->n_lines ? &v->lines[v->n_lines - 1] : NULL;

	if (!last || !is_on(last, row)) {
		GROW(v->lines, v->n_lines, v->cap_lines);
		last = &v->lines[v->n_lines++];
		*last = (struct code_line){.file = row->file,
					   .line = row->line,
					   .address = row->address,
					   .values = xcalloc(n_types, sizeof(int64_t))};
	}
	for (size_t t = 0; t < n_types; t++)
		last->values[t] += row->values[t];
}

static void add_lines(struct code_view *v)
{
	const struct code_row **sampled = xcalloc(v->n, sizeof(*sampled));
	size_t n = 0;

	for (size_t i = 0; i < v->n; i++) {
		if (v->rows[i].values)
			sampled[n++] = &v->rows[i];
	}
	qsort(sampled, n, sizeof(*sampled), by_line);
	for (size_t i = 0; i < n; i++)
		add_to_line(v, sampled[i]);
	free(sampled);
	if (v->n_lines)
		qsort_r(v->lines, v->n_lines, sizeof(*v->lines), by_value, (void *)v->report);
}

void code_view__build(struct code_view *v, const struct listing *listings, size_t n)
{
	size_t from = 0;

	for (size_t i = 0; i < n; i++) {
		from = add_points(v, from, listings[i].file_off);
		from = add_listing(v, &listings[i], from);
	}
	while (from < v->points->n)
		add_point(v, &v->points->list[from++]);
	add_lines(v);
}

void code_view__done(struct code_view *v)
{
	for (size_t i = 0; i < v->n_lines; i++)
		free(v->lines[i].values);
	free(v->lines);
	free(v->rows);
	buf__done(&v->notes);
	v->lines = NULL;
	v->rows = NULL;
	v->n = v->n_lines = 0;
}

const char *code_view__nearness(const struct code_view *v, const struct prof_event *event)
{
	char *text = report__event_remark(v->report->whole, event->name, " pc=");
	const char *ret = !text ? NULL : strcmp(text, "exact") == 0 ? "exact" : "near";

	free(text);
	return ret;
}
