// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/alarm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* In usual sizes: what one interval tells at most, how much together is an alarm; what is let pass
 * of what isn't known yet, in standard errors. */
static const double MOST = 4, LIMIT = 11, DOUBTS = 1, NEAR = 7.3;
/* The change that is looked for, as a part of what is expected; in usual sizes not below LEAST, nor
 * beyond SURE, lest few wild intervals are an alarm. */
static const double CHANGE = 0.2, LEAST = 1, SURE = 1.4;

bool alarm__watches(const struct alarm *a)
{
	return a->usual > 0;
}

bool alarm__is_near(const struct alarm *a)
{
	return !a->raised && (a->up > NEAR || a->down > NEAR);
}

static void learn(struct alarm *a, double x, double y)
{
	double keep = 1 - 1.0 / ALARM_FORGETS;

	a->n = a->n * keep + 1;
	a->x = a->x * keep + x;
	a->y = a->y * keep + y;
	a->xx = a->xx * keep + x * x;
	a->xy = a->xy * keep + x * y;
}

/* How y follows x, as far as it is known. */
struct relation {
	double expected; /* y, of this x; where x never changed, the mean */
	double doubt;    /* standard error of that, in standard deviations of y */
	double change;   /* what is looked for, in usual sizes */
};

static struct relation relation_at(const struct alarm *a, double x)
{
	double mx = a->x / a->n, my = a->y / a->n;
	double spread = a->xx / a->n - mx * mx;
	bool varies = spread > 1e-9 * mx * mx;
	double slope = varies ? (a->xy / a->n - mx * my) / spread : 0;
	double away = varies ? (x - mx) * (x - mx) / spread : 0;

	return (struct relation){
		.expected = my + slope * (x - mx),
		.doubt = sqrt((1 + away) / a->n),
	};
}

static int compare(const void *a, const void *b)
{
	return CMP3(*(const double *)a, *(const double *)b);
}

/* As a standard deviation, by the middle of the sizes, or by the largest tenth if that is more:
 * where intervals cut a program's turns, most of them fit exactly and a few don't. Never 0, and not
 * below a fiftieth of what there is, or a constant would be an alarm at the first count more. */
static double usual_size(const struct alarm *a)
{
	double sorted[ALARM_SIZES], least = 0.02 * fabs(a->y / a->n) + 1e-9;
	size_t n = a->n_sizes < ALARM_SIZES ? a->n_sizes : ALARM_SIZES;

	memcpy(sorted, a->sizes, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare);
	least /= sqrt(fmax(a->x / a->n, 1));
	return fmax(fmax(1.4826 * sorted[n / 2], sorted[n * 9 / 10] / 1.645), least);
}

static void note_size(struct alarm *a, double size)
{
	a->sizes[a->n_sizes++ % ALARM_SIZES] = fabs(size);
	if (a->n_sizes >= ALARM_LEARNS && (a->usual == 0 || a->n_sizes % ALARM_LEARNS == 0))
		a->usual = usual_size(a);
}

static void sum_up(struct alarm_sum *sum, bool begins, double y, double expected)
{
	if (begins)
		*sum = (struct alarm_sum){0};
	sum->intervals++;
	sum->y += y;
	sum->expected += expected;
}

static struct alarm_change change_of(const struct alarm_sum *sum)
{
	return (struct alarm_change){
		.percent = sum->expected > 0 ? 100 * (sum->y / sum->expected - 1) : INFINITY,
		.intervals = sum->intervals,
		.y = sum->y,
		.expected = sum->expected,
	};
}

/* Page's test: the logarithm of how much likelier the interval is after the change than before it.
 * So those that have much weigh more than those in which a change would hardly be seen. */
static enum alarm_news watch(struct alarm *a, double z, double y, const struct relation *r,
			     struct alarm_change *ret)
{
	bool up_begins = a->up == 0, down_begins = a->down == 0;
	double slack = r->change / 2 + DOUBTS * r->doubt;

	a->up = fmax(0, a->up + r->change * (z - slack));
	a->down = fmax(0, a->down + r->change * (-z - slack));
	sum_up(&a->above, up_begins, y, r->expected);
	sum_up(&a->below, down_begins, y, r->expected);
	if (a->up <= LIMIT && a->down <= LIMIT)
		return ALARM_NOTHING;
	a->during = a->up > LIMIT ? a->above : a->below;
	*ret = change_of(&a->during);
	a->raised = true;
	a->lasts = a->calm = 0;
	return ALARM_RAISED;
}

/* Learns anew: what was usual is no more. */
static void forget(struct alarm *a)
{
	*a = (struct alarm){0};
}

static enum alarm_news last(struct alarm *a, double z, double y, const struct relation *r,
			    struct alarm_change *ret)
{
	a->lasts++;
	a->calm = fabs(z) < 2 ? a->calm + 1 : 0;
	sum_up(&a->during, false, y, r->expected);
	*ret = change_of(&a->during);
	if (a->calm >= ALARM_CALM) {
		a->raised = false;
		a->up = a->down = 0;
		return ALARM_OVER;
	}
	if (a->fixed || a->lasts < ALARM_SETTLES)
		return ALARM_NOTHING;
	forget(a);
	return ALARM_SETTLED;
}

enum alarm_news alarm__add(struct alarm *a, double x, double y, struct alarm_change *ret)
{
	enum alarm_news news = ALARM_NOTHING;
	struct relation relation;
	double left;
	bool unusual = false;

	/* what y is to x isn't known as long as there is none: perhaps the program hasn't begun */
	if (a->x == 0 && x > 0 && !a->raised && !a->fixed)
		forget(a);
	if (a->seen++ < ALARM_LEARNS) {
		learn(a, x, y);
		return ALARM_NOTHING;
	}
	relation = relation_at(a, x);
	/* what x explains comes in pieces, whose number varies by its root */
	left = (y - relation.expected) / sqrt(fmax(x, 1));
	if (alarm__watches(a)) {
		double z = fmax(-MOST, fmin(MOST, left / a->usual));
		double size = a->usual * sqrt(fmax(x, 1));

		relation.change = fmax(LEAST, fmin(SURE, CHANGE * fabs(relation.expected) / size));
		news = a->raised ? last(a, z, y, &relation, ret) : watch(a, z, y, &relation, ret);
		unusual = fabs(z) >= MOST || a->up > LIMIT / 2 || a->down > LIMIT / 2;
	}
	if (news == ALARM_SETTLED || a->raised || a->fixed || unusual)
		return news;
	note_size(a, left);
	learn(a, x, y);
	return news;
}

bool alarm__fix(struct alarm *a)
{
	if (a->seen < ALARM_FIXES || !alarm__watches(a) || a->raised)
		return false;
	a->usual = usual_size(a);
	a->up = a->down = 0;
	a->fixed = true;
	return true;
}
