// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "render/escape.h"
#include "render/loss.h"
#include "render/stat.h"

enum { VALUE_WIDTH = 18 };

struct text {
	const struct stat_report *report;
	struct buf *out;
	int label_width, name_width;
	bool apart, idle, ghz; /* what was printed, and needs a footnote */
};

/* Whole numbers by thousands: 1,234,567. */
static void grouped(struct buf *out, double value)
{
	_cleanup_free_ char *digits = xasprintf("%.0f", value);
	size_t len = strlen(digits);

	for (size_t i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			buf__putc(out, ',');
		buf__putc(out, digits[i]);
	}
}

static void put_label(const struct counts_row *row, struct buf *out)
{
	if (row->cgroup)
		escape_name(out, row->cgroup);
	if (row->tid >= 0) {
		escape_name(out, row->comm);
		buf__printf(out, "-%d", row->tid);
	}
	if (row->cpu >= 0)
		buf__printf(out, "%sCPU%d", out->len ? " " : "", row->cpu);
}

/* name='…' may have anything in it. */
static void put_event_name(const struct event_list *events, size_t event, struct buf *out)
{
	_cleanup_(buf__done) struct buf name = {0};

	stat__event_name(events, event, &name);
	escape_name(out, name.data);
}

static int wider(int width, const struct buf *text)
{
	return (int)text->len > width ? (int)text->len : width;
}

static void measure(struct text *t)
{
	const struct stat_report *r = t->report;

	t->name_width = 24;
	for (size_t i = 0; i < r->counts->n_rows; i++) {
		_cleanup_(buf__done) struct buf label = {0};

		put_label(&r->counts->rows[i], &label);
		t->label_width = wider(t->label_width, &label);
	}
	for (size_t i = 0; i < r->events->n; i++) {
		_cleanup_(buf__done) struct buf name = {0};

		put_event_name(r->events, i, &name);
		t->name_width = wider(t->name_width, &name);
	}
}

static void put_prefix(const struct text *t, const struct counts_row *row)
{
	_cleanup_(buf__done) struct buf label = {0};

	if (t->report->interval)
		buf__printf(t->out, "%12.6f ", (double)t->report->counts->to_ns / 1e9);
	put_label(row, &label);
	if (t->label_width)
		buf__printf(t->out, "%-*s ", t->label_width, label.data);
}

static void put_value(const struct text *t, const struct stat_cell *cell, bool clock)
{
	_cleanup_(buf__done) struct buf value = {0};

	if (cell->status == STAT_NOT_SUPPORTED)
		buf__puts(&value, "<not supported>");
	else if (cell->status == STAT_NOT_COUNTED)
		buf__puts(&value, "<not counted>");
	else if (clock)
		buf__printf(&value, "%.2f", cell->mean / 1e6);
	else if (t->report->runs > 1 && cell->mean < 1000)
		buf__printf(&value, "%.1f", cell->mean);
	else
		grouped(&value, cell->mean);
	buf__printf(t->out, "%*s %s ", VALUE_WIDTH, value.data,
		    clock && cell->status == STAT_COUNTED ? "ms" : "  ");
}

static void put_figure(struct text *t, const struct derived *f, const char *before)
{
	int decimals = f->kind == DERIVED_PER_SECOND ? 1 : f->kind == DERIVED_MPKI ? 2 : 3;

	buf__printf(t->out, "%s%s%.*f %s", before, f->apart ? "~" : "", decimals, f->value,
		    derived_texts[f->kind]);
	t->apart |= f->apart;
	t->idle |= f->kind == DERIVED_GHZ_IDLE;
	t->ghz |= f->kind == DERIVED_GHZ;
}

/* Figures, and how much to believe them. */
static void put_remarks(struct text *t, size_t event, const struct stat_cell *cell,
			const struct derived *figures, size_t n)
{
	const char *before = "# ";

	for (size_t i = 0; i < n; i++) {
		if (figures[i].event != event)
			continue;
		put_figure(t, &figures[i], before);
		before = ", ";
	}
	if (cell->why)
		buf__printf(t->out, "# %s", cell->why);
	if (cell->false_zero)
		buf__puts(t->out, "# the machine accepts it and counts nothing");
	if (cell->count->running_ns && cell->count->running_ns < cell->count->enabled_ns)
		buf__printf(t->out, "  (scaled: ran %.2f %% of the time)",
			    count__share(cell->count));
	if (t->report->spreads && cell->status == STAT_COUNTED)
		buf__printf(t->out, "  (± %.2f %%)", cell->spread_percent);
}

static void put_row(struct text *t, size_t index)
{
	_cleanup_free_ struct derived *figures = NULL;
	const struct stat_report *r = t->report;
	size_t n = stat__figures(r, index, &figures);

	for (size_t i = 0; i < r->events->n; i++) {
		_cleanup_(buf__done) struct buf name = {0};
		struct stat_cell cell = stat__cell(r, index, i);

		/* what can't be had is no different in the next row */
		if (!cell.here || (cell.status == STAT_NOT_SUPPORTED && (index || !r->first)))
			continue;
		put_prefix(t, &r->counts->rows[index]);
		put_value(t, &cell, r->events->events[i].unit == UNIT_NS);
		put_event_name(r->events, i, &name);
		buf__printf(t->out, "%-*s ", t->name_width, name.data);
		put_remarks(t, i, &cell, figures, n);
		while (t->out->data[t->out->len - 1] == ' ')
			t->out->data[--t->out->len] = '\0';
		buf__putc(t->out, '\n');
	}
}

/* Each reason once, with all the events that it keeps out. */
static void put_reasons(const struct text *t)
{
	const struct stat_report *r = t->report;

	for (size_t i = 0; i < r->events->n; i++) {
		const struct probe_result *tried = &r->tried[i];
		bool said = tried->ok;

		for (size_t k = 0; k < i; k++)
			said |= !r->tried[k].ok && strcmp(r->tried[k].reason, tried->reason) == 0;
		if (said)
			continue;
		buf__puts(t->out, "  ");
		for (size_t k = i; k < r->events->n; k++) {
			if (r->tried[k].ok || strcmp(r->tried[k].reason, tried->reason) != 0)
				continue;
			buf__puts(t->out, k > i ? ", " : "");
			put_event_name(r->events, k, t->out);
		}
		buf__printf(t->out, ": %s\n", tried->reason);
	}
}

static void put_user_only(const struct text *t)
{
	const struct stat_report *r = t->report;
	bool any = false;

	for (size_t i = 0; i < r->events->n; i++) {
		if (!r->tried[i].ok || !r->tried[i].user_only)
			continue;
		buf__puts(t->out, any ? ", " : "  ");
		escape_name(t->out, r->events->events[i].name);
		any = true;
	}
	if (any)
		buf__puts(t->out, ": user code only, more is not permitted (root, or sysctl "
				  "kernel.perf_event_paranoid=1)\n");
}

static bool any_false_zero(const struct stat_report *r)
{
	for (size_t i = 0; i < r->counts->n_rows; i++) {
		for (size_t k = 0; k < r->events->n; k++) {
			if (stat__cell(r, i, k).false_zero)
				return true;
		}
	}
	return false;
}

static void put_footnotes(const struct text *t)
{
	if (t->apart)
		buf__puts(t->out, "  ~ its two parts did not run together all the time: each is "
				  "scaled by its own\n");
	if (t->ghz)
		buf__puts(t->out, "  GHz effective: cycles / task-clock\n");
	if (t->idle)
		buf__puts(t->out, "  GHz with idle time: cycles / task-clock, which goes on while "
				  "a CPU is idle\n");
	if (any_false_zero(t->report))
		buf__puts(t->out, "  An event opened, ran and stayed 0 where something was "
				  "executed: the hypervisor accepts it and does not count\n");
	escape_lines(t->out, "  ", t->report->notes);
}

static void put_time(const struct text *t)
{
	const struct stat_report *r = t->report;

	buf__printf(t->out, "  %.6f s elapsed",
		    (double)(r->counts->to_ns - r->counts->from_ns) / 1e9 / r->runs);
	if (r->elapsed)
		buf__printf(t->out, " (± %.2f %%)", spread__percent(r->elapsed));
	if (r->has_usage)
		buf__printf(t->out, ", %.6f s user, %.6f s system",
			    (double)r->user_ns / 1e9 / r->runs,
			    (double)r->system_ns / 1e9 / r->runs);
	buf__putc(t->out, '\n');
}

static void put_title(const struct text *t)
{
	const struct stat_report *r = t->report;

	buf__puts(t->out, "Counts of ");
	escape_name(t->out, r->whom);
	if (r->runs > 1)
		buf__printf(t->out, ", the mean of %u runs", r->runs);
	buf__puts(t->out, r->interval ? ", by seconds since the start:\n" : ":\n");
}

void stat__text(const struct stat_report *report, struct buf *out)
{
	struct text t = {.report = report, .out = out};

	measure(&t);
	if (report->first)
		put_title(&t);
	for (size_t i = 0; i < report->counts->n_rows; i++)
		put_row(&t, i);
	if (!report->interval)
		put_time(&t);
	if (!report->interval)
		loss__text(&report->loss, out);
	if (report->work && report->inside)
		stat__inside_text(report, out);
	else if (report->work)
		stat__work_text(report, out);
	if (report->owners)
		stat__owners_text(report, out);
	if (!report->first)
		return;
	put_reasons(&t);
	put_user_only(&t);
	put_footnotes(&t);
}
