// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Whose the CPUs' counts are: a row each, as text, as CSV and as JSON. */
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "render/escape.h"
#include "render/json.h"
#include "render/stat.h"

enum { MAX_NAME = 60, VALUE_WIDTH = 16, PERCENT_WIDTH = 7 };

static const struct event *event_of(const struct stat_report *r, size_t counter)
{
	return &r->events->events[r->owners->event[counter]];
}

static const char *name_of(const struct stat_report *r, size_t counter)
{
	return r->owners->of_waits && !counter ? "run-queue wait" : event_of(r, counter)->name;
}

static bool is_time(const struct stat_report *r, size_t counter)
{
	return (r->owners->of_waits && !counter) || event_of(r, counter)->unit == UNIT_NS;
}

static uint64_t sum_of_rows(const struct stat_report *r, size_t counter)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < r->owner_lines->n; i++)
		sum += r->owner_lines->list[i].count[counter];
	return sum;
}

static bool rows_are_programs(const struct stat_report *r)
{
	return strcmp(r->by, "process") == 0 || strcmp(r->by, "comm") == 0;
}

/* Of programs it may be anything; none may pass for what isn't one. */
static void put_name(const struct stat_report *r, const struct owner_line *line, struct buf *out)
{
	const char *name = line->name;

	if (!line->given && *name == '[' && rows_are_programs(r)) {
		buf__puts(out, "\\x5b");
		name++;
	}
	if (line->given)
		buf__puts(out, name);
	else
		escape_name(out, name);
}

static int name_width(const struct stat_report *r)
{
	size_t width = 16;

	for (size_t i = 0; i < r->owner_lines->n; i++) {
		_cleanup_(buf__done) struct buf name = {0};

		put_name(r, &r->owner_lines->list[i], &name);
		if (name.len > width)
			width = name.len;
	}
	return (int)(width < MAX_NAME ? width : MAX_NAME);
}

static void put_value(struct buf *out, uint64_t value, bool ns)
{
	char text[32];

	if (ns)
		snprintf(text, sizeof(text), "%.2f ms", (double)value / 1e6);
	else
		snprintf(text, sizeof(text), "%" PRIu64, value);
	buf__printf(out, " %*s", VALUE_WIDTH, text);
}

static void put_head(const struct stat_report *r, int width, struct buf *out)
{
	_cleanup_free_ char *by = xasprintf("by %s", r->by);

	stat__line_begins(r, out);
	buf__printf(out, "%-*s", width, by);
	for (size_t i = 0; i < r->owners->n_counters; i++)
		buf__printf(out, " %*s %*s", VALUE_WIDTH, name_of(r, i), PERCENT_WIDTH, "%");
	buf__putc(out, '\n');
}

static void put_line(const struct stat_report *r, const struct owner_line *line, int width,
		     struct buf *out)
{
	_cleanup_(buf__done) struct buf name = {0};

	put_name(r, line, &name);
	stat__line_begins(r, out);
	buf__printf(out, "%-*s", width, name.data ? name.data : "");
	for (size_t i = 0; i < r->owners->n_counters; i++) {
		put_value(out, line->count[i], is_time(r, i));
		buf__printf(out, " %*.2f", PERCENT_WIDTH,
			    num__percent(line->count[i], r->owners->counter[i].value));
	}
	buf__putc(out, '\n');
}

/* What waits say of themselves, and what isn't known of them. */
static void put_waits(const struct stat_report *r, struct buf *out)
{
	const struct owner_waits *waits = &r->owners->waits;

	buf__printf(out,
		    "  run-queue wait: all rows are %" PRIu64 " ns, the waits themselves %" PRIu64
		    " ns%s\n",
		    sum_of_rows(r, 0), waits->all_ns,
		    sum_of_rows(r, 0) == waits->all_ns ? "" : ", and they should be the same");
	if (waits->lost)
		buf__printf(out,
			    "  the end of %" PRIu64
			    " waits was not told: up to %.2f ms of it may be "
			    "none\n",
			    waits->lost, (double)waits->lost_ns / 1e6);
	if (waits->unheld)
		buf__printf(out, "  for %" PRIu64 " waits there was no room: they are not in it\n",
			    waits->unheld);
}

/* That nothing is missing, and what the figures are worth. */
static void put_sums(const struct stat_report *r, struct buf *out)
{
	if (r->owners->of_waits)
		put_waits(r, out);
	for (size_t i = r->owners->of_waits; i < r->owners->n_counters; i++) {
		const struct perf_count *count = &r->owners->counter[i];

		buf__printf(out, "  %s%s: all rows are %" PRIu64, name_of(r, i),
			    r->owners->of_waits ? ", by who had the core's other thread" : "",
			    sum_of_rows(r, i));
		if (!r->owners->of_waits || count->value != sum_of_rows(r, i))
			buf__printf(out, ", the CPUs' counters %" PRIu64, count->value);
		if (count->running_ns < count->enabled_ns)
			buf__printf(out, ", which ran %.2f %% of the time", count__share(count));
		buf__putc(out, '\n');
	}
	if (r->owners->no_room)
		buf__printf(out, "  [other]: there was no row left for it, %" PRIu64 " times\n",
			    r->owners->no_room);
}

void stat__owners_text(const struct stat_report *r, struct buf *out)
{
	int width = name_width(r);

	if (!r->interval)
		buf__putc(out, '\n');
	put_head(r, width, out);
	for (size_t i = 0; i < r->owner_lines->n; i++)
		put_line(r, &r->owner_lines->list[i], width, out);
	if (!r->interval)
		put_sums(r, out);
	if (r->first && r->owners_tried)
		stat__apart_refused(r, r->owners_tried, "by", r->by, out);
}

static void put_csv(const struct stat_report *r, const struct owner_line *line, size_t i,
		    const char *separator, struct buf *out)
{
	const struct perf_count *count = &r->owners->counter[i];
	bool clock = is_time(r, i);
	_cleanup_(buf__done) struct buf name = {0};

	put_name(r, line, &name);
	stat__csv_time(r, separator, out);
	if (clock)
		buf__printf(out, "%.2f", (double)line->count[i] / 1e6);
	else
		buf__printf(out, "%" PRIu64, (uint64_t)line->count[i]);
	buf__printf(out, "%s%s%s", separator, clock ? "msec" : "", separator);
	stat__csv_field(name_of(r, i), separator, out);
	buf__puts(out, separator);
	stat__csv_plain(name.data ? name.data : "", separator, out);
	buf__printf(out, "%s%.2f%s%.2f\n", separator, num__percent(line->count[i], count->value),
		    separator, count__share(count));
}

void stat__owners_csv(const struct stat_report *r, const char *separator, struct buf *out)
{
	for (size_t k = 0; k < r->owner_lines->n; k++) {
		for (size_t i = 0; i < r->owners->n_counters; i++)
			put_csv(r, &r->owner_lines->list[k], i, separator, out);
	}
}

static void put_counters(const struct stat_report *r, struct json *j)
{
	json__arr(j, "counters");
	for (size_t i = 0; i < r->owners->n_counters; i++) {
		const struct perf_count *count = &r->owners->counter[i];

		json__obj(j, NULL);
		json__str(j, "name", name_of(r, i));
		json__u64(j, "value", count->value);
		json__u64(j, "rows", sum_of_rows(r, i));
		json__u64(j, "enabled_ns", count->enabled_ns);
		json__u64(j, "running_ns", count->running_ns);
		json__end_obj(j);
	}
	json__end_arr(j);
	if (r->owners_tried)
		stat__apart_not_counted(r, r->owners_tried, j);
}

static void put_json_waits(const struct owner_waits *waits, struct json *j)
{
	json__obj(j, "waits");
	json__u64(j, "wait_ns", waits->all_ns);
	json__u64(j, "not_told", waits->lost);
	json__u64(j, "not_told_ns", waits->lost_ns);
	json__u64(j, "no_room", waits->unheld);
	json__end_obj(j);
}

void stat__owners_json(const struct stat_report *r, struct json *j)
{
	if (r->owners->of_waits)
		json__null(j, "by");
	json__obj(j, r->owners->of_waits ? "neighbours" : "by");
	json__str(j, "key", r->by);
	put_counters(r, j);
	if (r->owners->of_waits)
		put_json_waits(&r->owners->waits, j);
	json__arr(j, "rows");
	for (size_t i = 0; i < r->owner_lines->n; i++) {
		const struct owner_line *line = &r->owner_lines->list[i];

		json__obj(j, NULL);
		json__str(j, "name", line->name);
		json__bool(j, "given", line->given);
		json__arr(j, "values");
		for (size_t k = 0; k < r->owners->n_counters; k++)
			json__u64(j, NULL, line->count[k]);
		json__end_arr(j);
		json__end_obj(j);
	}
	json__end_arr(j);
	json__u64(j, "no_room", r->owners->no_room);
	json__end_obj(j);
}
