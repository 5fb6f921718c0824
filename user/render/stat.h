/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counts as text for people, as CSV in perf's columns, and as JSON. Pure: from a report to bytes.
 */
#ifndef PMUBPF_RENDER_STAT_H
#define PMUBPF_RENDER_STAT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "model/counts.h"
#include "model/derive.h"
#include "model/owners.h"
#include "model/work.h"
#include "pmu/event.h"
#include "pmu/probe.h"
#include "sys/processor.h"

/* Of a relation that is watched, in an interval. */
struct stat_alarm_news {
	const char *relation; /* 'Y ~ X' */
	bool counted;         /* both */
	double y, x;
	bool watches, raised; /* it has learnt what is usual; it isn't */
	double since_s, percent;
};

struct stat_report {
	const struct event_list *events;
	const struct probe_result *tried; /* per event: ok, or why it is not counted */
	const struct counts *counts;      /* with several runs: their sums */
	unsigned runs;
	const struct spread *spreads; /* of each cell over the runs; NULL for one run */
	const struct spread *elapsed; /* seconds; NULL for one run */
	const char *whom;             /* "'make -j2'", "the system" */
	bool interval;                /* one of several: the time stands in each line */
	bool first;                   /* of the intervals, or the only one */
	bool has_usage;
	uint64_t user_ns, system_ns;
	char *const *command_line; /* of pmubpf itself, NULL-terminated */
	const char *notes;         /* lines; may be NULL */
	struct processor_loss loss;
	/* What units of work cost, and which events could be counted for them; NULL: nobody
	 * asks. */
	const struct work_counts *work;
	const struct probe_result *work_tried;
	const char *per;               /* what a unit is called */
	uint64_t throttled_ns, gpu_ns; /* of intervals: struct verdict_times */
	bool inside;        /* of work: only the sums are wanted, beside what is outside */
	uint64_t longer_ns; /* only units that last as long */
	/* Whose the CPUs' counts are, and which events could be counted so; NULL: nobody asks. */
	const struct owners *owners;
	const struct owner_lines *owner_lines;
	const struct probe_result *owners_tried;
	const char *by;                       /* "process" */
	const struct stat_alarm_news *alarms; /* of intervals */
	size_t n_alarms;
};

void stat__text(const struct stat_report *report, struct buf *out);
/* value, unit, event, [cgroup,] [spread,] time running, percentage of the time, figure, its
 * unit. */
void stat__csv(const struct stat_report *report, const char *separator, struct buf *out);
/* A document; for an interval, one line of JSON Lines. */
void stat__json(const struct stat_report *report, struct buf *out);

/* ---- what the three share ---- */

enum stat_status { STAT_COUNTED, STAT_NOT_COUNTED, STAT_NOT_SUPPORTED };
struct stat_cell {
	enum stat_status status;
	const char *why; /* if not counted: in words */
	bool here;       /* false: supported, but not on this row's CPU */
	const struct perf_count *count;
	double mean; /* scaled, of a run */
	double spread_percent;
	bool false_zero; /* it says 0, and that can't be */
};
struct stat_cell stat__cell(const struct stat_report *report, size_t row, size_t event);

/* The figures of a row, in the order of events. The caller frees. */
size_t stat__figures(const struct stat_report *report, size_t row, struct derived **ret);

/* Of a line of text of what is told apart: the time of an interval, or a margin. */
void stat__line_begins(const struct stat_report *report, struct buf *out);
/* Events that are counted, but not so ("per", "loop"): a line each with the reason; and a member
 * "not_counted" of the object that is open, with those that aren't counted at all, too. */
struct json;
void stat__apart_refused(const struct stat_report *report, const struct probe_result *tried,
			 const char *how, const char *what, struct buf *out);
void stat__apart_not_counted(const struct stat_report *report, const struct probe_result *tried,
			     struct json *j);

/* Its name, with its PMU where several count under one name. */
void stat__event_name(const struct event_list *events, size_t event, struct buf *out);

/* The series of units, in the order in which they are printed; false: there is no such. */
struct stat_series {
	const char *name, *key;
	const struct event *event; /* NULL: a time of the unit itself */
	const struct pmb_distribution *real, *empty;
	uint64_t n, apart; /* units, and those left out because it didn't count all the time */
	bool ns;
};
bool stat__series(const struct stat_report *report, size_t index, struct stat_series *ret);
/* What an interval's units were bound by: a line; and a member "verdict". */
void stat__verdict_text(const struct stat_report *report, struct buf *out);
void stat__verdict_json(const struct stat_report *report, struct json *j);
void stat__work_text(const struct stat_report *report, struct buf *out);
/* A member "per" of the object that is open. */
void stat__work_json(const struct stat_report *report, struct json *j);

/* What of each count was inside of windows: a table, lines of CSV, and a member "window". */
void stat__inside_text(const struct stat_report *report, struct buf *out);
/* A line each: inside, unit, "EVENT in WINDOW", windows, others, outside, rest, all. */
void stat__inside_csv(const struct stat_report *report, const char *separator, struct buf *out);
void stat__inside_json(const struct stat_report *report, struct json *j);
/* What the measurement itself takes: a line. */
void stat__empty_text(const struct stat_report *report, struct buf *out);
/* For how long probes were in place, if not all the time, and what follows for n units. */
void stat__probed_text(const struct stat_report *r, uint64_t n, struct buf *out);
/* ", 3 unsure: …": what became of those that aren't counted. */
void stat__uncounted_text(const struct stat_report *report, struct buf *out);
void stat__uncounted_json(const struct stat_report *report, struct json *j);

/* A name as a field; the time of an interval, with the separator. */
void stat__csv_field(const char *text, const char *separator, struct buf *out);
/* The same of what is escaped already. */
void stat__csv_plain(const char *plain, const char *separator, struct buf *out);
void stat__csv_time(const struct stat_report *report, const char *separator, struct buf *out);

/* Whose the CPUs' counts are. */
void stat__owners_text(const struct stat_report *report, struct buf *out);
/* A line each: value, unit, event, whose, percent of the counter, percent of the time that it ran.
 */
void stat__owners_csv(const struct stat_report *report, const char *separator, struct buf *out);
/* A member "by" of the object that is open. */
void stat__owners_json(const struct stat_report *report, struct json *j);

#endif
