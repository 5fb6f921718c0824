// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Columns have priorities: where the terminal is too narrow for all of them and a readable name,
 * the least important one goes, and so on. The name takes what is left.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "render/escape.h"
#include "render/report.h"
#include "render/report_head.h"

enum { NAME_WIDTH = 28, MAX_NAME = 1000 };

enum column_kind { COL_SHARE, COL_VALUE, COL_RATIO };

struct column {
	enum column_kind kind;
	bool total;
	size_t type; /* of the value, or of what the share is of */
	size_t event, ratio;
	unsigned priority; /* 0 stays always */
	char *title;
	unsigned cells; /* the widest, or the title */
	unsigned width; /* with room for the event's name above */
};

struct table {
	const struct report *r;
	struct column *columns;
	size_t n, cap;
	struct buf *out;
};

static void table__done(struct table *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->columns[i].title);
	free(t->columns);
}

static void add_column(struct table *t, struct column column, const char *title)
{
	GROW(t->columns, t->n, t->cap);
	column.title = xstrdup(title);
	t->columns[t->n++] = column;
}

/* The events of a row as they happened, and what they took. */
static void add_event(struct table *t, size_t i)
{
	const struct prof_event *e = &t->r->events[i];
	struct column c = {.event = i, .type = report_event__type(e)};
	bool flat = t->r->flat, first = i == 0;
	bool both = e->events != PROF_NO_TYPE && e->time != PROF_NO_TYPE;

	if (!flat) {
		c.priority = first ? 0 : 2;
		add_column(t, c, "self %");
		c.kind = COL_VALUE;
		c.priority = first ? 2 : 4;
		add_column(t, c, "self");
		c.type = e->time;
		c.priority = 5;
		if (both)
			add_column(t, c, "time");
		c.type = report_event__type(e);
	}
	c.total = true;
	c.kind = COL_SHARE;
	c.priority = flat && first ? 0 : first ? 1 : 6;
	add_column(t, c, flat ? "%" : "total %");
	c.kind = COL_VALUE;
	c.priority = flat ? 2 : 7;
	add_column(t, c, flat ? "count" : "total");
	c.type = e->time;
	c.priority = flat ? 5 : 8;
	if (both)
		add_column(t, c, flat ? "time" : "total time");
	c.type = e->samples;
	c.priority = 9;
	c.total = flat;
	if (e->samples != PROF_NO_TYPE && report_event__type(e) != e->samples)
		add_column(t, c, "samples");
}

static void add_columns(struct table *t)
{
	for (size_t i = 0; i < t->r->n_events; i++)
		add_event(t, i);
	for (size_t i = 0; i < t->r->n_ratios; i++) {
		enum derived_kind kind = t->r->ratios[i].kind;

		add_column(t,
			   (struct column){.kind = COL_RATIO,
					   .ratio = i,
					   .event = t->r->ratios[i].event,
					   .priority = kind == DERIVED_IPC ? 6 : 3},
			   derived_titles[kind]);
	}
}

/* ---- cells */

static void put_count(struct buf *out, double v)
{
	static const char *const units[] = {"", "k", "M", "G", "T", "P", "E"};
	size_t unit = 0;

	if (fabs(v) < 100000) {
		buf__printf(out, "%.0f", v);
		return;
	}
	for (; fabs(v) >= 999.95 && unit + 1 < ARRAY_SIZE(units); unit++)
		v /= 1000;
	buf__printf(out, "%.*f%s", fabs(v) < 10 ? 3 : fabs(v) < 100 ? 2 : 1, v, units[unit]);
}

static void put_time(struct buf *out, double ns)
{
	double a = fabs(ns);

	if (a >= 1e10 || ns == 0)
		buf__printf(out, "%.1fs", ns / 1e9);
	else if (a >= 1e9)
		buf__printf(out, "%.2fs", ns / 1e9);
	else if (a >= 1e6)
		buf__printf(out, "%.1fms", ns / 1e6);
	else if (a >= 1e3)
		buf__printf(out, "%.1fus", ns / 1e3);
	else
		buf__printf(out, "%.0fns", ns);
}

static void put_value(const struct report *r, size_t type, int64_t value, struct buf *out)
{
	const char *unit = prof__text(r->prof, r->prof->types[type].unit);

	if (strcmp(unit, "nanoseconds") == 0)
		put_time(out, (double)value);
	else
		put_count(out, (double)value);
}

void report_ratio__text(const struct report *r, const struct report_ratio *ratio,
			const int64_t *values, struct buf *out)
{
	struct ratio_value v = report_ratio__of(r, ratio, values);
	int decimals = v.value < 10 ? 2 : v.value < 1000 ? 1 : 0;

	if (!v.valid) {
		buf__puts(out, "-");
		return;
	}
	buf__printf(out, "%s%.*f%s", v.few ? "~" : "", decimals, v.value,
		    ratio->doubtful ? "!" : "");
	if (!r->confidence)
		return;
	if (v.low > 0 && isfinite(v.high))
		buf__printf(out, " [%.*f %.*f]", decimals, v.low, decimals, v.high);
	else
		buf__puts(out, " [?]");
}

static void put_cell(const struct table *t, const struct column *c, uint32_t row, struct buf *out)
{
	const struct report *r = t->r;
	const int64_t *values = c->total ? group__total(r->group, row) : group__self(r->group, row);
	double whole;

	switch (c->kind) {
	case COL_SHARE:
		whole = fabs((double)group__total(r->group, 0)[c->type]);
		if (whole != 0)
			buf__printf(out, "%.2f", 100 * (double)values[c->type] / whole);
		else
			buf__puts(out, "-");
		break;
	case COL_VALUE:
		put_value(r, c->type, values[c->type], out);
		break;
	case COL_RATIO:
		report_ratio__text(r, &r->ratios[c->ratio], report__ratio_values(r, row), out);
		break;
	}
}

/* ---- layout */

static void escaped_event(const struct table *t, const struct column *c, struct buf *out)
{
	escape_name(out, t->r->events[c->event].name);
}

/* What stands above several columns is written above the first; so it needs their width
 * together. */
static unsigned group_width(const struct table *t, size_t i, size_t *ret_end)
{
	unsigned width = 0;
	size_t k = i;

	for (; k < t->n && t->columns[k].event == t->columns[i].event; k++)
		width += t->columns[k].width + 2;
	*ret_end = k;
	return width - 2;
}

/* Once: there may be a million rows. */
static void measure_cells(struct table *t)
{
	_cleanup_(buf__done) struct buf cell = {0};
	const struct group *g = t->r->group;

	for (size_t i = 0; i < t->n; i++) {
		struct column *c = &t->columns[i];

		c->cells = text_columns(c->title);
		for (size_t k = 0; k <= g->n_order; k++) {
			buf__clear(&cell);
			put_cell(t, c, k ? g->order[k - 1] : 0, &cell);
			if (text_columns(cell.data) > c->cells)
				c->cells = text_columns(cell.data);
		}
	}
}

static void fit_events(struct table *t)
{
	_cleanup_(buf__done) struct buf cell = {0};
	size_t end;

	for (size_t i = 0; i < t->n; i++)
		t->columns[i].width = t->columns[i].cells;
	for (size_t i = 0; i < t->n; i = end) {
		unsigned width = group_width(t, i, &end), title;

		buf__clear(&cell);
		escaped_event(t, &t->columns[i], &cell);
		title = cell.len ? text_columns(cell.data) : 0;
		if (title > width)
			t->columns[i].width += title - width;
	}
}

static unsigned columns_width(const struct table *t)
{
	unsigned width = 0;

	for (size_t i = 0; i < t->n; i++)
		width += t->columns[i].width + 2;
	return width;
}

static void drop_columns(struct table *t)
{
	while (t->r->width && columns_width(t) + NAME_WIDTH > t->r->width) {
		size_t worst = 0;

		for (size_t i = 0; i < t->n; i++) {
			if (t->columns[i].priority >= t->columns[worst].priority)
				worst = i;
		}
		if (!t->columns[worst].priority)
			return;
		free(t->columns[worst].title);
		memmove(&t->columns[worst], &t->columns[worst + 1],
			(--t->n - worst) * sizeof(*t->columns));
		fit_events(t);
	}
}

static unsigned name_width(const struct table *t)
{
	unsigned used = columns_width(t);

	if (!t->r->width)
		return MAX_NAME;
	return t->r->width > used + NAME_WIDTH ? t->r->width - used : NAME_WIDTH;
}

/* At most `width` characters of an escaped text. */
static void put_cut(struct buf *out, const char *text, unsigned width)
{
	const char *at = text;

	if (text_columns(text) <= width) {
		buf__puts(out, text);
		return;
	}
	for (unsigned n = 0; *at; at++) {
		n += (*at & 0xc0) != 0x80;
		if (n >= width)
			break;
	}
	buf__add(out, text, (size_t)(at - text));
	buf__puts(out, "…");
}

static bool shows_module(const struct report *r, const struct group_row *row)
{
	for (size_t k = 0; k < r->n_keys && r->shape == GROUP_KEYS; k++) {
		if (r->keys[k].kind == KEY_MODULE)
			return false;
	}
	return row->module;
}

static void put_name(const struct table *t, uint32_t number)
{
	const struct report *r = t->r;
	const struct group_row *row = &r->group->rows[number];
	unsigned width = name_width(t), indent = 2 * (row->level - 1);
	_cleanup_(buf__done) struct buf text = {0};
	const char *name = group__text(r->group, row->text);
	const char *module = group__text(r->group, row->module);

	if (indent > width / 2)
		indent = width / 2;
	escape_name(&text, name);
	if (row->inlined && !row->own)
		buf__puts(&text, " (inlined)");
	if (shows_module(r, row) && *name != '[') {
		buf__puts(&text, "  ");
		escape_name(&text, module);
	}
	buf__printf(t->out, "%*s", (int)indent, "");
	put_cut(t->out, text.len ? text.data : "", width - indent);
	buf__putc(t->out, '\n');
}

static void put_right(struct buf *out, const char *text, unsigned width)
{
	unsigned n = text_columns(text);

	buf__printf(out, "%*s%s  ", n < width ? (int)(width - n) : 0, "", text);
}

static const char *color_of(const struct table *t, const struct column *c, uint32_t row)
{
	double whole = fabs((double)group__total(t->r->group, 0)[c->type]), share;
	const int64_t *values = c->total ? group__total(t->r->group, row) :
					   group__self(t->r->group, row);

	if (!t->r->color || c->kind != COL_SHARE || !(whole > 0))
		return NULL;
	share = (double)values[c->type] / whole;
	return share >= 0.05 ? "\033[31m" : share >= 0.005 ? "\033[32m" : NULL;
}

static void put_row(const struct table *t, uint32_t row)
{
	_cleanup_(buf__done) struct buf cell = {0};

	for (size_t i = 0; i < t->n; i++) {
		const char *color = color_of(t, &t->columns[i], row);

		buf__clear(&cell);
		put_cell(t, &t->columns[i], row, &cell);
		buf__puts(t->out, color ? color : "");
		put_right(t->out, cell.data, t->columns[i].width);
		buf__puts(t->out, color ? "\033[0m" : "");
	}
	put_name(t, row);
}

static void put_titles(const struct table *t)
{
	size_t end;

	buf__puts(t->out, t->r->color ? "\033[1m" : "");
	for (size_t i = 0; i < t->n; i = end) {
		_cleanup_(buf__done) struct buf name = {0};
		unsigned width = group_width(t, i, &end);

		escaped_event(t, &t->columns[i], &name);
		buf__printf(t->out, "%s%*s", name.len ? name.data : "",
			    end < t->n ?
				    (int)(width - text_columns(name.len ? name.data : "")) + 2 :
				    0,
			    "");
	}
	buf__putc(t->out, '\n');
	for (size_t i = 0; i < t->n; i++)
		put_right(t->out, t->columns[i].title, t->columns[i].width);
	if (t->r->shape != GROUP_KEYS)
		buf__puts(t->out, t->r->shape == GROUP_CALLS ? "calls" : "callers");
	for (size_t k = 0; t->r->shape == GROUP_KEYS && k < t->r->n_keys; k++) {
		buf__puts(t->out, k ? " > " : "");
		escape_name(t->out, t->r->keys[k].word);
	}
	buf__printf(t->out, "%s\n", t->r->color ? "\033[0m" : "");
}

void report__table(const struct report *r, struct buf *out)
{
	_cleanup_(table__done) struct table t = {.r = r, .out = out};
	const struct group *g = r->group;

	if (!r->prof->n_samples) {
		buf__puts(out,
			  r->whole->n_samples ? "no sample is left\n" : "there are no samples\n");
		return;
	}
	add_columns(&t);
	measure_cells(&t);
	fit_events(&t);
	drop_columns(&t);
	put_titles(&t);
	for (size_t i = 0; i < g->n_order; i++) {
		size_t before = out->len;

		put_row(&t, g->order[i]);
		if (report__is_full(r, i, before, out))
			break;
	}
	if (g->n_hidden)
		buf__printf(out, "… and %zu more (--limit, --min-share)\n", g->n_hidden);
}

void report__text(const struct report *r, struct buf *out)
{
	report__head(r, out);
	report__table(r, out);
}
