// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Shares of the slots that a core has for instructions, by the formulas that were recorded with
 * their events (pmu/topdown_table.h). Of each event the samples are counted, which is a matter of
 * chance: how far the share goes with each count's standard deviation adds up to its own.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "advise/look.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/formula.h"
#include "base/mem.h"
#include "base/num.h"
#include "model/poisson.h"
#include "render/report_head.h"

enum { COUNTS_MAX = 64 };

struct count {
	char *name;
	struct sum sum;
	double period; /* the events of a sample */
};

struct topdown {
	const struct advice *advice;
	char *located; /* NULL: nothing is */
	struct formula *formula;
	struct count counts[COUNTS_MAX];
	size_t n;
	bool missing;
};

static void topdown__done(struct topdown *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->counts[i].name);
	formula__free(t->formula);
	free(t->located);
}

static const struct prof_event *find_event(const struct advice *a, const char *name)
{
	for (size_t i = 0; i < a->n_events; i++) {
		if (strcasecmp(a->events[i].name, name) == 0)
			return &a->events[i];
	}
	return NULL;
}

static struct weighing of_event(const struct prof_event *event)
{
	return (struct weighing){event, event->events, 0, TRAIT_RUNS};
}

static double period_of(const struct advice *a, const struct prof_event *event,
			const struct sum *sum)
{
	_cleanup_free_ char *text = report__event_remark(a->prof, event->name, " period=");
	uint64_t period = 0;

	if (sum->samples > 0)
		return sum->value / sum->samples;
	return text && num__parse_u64(text, &period) == 0 ? (double)period : 0;
}

static struct count *find_count(struct topdown *t, const char *name)
{
	for (size_t i = 0; i < t->n; i++) {
		if (strcasecmp(t->counts[i].name, name) == 0)
			return &t->counts[i];
	}
	return NULL;
}

static void count_event(void *ctx, const char *name)
{
	struct topdown *t = ctx;
	const struct prof_event *event = find_event(t->advice, name);
	struct weighing w;
	struct count *count;

	if (find_count(t, name))
		return;
	t->missing |= !event || event->events == PROF_NO_TYPE || event->samples == PROF_NO_TYPE ||
		      t->n == COUNTS_MAX;
	if (t->missing)
		return;
	w = of_event(event);
	count = &t->counts[t->n++];
	count->name = xstrdup(name);
	count->sum = advice__sum(t->advice, &w);
	count->period = period_of(t->advice, event, &count->sum);
}

static bool value_of(void *ctx, const char *name, double *ret)
{
	const struct count *count = find_count(ctx, name);

	if (count)
		*ret = count->sum.value;
	return count;
}

/* "1 FRONTEND_RETIRED.LATENCY_GE_4 (100 * …)"; without an event "-". */
static bool topdown__read(struct topdown *t, const char *metric)
{
	_cleanup_free_ char *key = xasprintf("topdown %s", metric);
	const char *text = prof__remark(t->advice->prof, key);
	const char *located = text ? strchr(text, ' ') : NULL;
	size_t len = located ? strcspn(located + 1, " ") : 0;

	if (!len || formula__parse(&t->formula, located + 1 + len) < 0)
		return false;
	t->located = xstrndup(located + 1, len);
	formula__each_name(t->formula, count_event, t);
	return !t->missing;
}

/* How far the value goes with that count, one standard deviation to either side. */
static double swing(struct topdown *t, struct count *count)
{
	const double value = count->sum.value;
	const double n = fmax(count->sum.samples, 1), by = count->period * sqrt(n);
	double low, high;
	bool known;

	count->sum.value = fmax(value - by, 0);
	known = formula__eval(t->formula, value_of, t, &low);
	count->sum.value = value + by;
	known = formula__eval(t->formula, value_of, t, &high) && known;
	count->sum.value = value;
	return known ? (high - low) / 2 : 100;
}

static void topdown__judge(struct topdown *t, struct finding *f)
{
	double variance = 0, most = 0;
	bool known = formula__eval(t->formula, value_of, t, &f->value);

	for (size_t i = 0; i < t->n; i++) {
		double by = swing(t, &t->counts[i]);

		variance += by * by;
		most = fmax(most, t->counts[i].sum.samples);
		f->samples += (int64_t)t->counts[i].sum.samples;
	}
	f->of_samples = f->samples;
	f->n_counts = t->n;
	f->low = fmax(f->value - SIGMAS_95 * sqrt(variance), 0);
	f->high = fmin(f->value + SIGMAS_95 * sqrt(variance), 100);
	finding__judge(f, known && most >= RULE_FEW_SAMPLES);
}

void topdown__look(struct advice *a, struct finding *f)
{
	_cleanup_(topdown__done) struct topdown t = {.advice = a};
	const struct prof_event *located;
	struct weighing w;

	if (!topdown__read(&t, f->rule->account))
		return;
	topdown__judge(&t, f);
	if (f->verdict != RULE_HOLDS)
		return;
	f->stake = f->high;
	located = find_event(a, t.located);
	if (!located || located->events == PROF_NO_TYPE || located->samples == PROF_NO_TYPE)
		return;
	w = of_event(located);
	spots__find(a, &w, f);
}
