// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What is spent on samples goes down as periods go up, the rest does not: so the two are told
 * apart, and the periods are chosen for what the rest leaves of the budget. What samples would
 * cost at the default period does not depend on the present one; that is why this does not swing
 * by itself. Against a load that swings there are two thresholds with a gap, and a wait before
 * periods become shorter again.
 */
#include "model/budget.h"

#include <math.h>

static const double SECOND = 1e9;
/* What is aimed at, as a part of the budget; the second while debts are paid back. */
static const double AIM = 0.8, AIM_IN_DEBT = 0.6;
/* Periods change when they should be so many times the present ones. */
static const double LONGER = 1.1, SHORTER = 0.6;
static const double MOST_AT_ONCE = 16, LEAST_AT_ONCE = 0.5;
/* A ring that is fuller when it is read: the reader lags. Then it is brought down to the second. */
static const double FULL = 0.5, CALM = 0.25;

enum {
	CREDIT_S = 1,
	MEMORY_S = 4,
	PATIENCE_S = 5, /* before periods become shorter */
	ENOUGH_OVERFLOWS = 50,
	ENOUGH_S = 2, /* if there are fewer */
};

void budget__init(struct budget *b, double share, double most, double left)
{
	*b = (struct budget){
		.share = share,
		.most = most,
		.left = left,
		.factor = 1,
		.highest = 1,
		.credit_ns = share * CREDIT_S * SECOND,
	};
}

/* Its first second is over. */
static bool budget__settled(const struct budget *b)
{
	return b->age_ns >= BUDGET_SETTLING_NS;
}

static void budget__spend(struct budget *b, const struct budget_window *w)
{
	double span = (double)w->span_ns, keep = exp(-span / (MEMORY_S * SECOND));
	double fixed = (double)w->fixed_ns, varying = (double)w->varying_ns;

	b->credit_ns += b->share * span - fixed - varying;
	if (b->credit_ns > b->share * CREDIT_S * SECOND)
		b->credit_ns = b->share * CREDIT_S * SECOND;
	b->fixed_ns = b->fixed_ns * keep + fixed;
	b->fixed_span_ns = b->fixed_span_ns * keep + span;
	b->varying_ns = b->varying_ns * keep + varying;
	b->varying_span_ns = b->varying_span_ns * keep + span;
	b->overflows = b->overflows * keep + (double)w->overflows;
	b->fill = fmax(b->fill * keep, w->fill);
}

/* The factor at which samples would take what is left for them. */
static double wanted_by_cost(const struct budget *b)
{
	double aim = b->share * (b->credit_ns < 0 ? AIM_IN_DEBT : AIM);
	double fixed = b->fixed_span_ns > 0 ? b->fixed_ns / b->fixed_span_ns : 0;
	double room = fmax(aim - fixed, b->share * b->left);

	return b->varying_ns / b->varying_span_ns * b->factor / room;
}

static double wanted_by_rings(const struct budget *b, const struct budget_window *w)
{
	if (w->lost)
		return b->factor * fmax(2, b->fill / CALM);
	return b->fill > FULL ? b->factor * b->fill / CALM : 1;
}

static void budget__begin_anew(struct budget *b, double factor)
{
	b->factor = factor;
	b->highest = fmax(b->highest, factor);
	b->since_change_ns = 0;
	b->varying_ns = b->varying_span_ns = b->overflows = b->fill = 0;
}

struct budget_mode budget__mode(double share)
{
	return (struct budget_mode){share, 1, share * CREDIT_S * SECOND};
}

void budget__swap(struct budget *b, struct budget_mode *other)
{
	const struct budget_mode was = {b->share, b->factor, b->credit_ns};

	b->share = other->share;
	b->credit_ns = other->credit_ns;
	budget__begin_anew(b, other->factor);
	*other = was;
}

static bool budget__set(struct budget *b, double factor)
{
	factor = fmin(factor, b->factor * MOST_AT_ONCE);
	factor = fmax(factor, b->factor * LEAST_AT_ONCE);
	factor = fmax(1, fmin(factor, b->most));
	if (factor == b->factor)
		return false;
	budget__begin_anew(b, factor);
	b->changes++;
	return true;
}

bool budget__pass(struct budget *b, const struct budget_window *w)
{
	double by_cost, by_rings;
	bool settling = !budget__settled(b);

	if (!(b->share > 0))
		return false;
	b->age_ns += w->span_ns;
	b->since_change_ns += w->span_ns;
	if (settling)
		return w->lost && budget__set(b, wanted_by_rings(b, w));
	budget__spend(b, w);
	by_rings = wanted_by_rings(b, w);
	if (by_rings > b->factor * LONGER)
		return budget__set(b, by_rings);
	if (b->overflows < ENOUGH_OVERFLOWS && (double)b->since_change_ns < ENOUGH_S * SECOND)
		return false;
	by_cost = wanted_by_cost(b);
	if (b->credit_ns < 0 && by_cost > b->factor * LONGER)
		return budget__set(b, by_cost);
	/* shorter, but not so that the rings would be full again */
	by_cost = fmax(by_cost, b->factor * b->fill / CALM);
	if (b->credit_ns >= 0 && (double)b->since_change_ns >= PATIENCE_S * SECOND &&
	    by_cost < b->factor * SHORTER)
		return budget__set(b, by_cost);
	return false;
}
