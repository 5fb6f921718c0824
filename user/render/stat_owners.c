// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Whose the CPUs' counts are: a row each, as text, as CSV and as JSON. */
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "render/escape.h"
#include "render/json.h"
#include "render/stat.h"

enum { MAX_NAME = 60, VALUE_WIDTH = 16, PERCENT_WIDTH = 7 };

struct owner_counter {
	const struct event *event;
	uint64_t sum; /* of the rows */
	const struct perf_count *count;
};

static struct owner_counter counter_of(const struct stat_report *r, size_t i)
{
	struct owner_counter ret = {
		.event = &r->events->events[r->owners->event[i]],
		.count = &r->owners->counter[i],
	};

	for (size_t k = 0; k < r->owner_lines->n; k++)
		ret.sum += r->owner_lines->list[k].count[i];
	return ret;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* Of programs it may be anything. */
static void put_name(const struct owner_line *line, struct buf *out)
{
	if (line->given)
		buf__puts(out, line->name);
	else
		escape_name(out, line->name);
}

static int name_width(const struct stat_report *r)
{
	size_t width = 16;

	for (size_t i = 0; i < r->owner_lines->n; i++) {
		_cleanup_(buf__done) struct buf name = {0};

		put_name(&r->owner_lines->list[i], &name);
		if (name.len > width)
			width = name.len;
	}
	return (int)(width < MAX_NAME ? width : MAX_NAME);
}

static void put_prefix(const struct stat_report *r, struct buf *out)
{
	if (r->interval)
		buf__printf(out, "%12.6f ", (double)r->counts->to_ns / 1e9);
	else
		buf__puts(out, "  ");
}

static void put_value(struct buf *out, uint64_t value, const struct event *event)
{
	char text[32];

	if (event->unit == UNIT_NS)
		snprintf(text, sizeof(text), "%.2f ms", (double)value / 1e6);
	else
		snprintf(text, sizeof(text), "%" PRIu64, value);
	buf__printf(out, " %*s", VALUE_WIDTH, text);
}

static void put_head(const struct stat_report *r, int width, struct buf *out)
{
	_cleanup_free_ char *by = xasprintf("by %s", r->by);

	put_prefix(r, out);
	buf__printf(out, "%-*s", width, by);
	for (size_t i = 0; i < r->owners->n_counters; i++)
		buf__printf(out, " %*s %*s", VALUE_WIDTH, counter_of(r, i).event->name,
			    PERCENT_WIDTH, "%");
	buf__putc(out, '\n');
}

static void put_line(const struct stat_report *r, const struct owner_line *line, int width,
		     struct buf *out)
{
	_cleanup_(buf__done) struct buf name = {0};

	put_name(line, &name);
	put_prefix(r, out);
	buf__printf(out, "%-*s", width, name.data ? name.data : "");
	for (size_t i = 0; i < r->owners->n_counters; i++) {
		struct owner_counter counter = counter_of(r, i);

		put_value(out, line->count[i], counter.event);
		buf__printf(out, " %*.2f", PERCENT_WIDTH,
			    percent(line->count[i], counter.count->value));
	}
	buf__putc(out, '\n');
}

/* Those beyond the limit are one line; what isn't a program always has its own. */
static void put_lines(const struct stat_report *r, int width, struct buf *out)
{
	struct owner_line more = {.given = true};
	size_t left_out = 0;

	for (size_t i = 0; i < r->owner_lines->n; i++) {
		const struct owner_line *line = &r->owner_lines->list[i];

		if (line->given && left_out) {
			more.name = xasprintf("[%zu more]", left_out);
			put_line(r, &more, width, out);
			free(more.name);
			left_out = 0;
		}
		if (line->given || !r->limit || i < r->limit) {
			put_line(r, line, width, out);
			continue;
		}
		left_out++;
		for (size_t k = 0; k < PMB_MAX_READS; k++)
			more.count[k] += line->count[k];
	}
	if (left_out) {
		more.name = xasprintf("[%zu more]", left_out);
		put_line(r, &more, width, out);
		free(more.name);
	}
}

/* That nothing is missing, and what the figures are worth. */
static void put_sums(const struct stat_report *r, struct buf *out)
{
	for (size_t i = 0; i < r->owners->n_counters; i++) {
		struct owner_counter counter = counter_of(r, i);

		buf__printf(out, "  %s: all rows are %" PRIu64 ", the CPUs' counters %" PRIu64,
			    counter.event->name, counter.sum, counter.count->value);
		if (counter.count->running_ns < counter.count->enabled_ns)
			buf__printf(out, ", which ran %.2f %% of the time",
				    count__share(counter.count));
		buf__putc(out, '\n');
	}
	if (r->owners->no_room)
		buf__printf(out, "  [other]: there was no row left for it, %" PRIu64 " times\n",
			    r->owners->no_room);
}

static void put_refused(const struct stat_report *r, struct buf *out)
{
	for (size_t i = 0; i < r->events->n; i++) {
		if (r->tried[i].ok && !r->owners_tried[i].ok)
			buf__printf(out, "  %s by %s: %s\n", r->events->events[i].name, r->by,
				    r->owners_tried[i].reason);
	}
}

void stat__owners_text(const struct stat_report *r, struct buf *out)
{
	int width = name_width(r);

	if (!r->interval)
		buf__putc(out, '\n');
	put_head(r, width, out);
	put_lines(r, width, out);
	if (!r->interval)
		put_sums(r, out);
	if (r->first)
		put_refused(r, out);
}

void stat__owners_csv(const struct stat_report *r, const char *separator, struct buf *out)
{
	for (size_t at = 0; at < r->owner_lines->n * r->owners->n_counters; at++) {
		const struct owner_line *line = &r->owner_lines->list[at / r->owners->n_counters];
		size_t i = at % r->owners->n_counters;
		struct owner_counter counter = counter_of(r, i);

		stat__csv_time(r, separator, out);
		if (counter.event->unit == UNIT_NS)
			buf__printf(out, "%.2f%smsec%s", (double)line->count[i] / 1e6, separator,
				    separator);
		else
			buf__printf(out, "%" PRIu64 "%s%s", (uint64_t)line->count[i], separator,
				    separator);
		stat__csv_field(counter.event->name, separator, out);
		buf__puts(out, separator);
		stat__csv_field(line->name, separator, out);
		buf__printf(out, "%s%.2f%s%.2f\n", separator,
			    percent(line->count[i], counter.count->value), separator,
			    count__share(counter.count));
	}
}

static void put_counters(const struct stat_report *r, struct json *j)
{
	json__arr(j, "counters");
	for (size_t i = 0; i < r->owners->n_counters; i++) {
		struct owner_counter counter = counter_of(r, i);

		json__obj(j, NULL);
		json__str(j, "name", counter.event->name);
		json__u64(j, "value", counter.count->value);
		json__u64(j, "rows", counter.sum);
		json__u64(j, "enabled_ns", counter.count->enabled_ns);
		json__u64(j, "running_ns", counter.count->running_ns);
		json__end_obj(j);
	}
	json__end_arr(j);
	json__arr(j, "not_counted");
	for (size_t i = 0; i < r->events->n; i++) {
		if (r->owners_tried[i].ok)
			continue;
		json__obj(j, NULL);
		json__str(j, "name", r->events->events[i].name);
		json__str(j, "why", r->owners_tried[i].reason);
		json__end_obj(j);
	}
	json__end_arr(j);
}

void stat__owners_json(const struct stat_report *r, struct json *j)
{
	json__obj(j, "by");
	json__str(j, "key", r->by);
	put_counters(r, j);
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
