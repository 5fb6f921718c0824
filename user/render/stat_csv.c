// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* perf's columns, so that what reads `perf stat -x` reads this. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "render/escape.h"
#include "render/probed.h"
#include "render/stat.h"

struct csv {
	const struct stat_report *report;
	const char *sep;
	struct buf *out;
};

/* Names are hostile, and event texts have commas. */
void stat__csv_plain(const char *plain, const char *separator, struct buf *out)
{
	if (!strchr(plain, '"') && !strstr(plain, separator)) {
		buf__puts(out, plain);
		return;
	}
	buf__putc(out, '"');
	for (const char *p = plain; *p; p++) {
		if (*p == '"')
			buf__putc(out, '"');
		buf__putc(out, *p);
	}
	buf__putc(out, '"');
}

void stat__csv_field(const char *text, const char *separator, struct buf *out)
{
	_cleanup_(buf__done) struct buf plain = {0};

	escape_name(&plain, text);
	if (plain.data)
		stat__csv_plain(plain.data, separator, out);
}

void stat__csv_time(const struct stat_report *report, const char *separator, struct buf *out)
{
	if (report->interval)
		buf__printf(out, "%.9f%s", (double)report->counts->to_ns / 1e9, separator);
}

static void field(const struct csv *csv, const char *text)
{
	stat__csv_field(text, csv->sep, csv->out);
}

static void prefix(const struct csv *csv, const struct counts_row *row)
{
	stat__csv_time(csv->report, csv->sep, csv->out);
	if (row->cpu >= 0)
		buf__printf(csv->out, "CPU%d%s", row->cpu, csv->sep);
	if (row->tid >= 0) {
		_cleanup_(buf__done) struct buf task = {0};

		buf__printf(&task, "%s-%d", row->comm, row->tid);
		field(csv, task.data);
		buf__puts(csv->out, csv->sep);
	}
}

static void put_value(const struct csv *csv, const struct stat_cell *cell, bool clock)
{
	if (cell->status == STAT_NOT_SUPPORTED)
		buf__printf(csv->out, "<not supported>%s", csv->sep);
	else if (cell->status == STAT_NOT_COUNTED)
		buf__printf(csv->out, "<not counted>%s%s", csv->sep, clock ? "msec" : "");
	else if (clock)
		buf__printf(csv->out, "%.2f%smsec", cell->mean / 1e6, csv->sep);
	else
		buf__printf(csv->out, "%.0f%s", cell->mean, csv->sep);
	buf__puts(csv->out, csv->sep);
}

static void put_event(const struct csv *csv, const struct counts_row *row, size_t event,
		      const struct stat_cell *cell)
{
	_cleanup_(buf__done) struct buf name = {0};

	put_value(csv, cell, csv->report->events->events[event].unit == UNIT_NS);
	stat__event_name(csv->report->events, event, &name);
	field(csv, name.data);
	buf__puts(csv->out, csv->sep);
	if (row->cgroup) {
		field(csv, row->cgroup);
		buf__puts(csv->out, csv->sep);
	}
	if (csv->report->spreads)
		buf__printf(csv->out, "%.2f%%%s", cell->spread_percent, csv->sep);
	buf__printf(csv->out, "%" PRIu64 "%s%.2f%s", cell->count->running_ns / csv->report->runs,
		    csv->sep, count__share(cell->count), csv->sep);
}

/* A second figure of an event has a line of its own, with the columns before it empty. */
static void skip_event(const struct csv *csv, const struct counts_row *row)
{
	int n = 5 + (row->cgroup != NULL) + (csv->report->spreads != NULL);

	prefix(csv, row);
	while (n-- > 0)
		buf__puts(csv->out, csv->sep);
}

static void put_row(const struct csv *csv, size_t index)
{
	_cleanup_free_ struct derived *figures = NULL;
	const struct counts_row *row = &csv->report->counts->rows[index];
	size_t n = stat__figures(csv->report, index, &figures), k = 0;

	for (size_t i = 0; i < csv->report->events->n; i++) {
		struct stat_cell cell = stat__cell(csv->report, index, i);
		size_t first = k;

		if (!cell.here)
			continue;
		prefix(csv, row);
		put_event(csv, row, i, &cell);
		if (k == n || figures[k].event != i)
			buf__printf(csv->out, "%s\n", csv->sep);
		for (; k < n && figures[k].event == i; k++) {
			if (k > first)
				skip_event(csv, row);
			buf__printf(csv->out, "%.3f%s%s%s\n", figures[k].value, csv->sep,
				    figures[k].apart ? "~ " : "", derived_texts[figures[k].kind]);
		}
	}
}

static void put_probed(const struct stat_report *r, const char *sep, struct buf *out)
{
	const struct probed *p = &r->work->probed;
	_cleanup_(buf__done) struct buf name = {0};

	if (!is_sliced(p))
		return;
	stat__csv_time(r, sep, out);
	buf__printf(out, "%.2f%s%%%s", 100 * (double)p->on_ns / (double)p->span_ns, sep, sep);
	buf__printf(&name, "probes of %s in place", r->per);
	stat__csv_field(name.data, sep, out);
	buf__putc(out, '\n');
}

/* A series of units of work: mean, unit, what per unit, units, units left out, spread, p50, p90,
 * p99. */
static void put_series(const struct csv *csv, const struct stat_series *s)
{
	static const double quantiles[] = {0.5, 0.9, 0.99};
	_cleanup_(buf__done) struct buf name = {0};

	if (!s->n && !s->apart)
		return;
	stat__csv_time(csv->report, csv->sep, csv->out);
	buf__printf(csv->out, "%.3f%s%s%s", distribution__mean(s->real), csv->sep,
		    s->ns ? "ns" : "", csv->sep);
	buf__printf(&name, "%s per %s", s->key, csv->report->per);
	field(csv, name.data);
	buf__printf(csv->out, "%s%" PRIu64 "%s%" PRIu64 "%s%.3f", csv->sep, s->n, csv->sep,
		    s->apart, csv->sep, distribution__sd(s->real));
	for (size_t i = 0; i < ARRAY_SIZE(quantiles); i++)
		buf__printf(csv->out, "%s%.1f", csv->sep,
			    distribution__quantile(s->real, quantiles[i]));
	buf__putc(csv->out, '\n');
}

void stat__csv(const struct stat_report *report, const char *separator, struct buf *out)
{
	const struct csv csv = {report, separator, out};
	struct stat_series series;

	for (size_t i = 0; i < report->counts->n_rows; i++)
		put_row(&csv, i);
	if (report->work)
		put_probed(report, separator, out);
	if (report->work && report->inside)
		stat__inside_csv(report, separator, out);
	for (size_t i = 0; report->work && !report->inside && stat__series(report, i, &series); i++)
		put_series(&csv, &series);
	if (report->owners)
		stat__owners_csv(report, separator, out);
}
