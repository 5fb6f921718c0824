// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static size_t n_series(const struct work_counts *c)
{
	return PMB_SERIES_COUNTERS + c->n_counters;
}

void work_counts__init(struct work_counts *c)
{
	for (size_t units = 0; units < PMB_N_UNITS; units++)
		c->of[units] = xcalloc(n_series(c), sizeof(*c->of[units]));
}

void work_counts__init_like(struct work_counts *c, const struct work_counts *of)
{
	*c = (struct work_counts){.n_counters = of->n_counters, .by_process = of->by_process};
	memcpy(c->event, of->event, sizeof(c->event));
	work_counts__init(c);
}

void work_counts__done(struct work_counts *c)
{
	for (size_t units = 0; units < PMB_N_UNITS; units++)
		free(c->of[units]);
	*c = (struct work_counts){0};
}

/* A distribution is sums and nothing else, and so are the stats. */
static void subtract(void *to, const void *now, const void *before, size_t bytes)
{
	uint64_t *difference = to;
	const uint64_t *a = now, *b = before;

	for (size_t i = 0; i < bytes / sizeof(*difference); i++)
		difference[i] = a[i] - b[i];
}

void work_counts__set(struct work_counts *to, const struct work_counts *now,
		      const struct work_counts *before)
{
	size_t bytes = n_series(to) * sizeof(*to->of[0]);

	subtract(to->of[PMB_UNITS_REAL], now->of[PMB_UNITS_REAL], before->of[PMB_UNITS_REAL],
		 bytes);
	memcpy(to->of[PMB_UNITS_EMPTY], now->of[PMB_UNITS_EMPTY], bytes);
	subtract(&to->stats, &now->stats, &before->stats, sizeof(to->stats));
	to->missed = now->missed - before->missed;
}

uint64_t work_counts__open(const struct work_counts *c)
{
	uint64_t heard = distribution__n(&c->of[PMB_UNITS_REAL][PMB_SERIES_DURATION]) +
			 c->stats.unsure + c->stats.abandoned + c->stats.quick;

	return c->stats.began > heard ? c->stats.began - heard : 0;
}

/* A twentieth of all is beyond the accuracy of beginning and end. */
static bool is_balanced(const struct inside_counts *in, bool switches_count, bool part)
{
	int64_t slack = (int64_t)(in->all / 20);

	return in->rest <= (int64_t)in->unseen + slack && (switches_count || in->rest >= -slack) &&
	       (part || in->others >= -slack);
}

struct inside_counts work_counts__inside(const struct work_counts *c, size_t counter, uint64_t all,
					 bool switches_count, bool part)
{
	const struct pmb_work_stats *stats = &c->stats;
	uint64_t in_any = stats->stretches[PMB_STRETCH_INSIDE][counter];
	uint64_t of_windows = c->of[PMB_UNITS_REAL][PMB_SERIES_COUNTERS + counter].sum;
	uint64_t inside = c->by_process ? in_any : of_windows;
	uint64_t partly = stats->stretches[PMB_STRETCH_PARTLY][counter];
	uint64_t outside = stats->stretches[PMB_STRETCH_OUTSIDE][counter];
	uint64_t unwatched = stats->stretches[PMB_STRETCH_UNWATCHED][counter];
	struct inside_counts ret = {
		.all = all,
		.inside = (int64_t)inside,
		.others = (int64_t)(in_any - inside),
		.outside = (int64_t)outside,
		.partly = (int64_t)partly,
		.rest = (int64_t)(all - in_any - partly - outside - unwatched),
		.unwatched = unwatched,
		.unseen = stats->stretches[PMB_STRETCH_UNSEEN][counter],
		.whole = !stats->shared[counter],
	};

	ret.balanced = !ret.whole || is_balanced(&ret, switches_count, part);
	return ret;
}

void distribution__add(struct pmb_distribution *to, const struct pmb_distribution *from)
{
	uint64_t *sums = (uint64_t *)to;
	const uint64_t *more = (const uint64_t *)from;

	for (size_t i = 0; i < sizeof(*to) / sizeof(*sums); i++)
		sums[i] += more[i];
}

uint64_t distribution__n(const struct pmb_distribution *d)
{
	uint64_t n = 0;

	for (size_t i = 0; i < PMB_VALUE_CLASSES; i++)
		n += d->classes[i];
	return n;
}

double distribution__mean(const struct pmb_distribution *d)
{
	uint64_t n = distribution__n(d);

	return n ? (double)d->sum / (double)n : (double)NAN;
}

double distribution__sd(const struct pmb_distribution *d)
{
	long double n = (long double)distribution__n(d);
	long double mean = (long double)d->sum / n;
	long double squares = (long double)d->squares[0] + ldexpl((long double)d->squares[1], 32) +
			      ldexpl((long double)d->squares[2], 64);
	long double variance = (squares - mean * (long double)d->sum) / (n - 1);

	if (n < 2)
		return (double)NAN;
	/* large values go without their lowest bits */
	return variance > 0 ? (double)sqrtl(variance) : 0;
}

static double class_from(size_t class)
{
	size_t log2 = class / PMB_CLASS_STEPS + 2;

	if (class < PMB_CLASS_STEPS)
		return (double)class;
	return ldexp((double)(PMB_CLASS_STEPS + class % PMB_CLASS_STEPS), (int)log2 - 3);
}

double distribution__quantile(const struct pmb_distribution *d, double part)
{
	double n = (double)distribution__n(d), rank = ceil(part * n), before = 0;

	if (rank < 1)
		rank = 1;
	for (size_t i = 0; i < PMB_VALUE_CLASSES; i++) {
		double here = (double)d->classes[i], from = class_from(i);

		if (here > 0 && before + here >= rank) {
			if (i < 2 * PMB_CLASS_STEPS)
				return from;
			/* as if they were spread evenly over their class */
			return from + (class_from(i + 1) - from) * (rank - before - 0.5) / here;
		}
		before += here;
	}
	return (double)NAN;
}

uint64_t distribution__by_power(const struct pmb_distribution *d, unsigned log2)
{
	double from = log2 ? ldexp(1, (int)log2) : 0, to = ldexp(2, (int)log2);
	uint64_t n = 0;

	for (size_t i = 0; i < PMB_VALUE_CLASSES; i++)
		n += class_from(i) >= from && class_from(i) < to ? d->classes[i] : 0;
	return n;
}
