// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What units of work cost, as text and as JSON. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "model/duration.h"
#include "render/escape.h"
#include "render/json.h"
#include "render/probed.h"
#include "render/stat.h"

enum { NAME_WIDTH = 24, FIGURE_WIDTH = 10, BAR = 40 };

static const double quantiles[] = {0.5, 0.9, 0.99};
static const char *const quantile_names[] = {"p50", "p90", "p99"};

static void put_figure(struct buf *out, double value, bool ns)
{
	char text[DURATION_TEXT] = "-";

	if (!isnan(value) && ns)
		duration_text((uint64_t)(value + 0.5), text);
	else if (!isnan(value))
		snprintf(text, sizeof(text), value < 1000 ? "%.2f" : "%.0f", value);
	buf__printf(out, " %*s", FIGURE_WIDTH, text);
}

static void put_series(const struct stat_report *r, const struct stat_series *s, struct buf *out)
{
	_cleanup_(buf__done) struct buf name = {0};

	stat__line_begins(r, out);
	escape_name(&name, s->name);
	buf__printf(out, "%-*s", NAME_WIDTH, name.data);
	put_figure(out, distribution__mean(s->real), s->ns);
	put_figure(out, distribution__sd(s->real), s->ns);
	for (size_t i = 0; i < ARRAY_SIZE(quantiles); i++)
		put_figure(out, distribution__quantile(s->real, quantiles[i]), s->ns);
	if (s->apart)
		buf__printf(out, "  # of %" PRIu64 ": in %" PRIu64 " it didn't count all the time",
			    s->n, s->apart);
	buf__putc(out, '\n');
}

static void put_number(struct buf *out, uint64_t n, const char *what)
{
	if (n)
		buf__printf(out, ", %" PRIu64 " %s", n, what);
}

void stat__uncounted_text(const struct stat_report *r, struct buf *out)
{
	const struct pmb_work_stats *stats = &r->work->stats;

	put_number(out, stats->caught, "of all ended by an exception");
	put_number(out, stats->unsure, "unsure: the kernel didn't tell of their switches");
	put_number(out, stats->abandoned, "abandoned (end not seen)");
	put_number(out, work_counts__open(r->work), "still open");
	put_number(out, stats->nested, "nested");
	put_number(out, stats->no_room, "without room");
	put_number(out, r->work->missed,
		   "beginnings, ends or switches missed: some counted units may be several");
}

/* Of n units, how many there were in all. An estimate, where probes weren't in place all the
 * time. */
static struct probed_estimate estimate(const struct stat_report *r, uint64_t n)
{
	const struct probed *p = &r->work->probed;
	const struct pmb_work_stats *s = &r->work->stats;

	if (!is_sliced(p))
		return (struct probed_estimate){(double)n, (double)n, (double)n};
	/* each has a beginning and an end */
	return probed__estimate(p, n, 2 * (s->began + s->nested));
}

static const char *why_unknown(const struct probed *p)
{
	if (!p->cpu_on_ns)
		return "probes slow down who meets them";
	if (p->spent_on_ns > p->cpu_on_ns / 2)
		return "while probes were in place they took most of the CPU time of who met them";
	return "that is too little, or its parts differ too much";
}

void stat__probed_text(const struct stat_report *r, uint64_t n, struct buf *out)
{
	const struct probed *p = &r->work->probed;
	_cleanup_(buf__done) struct buf then = {0};
	struct probed_estimate e;

	if (!is_sliced(p))
		return;
	e = estimate(r, n);
	if (isnan(e.least))
		buf__puts(&then, "how many there were isn't known");
	else if (isnan(e.likely))
		buf__printf(&then,
			    "if all of it was like that there were at least %.0f, and how many "
			    "more can't be known: %s; each is counted with 0",
			    e.least, why_unknown(p));
	else
		buf__printf(&then,
			    "in all of it there were about %.0f, an estimate: %.0f to %.0f, by the "
			    "CPU time that probes left to who met them",
			    e.likely, e.least, e.most);
	stat__line_begins(r, out);
	probed__slices_text(p, "", then.data, out);
}

/* How many there were, and what became of the others. */
static void put_units(const struct stat_report *r, uint64_t n, struct buf *out)
{
	stat__line_begins(r, out);
	buf__puts(out, "per ");
	escape_name(out, r->per);
	buf__printf(out, ": %" PRIu64 " of %" PRIu64 " that began", n,
		    (uint64_t)r->work->stats.began);
	stat__uncounted_text(r, out);
	buf__putc(out, '\n');
	stat__probed_text(r, n, out);
}

static void put_head(const struct stat_report *r, struct buf *out)
{
	static const char *const heads[] = {"mean", "sd", "p50", "p90", "p99"};

	stat__line_begins(r, out);
	buf__printf(out, "%-*s", NAME_WIDTH, "");
	for (size_t i = 0; i < ARRAY_SIZE(heads); i++)
		buf__printf(out, " %*s", FIGURE_WIDTH, heads[i]);
	buf__putc(out, '\n');
}

/* How many units lasted how long. */
static void put_histogram(const struct pmb_distribution *d, struct buf *out)
{
	uint64_t counts[DURATION_CLASSES], most = 0;
	unsigned first = DURATION_CLASSES, last = 0;

	for (unsigned i = 0; i < DURATION_CLASSES; i++) {
		counts[i] = distribution__by_power(d, i);
		if (!counts[i])
			continue;
		first = i < first ? i : first;
		last = i;
		most = counts[i] > most ? counts[i] : most;
	}
	for (unsigned i = first; most && i <= last; i++) {
		char text[DURATION_TEXT];
		int bar = (int)((double)counts[i] * BAR / (double)most + 0.5);

		duration_class_text(i, false, text);
		buf__printf(out, "  %20s %12" PRIu64 " |", text, counts[i]);
		for (int k = 0; k < bar; k++)
			buf__putc(out, '#');
		buf__putc(out, '\n');
	}
}

/* What of the figures is the measurement's own. The middle: some met an interrupt. */
void stat__empty_text(const struct stat_report *r, struct buf *out)
{
	char text[DURATION_TEXT];
	const struct pmb_distribution *pair = &r->work->of[PMB_UNITS_EMPTY][PMB_SERIES_PAIR];
	struct stat_series s;

	if (!distribution__n(pair))
		return;
	buf__puts(out, "  with nothing in it:");
	for (size_t i = 0; stat__series(r, i, &s); i++) {
		double middle = distribution__quantile(s.empty, 0.5);

		if (isnan(middle) || middle <= 0)
			continue;
		if (s.ns) {
			duration_text((uint64_t)(middle + 0.5), text);
			buf__printf(out, " %s %s,", s.name, text);
		} else {
			buf__printf(out, " %s %.0f,", s.name, middle);
		}
	}
	duration_text((uint64_t)(distribution__quantile(pair, 0.5) + 0.5), text);
	buf__printf(out, " and opening and closing it takes %s\n", text);
}

void stat__work_text(const struct stat_report *r, struct buf *out)
{
	const struct pmb_distribution *durations = &r->work->of[PMB_UNITS_REAL][0];
	struct stat_series s;

	if (!r->interval)
		buf__putc(out, '\n');
	put_units(r, distribution__n(durations), out);
	if (r->first)
		put_head(r, out);
	for (size_t i = 0; stat__series(r, i, &s); i++) {
		bool nothing = (i == PMB_SERIES_IO || i == PMB_SERIES_AWAY) && !s.real->sum;

		if ((s.n || s.apart) && !nothing)
			put_series(r, &s, out);
	}
	if (r->interval)
		stat__verdict_text(r, out);
	else
		put_histogram(durations, out);
	if (!r->first)
		return;
	stat__empty_text(r, out);
	if (!r->interval)
		probed__spent_text(&r->work->probed, "  ", out);
	stat__apart_refused(r, r->work_tried, "per", r->per, out);
}

/* ---- JSON ---- */

static void put_distribution(struct json *j, const struct stat_series *s)
{
	json__u64(j, "units", s->n);
	json__u64(j, "apart", s->apart);
	json__u64(j, "sum", s->real->sum);
	json__f64(j, "mean", distribution__mean(s->real), 3);
	json__f64(j, "sd", distribution__sd(s->real), 3);
	for (size_t i = 0; i < ARRAY_SIZE(quantiles); i++)
		json__f64(j, quantile_names[i], distribution__quantile(s->real, quantiles[i]), 1);
	json__f64(j, "empty", distribution__quantile(s->empty, 0.5), 1);
}

void stat__uncounted_json(const struct stat_report *r, struct json *j)
{
	const struct pmb_work_stats *stats = &r->work->stats;

	json__u64(j, "unsure", stats->unsure);
	json__u64(j, "abandoned", stats->abandoned);
	json__u64(j, "caught", stats->caught);
	json__u64(j, "open", work_counts__open(r->work));
	json__u64(j, "nested", stats->nested);
	json__u64(j, "no_room", stats->no_room);
	json__u64(j, "missed", r->work->missed);
	json__bool(j, "all_the_time", !is_sliced(&r->work->probed));
	probed__json(&r->work->probed, j);
}

static void put_estimate(struct json *j, struct probed_estimate e)
{
	json__f64(j, "estimated", e.likely, 0);
	json__f64(j, "estimated_least", e.least, 0);
	json__f64(j, "estimated_most", e.most, 0);
}

void stat__work_json(const struct stat_report *r, struct json *j)
{
	const struct pmb_distribution *durations = &r->work->of[PMB_UNITS_REAL][0];
	struct stat_series s;

	json__obj(j, "per");
	json__str(j, "unit", r->per);
	json__u64(j, "began", r->work->stats.began);
	json__u64(j, "ended", distribution__n(durations));
	put_estimate(j, estimate(r, distribution__n(durations)));
	stat__uncounted_json(r, j);
	json__arr(j, "series");
	for (size_t i = 0; stat__series(r, i, &s); i++) {
		if (i == PMB_SERIES_AWAY && !s.n)
			continue; /* they are no goroutines' */
		json__obj(j, NULL);
		json__str(j, "series", s.key);
		json__bool(j, "ns", s.ns);
		put_distribution(j, &s);
		json__end_obj(j);
	}
	json__end_arr(j);
	stat__apart_not_counted(r, r->work_tried, j);
	if (r->interval)
		stat__verdict_json(r, j);
	json__arr(j, "by_duration");
	for (unsigned i = 0; i < DURATION_CLASSES; i++)
		json__u64(j, NULL, distribution__by_power(durations, i));
	json__end_arr(j);
	json__f64(j, "pair_ns",
		  distribution__quantile(&r->work->of[PMB_UNITS_EMPTY][PMB_SERIES_PAIR], 0.5), 1);
	json__end_obj(j);
}
