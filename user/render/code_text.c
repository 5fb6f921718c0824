// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "render/code.h"
#include "render/escape.h"
#include "render/report_head.h"

enum {
	HOT_LINES = 10,   /* in the table of lines */
	SHARE_WIDTH = 7,  /* of a percentage, */
	COUNT_WIDTH = 10, /* and of samples */
};

struct table {
	const struct code_view *v;
	bool *hidden; /* events that have no samples here, and ratios of such */
	struct buf *out;
	unsigned *widths; /* of columns: each event's, each ratio's */
};

static size_t n_columns(const struct report *r)
{
	return r->n_events + r->n_ratios;
}

/* ---- head */

static const char *place_of(const struct code_view *v, const struct prof_event *e)
{
	const char *nearness = code_view__nearness(v, e);

	if (!nearness)
		return "the recording doesn't say whether exact or near";
	return strcmp(nearness, "exact") == 0 ?
		       "exact: the instruction is the event's own" :
		       "near: the instruction is the event's own or one after it";
}

static void put_event(const struct code_view *v, const struct prof_event *e, struct buf *out)
{
	const struct report *r = v->report;
	size_t type = report_event__type(e);
	int64_t sum = v->points->sums[type], inlined = v->points->inlined[type];
	double whole = 0;

	for (size_t i = 0; i < r->prof->n_samples; i++)
		whole += (double)prof__values(r->prof, i)[type];
	report__put_key("event", out);
	escape_name(out, e->name);
	buf__printf(out, ": %" PRId64 " ", sum);
	escape_name(out, prof__text(r->prof, r->prof->types[type].unit));
	if (e->samples != PROF_NO_TYPE && type != e->samples)
		buf__printf(out, " in %" PRId64 " samples", v->points->sums[e->samples]);
	if (whole > 0)
		buf__printf(out, ", %.2f %% of the event", 100 * (double)sum / whole);
	if (inlined && sum)
		buf__printf(out, "; %.2f %% of it in what was inlined",
			    100 * (double)inlined / (double)sum);
	buf__printf(out, "; %s\n", place_of(v, e));
}

static void put_head(const struct code_view *v, struct buf *out)
{
	const struct report *r = v->report;
	const struct prof *p = r->prof;
	const struct code_function *f = v->function;

	report__put_warnings(r->whole, "", r->events, r->n_events, report__but(r), out);
	for (size_t i = 0; i < r->n_files; i++)
		code_head__line("profile", r->files[i], out);
	code_head__line("function", code_function__text(f, p), out);
	report__put_key("file", out);
	escape_name(out, prof__text(p, f->file));
	if (f->build_id) {
		buf__puts(out, ", build-id ");
		escape_name(out, prof__text(p, f->build_id));
	}
	buf__putc(out, '\n');
	if (v->path && strcmp(v->path, prof__text(p, f->file)) != 0)
		code_head__line("read", v->path, out);
	for (size_t i = 0; i < r->n_events; i++)
		put_event(v, &r->events[i], out);
	if (r->n_ratios)
		buf__printf(out,
			    "# %-9s ~ fewer than %d samples in a part; [with 95 %% confidence]\n",
			    "ratios", RATIO_FEW);
}

/* ---- columns */

static void put_right(struct buf *out, const char *text, unsigned width)
{
	unsigned n = text_columns(text);

	buf__printf(out, "%*s%s", n < width ? (int)(width - n) : 0, "", text);
}

static double share_of(const struct code_view *v, size_t event, const int64_t *values)
{
	size_t type = report_event__type(&v->report->events[event]);
	int64_t whole = v->points->sums[type];

	return whole ? (double)values[type] / (double)whole : 0;
}

static int64_t count_of(const struct code_view *v, size_t event, const int64_t *values)
{
	const struct prof_event *e = &v->report->events[event];

	return values[e->samples != PROF_NO_TYPE ? e->samples : report_event__type(e)];
}

/* Of an event without samples there nothing: zeros would hide the others. */
static void put_event_cell(const struct table *t, size_t event, const int64_t *values)
{
	double share;
	const char *color;

	if (!values || !values[report_event__type(&t->v->report->events[event])]) {
		buf__printf(t->out, "%*s", (int)t->widths[event], "");
		return;
	}
	share = share_of(t->v, event, values);
	color = !t->v->report->color ? "" :
		share >= 0.05        ? "\033[31m" :
		share >= 0.005       ? "\033[32m" :
				       "";
	buf__printf(t->out, "%s%*.2f%*" PRId64 "%s", color, (int)(t->widths[event] - COUNT_WIDTH),
		    100 * share, COUNT_WIDTH, count_of(t->v, event, values),
		    *color ? "\033[0m" : "");
}

static void put_cells(const struct table *t, const int64_t *values)
{
	const struct report *r = t->v->report;

	for (size_t i = 0; i < r->n_events; i++) {
		buf__puts(t->out, i && !t->hidden[i] ? " " : "");
		if (!t->hidden[i])
			put_event_cell(t, i, values);
	}
	for (size_t i = 0; i < r->n_ratios; i++) {
		_cleanup_(buf__done) struct buf cell = {0};

		if (t->hidden[r->n_events + i])
			continue;
		if (values)
			report_ratio__text(r, &r->ratios[i], values, &cell);
		buf__putc(t->out, ' ');
		put_right(t->out, values && strcmp(cell.data, "-") != 0 ? cell.data : "",
			  t->widths[r->n_events + i]);
	}
	buf__puts(t->out, "  ");
}

static void measure_ratio(struct table *t, size_t ratio, const int64_t *values)
{
	const struct report *r = t->v->report;
	unsigned *width = &t->widths[r->n_events + ratio];
	_cleanup_(buf__done) struct buf cell = {0};

	if (!values)
		return;
	report_ratio__text(r, &r->ratios[ratio], values, &cell);
	if (text_columns(cell.data) > *width)
		*width = text_columns(cell.data);
}

/* But the first event, so that there is one. */
static void hide_empty(struct table *t)
{
	const struct report *r = t->v->report;

	t->hidden = xcalloc(n_columns(r), sizeof(*t->hidden));
	for (size_t i = 1; i < r->n_events; i++)
		t->hidden[i] = !t->v->points->sums[report_event__type(&r->events[i])];
	for (size_t i = 0; i < r->n_ratios; i++)
		t->hidden[r->n_events + i] = t->hidden[r->ratios[i].event] ||
					     t->hidden[r->ratios[i].other];
}

static void measure(struct table *t)
{
	const struct report *r = t->v->report;

	hide_empty(t);
	t->widths = xcalloc(n_columns(r), sizeof(*t->widths));
	for (size_t i = 0; i < r->n_events; i++) {
		_cleanup_(buf__done) struct buf name = {0};

		escape_name(&name, r->events[i].name);
		t->widths[i] = SHARE_WIDTH + COUNT_WIDTH;
		if (name.len && text_columns(name.data) > t->widths[i])
			t->widths[i] = text_columns(name.data);
	}
	for (size_t i = 0; i < r->n_ratios; i++) {
		t->widths[r->n_events + i] = text_columns(derived_titles[r->ratios[i].kind]);
		measure_ratio(t, i, t->v->points->sums);
		for (size_t k = 0; k < t->v->n; k++)
			measure_ratio(t, i, t->v->rows[k].values);
		for (size_t k = 0; k < t->v->n_lines; k++)
			measure_ratio(t, i, t->v->lines[k].values);
	}
}

static void put_titles(const struct table *t, const char *what)
{
	const struct report *r = t->v->report;

	buf__puts(t->out, r->color ? "\n\033[1m" : "\n");
	for (size_t i = 0; i < r->n_events; i++) {
		_cleanup_(buf__done) struct buf name = {0};

		if (t->hidden[i])
			continue;
		escape_name(&name, r->events[i].name);
		buf__puts(t->out, i ? " " : "");
		put_right(t->out, name.len ? name.data : "", t->widths[i]);
	}
	buf__putc(t->out, '\n');
	for (size_t i = 0; i < r->n_events; i++) {
		if (!t->hidden[i])
			buf__printf(t->out, "%s%*s%*s", i ? " " : "",
				    (int)(t->widths[i] - COUNT_WIDTH), "%", COUNT_WIDTH,
				    r->events[i].samples != PROF_NO_TYPE ? "samples" : "count");
	}
	for (size_t i = 0; i < r->n_ratios; i++) {
		if (t->hidden[r->n_events + i])
			continue;
		buf__putc(t->out, ' ');
		put_right(t->out, derived_titles[r->ratios[i].kind], t->widths[r->n_events + i]);
	}
	buf__printf(t->out, "  %s%s\n", what, r->color ? "\033[0m" : "");
}

/* ---- lines and instructions */

static void put_lines(struct table *t)
{
	const struct code_view *v = t->v;

	put_titles(t, "line");
	for (size_t i = 0; i < v->n_lines && (v->all || i < HOT_LINES); i++) {
		put_cells(t, v->lines[i].values);
		code_place__text(v->sources, v->lines[i].file, v->lines[i].line, t->out);
		buf__putc(t->out, '\n');
	}
	if (v->n_lines > HOT_LINES && !v->all)
		buf__printf(t->out, "… and %zu more lines (--all)\n", v->n_lines - HOT_LINES);
	put_cells(t, v->points->sums);
	buf__puts(t->out, "(all)\n");
}

static void put_row_cells(void *ctx, const struct code_row *row, struct buf *out)
{
	(void)out; /* the table's */
	put_cells(ctx, row ? row->values : NULL);
}

static void put_code(struct table *t)
{
	const struct code_view *v = t->v;
	const struct code_rows rows = {
		.list = v->rows,
		.n = v->n,
		.base = v->base,
		.path = v->path,
		.sources = v->sources,
		.all = v->all,
		.far = "samples",
		.put_cells = put_row_cells,
		.ctx = t,
	};

	put_titles(t, "address and instruction, below its line");
	code_rows__text(&rows, t->out);
}

void code_view__text(const struct code_view *v, struct buf *out)
{
	_cleanup_(buf__done) struct buf body = {0}, notes = {0};
	struct table t = {.v = v, .out = &body};

	measure(&t);
	put_lines(&t);
	if (code_function__has_instructions(v->function))
		put_code(&t);
	put_head(v, out); /* what is noted about sources is known now */
	code_head__notes(&v->notes, out);
	sources__notes(v->sources, &notes);
	code_head__notes(&notes, out);
	buf__add(out, body.data, body.len);
	free(t.widths);
	free(t.hidden);
}
