// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What of each count was inside of windows, and where the rest of it was. */
#include <inttypes.h>
#include <math.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "model/duration.h"
#include "render/escape.h"
#include "render/json.h"
#include "render/probed.h"
#include "render/stat.h"

enum { NAME_WIDTH = 24, COUNT_WIDTH = 14 };

struct place {
	const struct event *event;
	struct inside_counts counts;
	uint64_t windows; /* whose counts are inside */
	uint64_t apart;   /* that it didn't count in all the time */
	double empty;     /* of a window with nothing in it; NAN: not known */
};

/* In stretches, which begin before it is over; a task's own counter has stopped by then. */
static bool switches_count(const struct event *event)
{
	enum { SW_CGROUP_SWITCHES = 11 };

	return event->unit == UNIT_NS || event->attr.type != PERF_TYPE_SOFTWARE ||
	       event->attr.config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
	       event->attr.config == PERF_COUNT_SW_CPU_MIGRATIONS ||
	       event->attr.config == SW_CGROUP_SWITCHES;
}

static bool place(const struct stat_report *r, size_t counter, struct place *ret)
{
	struct stat_series s;
	uint64_t all;

	if (!stat__series(r, PMB_SERIES_PAIR + counter, &s))
		return false;
	all = (uint64_t)(count__scaled(&r->counts->cells[r->work->event[counter]]) + 0.5);
	*ret = (struct place){
		.event = s.event,
		.counts = work_counts__inside(r->work, counter, all, switches_count(s.event),
					      r->interval),
		.windows = s.n,
		.apart = s.apart,
		.empty = distribution__quantile(s.empty, 0.5),
	};
	return true;
}

static uint64_t total(const struct stat_report *r, enum pmb_series series)
{
	return r->work->of[PMB_UNITS_REAL][series].sum;
}

static uint64_t n_windows(const struct stat_report *r)
{
	return distribution__n(&r->work->of[PMB_UNITS_REAL][PMB_SERIES_DURATION]);
}

/* Of runs, all of it is. */
static uint64_t on_cpu(const struct stat_report *r)
{
	bool apart = distribution__n(&r->work->of[PMB_UNITS_REAL][PMB_SERIES_CPU]) > 0;

	return total(r, apart ? PMB_SERIES_CPU : PMB_SERIES_DURATION);
}

/* Of what was counted while probes were in place. */
static double share(const struct inside_counts *c)
{
	int64_t all = (int64_t)(c->all - c->unwatched);

	return all > 0 ? 100 * (double)c->inside / (double)all : (double)NAN;
}

static double estimate(const struct inside_counts *c)
{
	return share(c) / 100 * (double)c->all;
}

/* ---- text ---- */

static void put_count(struct buf *out, int64_t count, bool ns)
{
	if (ns)
		buf__printf(out, " %*.3f", COUNT_WIDTH, (double)count / 1e6);
	else
		buf__printf(out, " %*" PRId64, COUNT_WIDTH, count);
}

/* Of all, for the share is of the rest of it. */
static void put_unwatched(struct buf *out, const struct inside_counts *c, bool ns)
{
	double unit = ns ? 1e6 : 1;

	if (c->unwatched && isnan(share(c)))
		buf__puts(out, "  # all of it while no probe was in place");
	else if (c->unwatched)
		buf__printf(out,
			    "  # %.*f while no probe was in place; inside of all about %.*f, an "
			    "estimate",
			    ns ? 3 : 0, (double)c->unwatched / unit, ns ? 3 : 0,
			    estimate(c) / unit);
}

/* What of all is inside, by what may be. */
static void put_bounds(struct buf *out, const struct inside_counts *c)
{
	int64_t all = (int64_t)(c->all - c->unwatched);

	if (c->partly && all > 0)
		buf__printf(out, "  # %.1f to %.1f %% is inside", share(c),
			    100 * (double)(c->inside + c->partly) / (double)all);
}

static void put_place(const struct stat_report *r, const struct place *p, struct buf *out)
{
	_cleanup_(buf__done) struct buf name = {0};
	bool ns = p->event->unit == UNIT_NS;
	const struct inside_counts *c = &p->counts;

	stat__line_begins(r, out);
	escape_name(&name, p->event->name);
	if (ns)
		buf__puts(&name, ", ms");
	buf__printf(out, "%-*s", NAME_WIDTH, name.data);
	put_count(out, c->inside, ns);
	if (isnan(share(c)))
		buf__puts(out, "       -");
	else
		buf__printf(out, "%*s%.1f %%",
			    share(c) < 10  ? 3 :
			    share(c) < 100 ? 2 :
					     1,
			    c->unwatched ? "~" : "", share(c));
	put_count(out, r->work->by_process ? c->partly : c->others, ns);
	put_count(out, c->outside, ns);
	put_count(out, c->rest, ns);
	put_count(out, (int64_t)c->all, ns);
	put_unwatched(out, c, ns);
	put_bounds(out, c);
	if (p->apart)
		buf__printf(out, "  # without %" PRIu64 " in which it didn't count all the time",
			    p->apart);
	else if (!c->whole)
		buf__puts(out, "  # it didn't count all the time");
	else if (!c->balanced)
		buf__puts(out, "  # this doesn't add up");
	buf__putc(out, '\n');
}

static void put_head(const struct stat_report *r, struct buf *out)
{
	const char *second = r->work->by_process ? "partly" : "other windows";
	const char *const heads[] = {second, "outside", "rest", "all"};

	stat__line_begins(r, out);
	buf__printf(out, "%-*s %*s   of it", NAME_WIDTH, "", COUNT_WIDTH, "inside");
	for (size_t i = 0; i < ARRAY_SIZE(heads); i++)
		buf__printf(out, " %*s", COUNT_WIDTH, heads[i]);
	buf__putc(out, '\n');
}

static void put_windows(const struct stat_report *r, struct buf *out)
{
	char clock[DURATION_TEXT], cpu[DURATION_TEXT], longer[DURATION_TEXT];
	const struct pmb_work_stats *stats = &r->work->stats;

	duration_text(total(r, PMB_SERIES_DURATION), clock);
	duration_text(on_cpu(r), cpu);
	duration_text(r->longer_ns, longer);
	stat__line_begins(r, out);
	buf__puts(out, "inside of ");
	escape_name(out, r->per);
	buf__printf(out, ": %" PRIu64 " windows%s of %" PRIu64 " that began, %s long", n_windows(r),
		    r->work->by_process ? " of processes" : "", (uint64_t)stats->began, clock);
	if (!r->work->by_process)
		buf__printf(out, ", %s on a CPU", cpu);
	if (stats->quick)
		buf__printf(out, ", %" PRIu64 " shorter than %s", (uint64_t)stats->quick, longer);
	stat__uncounted_text(r, out);
	if (stats->unseen)
		buf__printf(out, ", %" PRIu64 " stretches of a thread's time not told",
			    (uint64_t)stats->unseen);
	if (stats->partly)
		buf__printf(out,
			    ", %" PRIu64 " stretches of a thread's time in which another opened or "
			    "closed one",
			    (uint64_t)stats->partly);
	buf__putc(out, '\n');
	stat__probed_text(r, n_windows(r), out);
}

void stat__inside_text(const struct stat_report *r, struct buf *out)
{
	struct place p;

	if (!r->interval)
		buf__putc(out, '\n');
	put_windows(r, out);
	if (r->first)
		put_head(r, out);
	for (size_t i = 0; place(r, i, &p); i++)
		put_place(r, &p, out);
	if (!r->first)
		return;
	stat__empty_text(r, out);
	if (!r->interval)
		probed__spent_text(&r->work->probed, "  ", out);
	stat__apart_refused(r, r->work_tried, "inside of", r->per, out);
}

/* ---- CSV ---- */

void stat__inside_csv(const struct stat_report *r, const char *sep, struct buf *out)
{
	struct place p;

	for (size_t i = 0; place(r, i, &p); i++) {
		const struct inside_counts *c = &p.counts;
		_cleanup_(buf__done) struct buf name = {0};

		stat__csv_time(r, sep, out);
		buf__printf(out, "%" PRId64 "%s%s%s", c->inside, sep,
			    p.event->unit == UNIT_NS ? "ns" : "", sep);
		buf__printf(&name, "%s in %s", p.event->name, r->per);
		stat__csv_field(name.data, sep, out);
		buf__printf(out,
			    "%s%" PRIu64 "%s%" PRId64 "%s%" PRId64 "%s%" PRId64 "%s%" PRIu64 "\n",
			    sep, p.windows, sep, r->work->by_process ? c->partly : c->others, sep,
			    c->outside, sep, c->rest, sep, c->all);
	}
}

/* ---- JSON ---- */

static void put_events(const struct stat_report *r, struct json *j)
{
	struct place p;

	json__arr(j, "events");
	for (size_t i = 0; place(r, i, &p); i++) {
		const struct inside_counts *c = &p.counts;

		json__obj(j, NULL);
		json__str(j, "name", p.event->name);
		json__bool(j, "ns", p.event->unit == UNIT_NS);
		json__i64(j, "inside", c->inside);
		json__i64(j, "other_windows", c->others);
		json__i64(j, "partly", c->partly);
		json__i64(j, "outside", c->outside);
		json__i64(j, "rest", c->rest);
		json__u64(j, "all", c->all);
		json__u64(j, "unseen", c->unseen);
		json__u64(j, "unwatched", c->unwatched);
		json__f64(j, "estimated", estimate(c), 0);
		json__u64(j, "windows", p.windows);
		json__u64(j, "apart", p.apart);
		json__bool(j, "all_the_time", c->whole);
		json__bool(j, "balanced", c->balanced);
		json__f64(j, "empty", p.empty, 1);
		json__end_obj(j);
	}
	json__end_arr(j);
}

void stat__inside_json(const struct stat_report *r, struct json *j)
{
	const struct pmb_work_stats *stats = &r->work->stats;

	json__obj(j, "window");
	json__str(j, "window", r->per);
	json__str(j, "scope", r->work->by_process ? "process" : "thread");
	json__u64(j, "began", stats->began);
	json__u64(j, "counted", n_windows(r));
	json__u64(j, "shorter", stats->quick);
	stat__uncounted_json(r, j);
	json__u64(j, "stretches_not_told", stats->unseen);
	json__u64(j, "stretches_partly", stats->partly);
	json__u64(j, "duration_ns", total(r, PMB_SERIES_DURATION));
	if (r->work->by_process)
		json__null(j, "on_cpu_ns");
	else
		json__u64(j, "on_cpu_ns", on_cpu(r));
	json__u64(j, "longer_ns", r->longer_ns);
	put_events(r, j);
	stat__apart_not_counted(r, r->work_tried, j);
	json__f64(j, "pair_ns",
		  distribution__quantile(&r->work->of[PMB_UNITS_EMPTY][PMB_SERIES_PAIR], 0.5), 1);
	json__end_obj(j);
}
