// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Instructions in the order of their addresses, with the source line above them where it changes.
 * What is far from any sample is one line, so that the hot places of a long function are seen.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "render/code.h"
#include "render/escape.h"
#include "render/jumps.h"
#include "render/report_head.h"

enum {
	NEAR_ROWS = 8,    /* shown on either side of one with samples */
	HOT_LINES = 10,   /* in the table of lines */
	SHARE_WIDTH = 7,  /* of a percentage, */
	COUNT_WIDTH = 10, /* and of samples */
	SOURCE_BYTES = 400,
	TAB = 8,
};

struct table {
	const struct code_view *v;
	bool *hidden; /* events that have no samples here, and ratios of such */
	struct buf *out;
	unsigned *widths; /* of columns: each event's, each ratio's */
	bool *shown;
	struct jumps jumps;
};

static size_t n_columns(const struct report *r)
{
	return r->n_events + r->n_ratios;
}

/* ---- head */

/* As it is: a name isn't a part of a folded line here. */
static void put_line(struct buf *out, const char *key, const char *text)
{
	report__put_key(key, out);
	escape_line(out, text);
	buf__putc(out, '\n');
}

/* Each line of the notes on its own. */
static void put_notes(const struct buf *notes, struct buf *out)
{
	for (const char *at = notes->data; at && *at;) {
		_cleanup_free_ char *line = xstrndup(at, strcspn(at, "\n"));

		put_line(out, "note", line);
		at += strlen(line);
		at += *at == '\n';
	}
}

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
		put_line(out, "profile", r->files[i]);
	put_line(out, "function", prof__text(p, f->name));
	report__put_key("file", out);
	escape_name(out, prof__text(p, f->file));
	if (f->build_id) {
		buf__puts(out, ", build-id ");
		escape_name(out, prof__text(p, f->build_id));
	}
	buf__putc(out, '\n');
	if (v->path && strcmp(v->path, prof__text(p, f->file)) != 0)
		put_line(out, "read", v->path);
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

/* ---- sources */

/* Tabs are blanks; what is long is cut. */
static void put_source(const struct table *t, const char *text)
{
	_cleanup_(buf__done) struct buf plain = {0}, safe = {0};

	for (const char *at = text; *at && plain.len < SOURCE_BYTES; at++) {
		if (*at == '\t')
			buf__printf(&plain, "%*s", (int)(TAB - plain.len % TAB), "");
		else
			buf__putc(&plain, *at);
	}
	if (!plain.len)
		return;
	escape_line(&safe, plain.data);
	buf__printf(t->out, "  %s", safe.data);
}

static void put_place(const struct table *t, const char *file, uint32_t line)
{
	_cleanup_free_ char *text = sources__line(t->v->sources, file, line);

	if (!file || !line) {
		buf__puts(t->out, "(line not known)");
		return;
	}
	escape_name(t->out, base_name(file));
	buf__printf(t->out, ":%" PRIu32, line);
	if (text)
		put_source(t, text);
}

static void put_lines(struct table *t)
{
	const struct code_view *v = t->v;

	put_titles(t, "line");
	for (size_t i = 0; i < v->n_lines && (v->all || i < HOT_LINES); i++) {
		put_cells(t, v->lines[i].values);
		put_place(t, v->lines[i].file, v->lines[i].line);
		buf__putc(t->out, '\n');
	}
	if (v->n_lines > HOT_LINES && !v->all)
		buf__printf(t->out, "… and %zu more lines (--all)\n", v->n_lines - HOT_LINES);
	put_cells(t, v->points->sums);
	buf__puts(t->out, "(all)\n");
}

/* ---- instructions */

static void choose_rows(struct table *t)
{
	const struct code_view *v = t->v;

	t->shown = xcalloc(v->n, sizeof(*t->shown));
	for (size_t i = 0; i < v->n; i++) {
		size_t from = i > NEAR_ROWS ? i - NEAR_ROWS : 0;

		for (size_t k = from; k < v->n && k <= i + NEAR_ROWS && v->rows[i].values; k++)
			t->shown[k] = true;
		t->shown[i] |= v->all;
	}
}

static bool find_row(const struct code_view *v, uint64_t address, size_t *ret)
{
	size_t low = 0, high = v->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (v->rows[mid].address < address)
			low = mid + 1;
		else
			high = mid;
	}
	while (low < v->n && v->rows[low].address == address && !v->rows[low].insn)
		low++;
	*ret = low;
	return low < v->n && v->rows[low].address == address;
}

static void find_jumps(struct table *t)
{
	const struct code_view *v = t->v;

	for (size_t i = 0; i < v->n; i++) {
		const struct listing_row *insn = v->rows[i].insn;
		size_t to;

		if (insn && insn->flow == LISTING_JUMP && insn->target &&
		    find_row(v, insn->target, &to) && to != i && (t->shown[i] || t->shown[to]))
			jumps__add(&t->jumps, i, to);
	}
	jumps__settle(&t->jumps);
}

static bool same_place(const struct code_row *a, const struct code_row *b)
{
	return a->line == b->line && a->n_frames == b->n_frames &&
	       (a->frames == b->frames || (a->n_frames < 2 && a->file == b->file));
}

/* The line that follows, and the calls that were inlined there, innermost first. */
static void put_heading(const struct table *t, const struct code_row *row)
{
	put_cells(t, NULL);
	put_place(t, row->file, row->line);
	for (size_t i = row->n_frames; i > 1; i--) {
		const char *name = row->frames[i - 1].function;

		buf__puts(t->out, i == row->n_frames ? "  (inlined: " : " in ");
		escape_name(t->out, name ? name : "?");
	}
	buf__puts(t->out, row->n_frames > 1 ? ")\n" : "\n");
}

static void put_row(const struct table *t, size_t i)
{
	const struct code_row *row = &t->v->rows[i];

	put_cells(t, row->values);
	buf__printf(t->out, "%8" PRIx64 " ", row->address - t->v->base);
	jumps__draw(&t->jumps, i, t->out);
	buf__putc(t->out, ' ');
	if (row->insn && row->insn->text)
		escape_line(t->out, row->insn->text);
	else if (!row->insn && t->v->path)
		buf__puts(t->out, "(no instruction begins here)");
	while (t->out->data[t->out->len - 1] == ' ')
		t->out->data[--t->out->len] = '\0';
	buf__putc(t->out, '\n');
}

static size_t put_gap(const struct table *t, size_t i)
{
	size_t end = i;

	while (end < t->v->n && !t->shown[end])
		end++;
	put_cells(t, NULL);
	buf__printf(t->out, "%8s ", "…");
	if (i)
		jumps__draw_between(&t->jumps, i - 1, t->out);
	else
		buf__printf(t->out, "%*s", JUMPS_WIDTH, "");
	buf__printf(t->out, " %zu instructions without samples nearby (--all)\n", end - i);
	return end;
}

static void put_code(struct table *t)
{
	const struct code_row *before = NULL;

	choose_rows(t);
	find_jumps(t);
	put_titles(t, "address and instruction, below its line");
	for (size_t i = 0; i < t->v->n;) {
		const struct code_row *row = &t->v->rows[i];

		if (!t->shown[i]) {
			i = put_gap(t, i);
			before = NULL;
			continue;
		}
		if (!before || !same_place(before, row))
			put_heading(t, row);
		put_row(t, i++);
		before = row;
	}
}

void code_view__text(const struct code_view *v, struct buf *out)
{
	_cleanup_(buf__done) struct buf body = {0};
	struct table t = {.v = v, .out = &body};

	measure(&t);
	put_lines(&t);
	if (code_kind__has_instructions(v->function->kind))
		put_code(&t);
	put_head(v, out); /* what is noted about sources is known now */
	put_notes(&v->notes, out);
	put_notes(&v->sources->notes, out);
	buf__add(out, body.data, body.len);
	jumps__done(&t.jumps);
	free(t.widths);
	free(t.hidden);
	free(t.shown);
}
