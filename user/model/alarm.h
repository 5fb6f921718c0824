/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * When the relation of two counts changes: y is what x explains, a + b x, learnt from the intervals
 * before, the older the less. What is left over, in units of its usual size, is added up both ways
 * (CUSUM): a small change that stays raises the alarm, a single wild interval doesn't. Nothing is
 * learnt from what looks unusual. docs/design/0025-windows.md has what that was measured to do.
 */
#ifndef PMUBPF_MODEL_ALARM_H
#define PMUBPF_MODEL_ALARM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Intervals. */
enum {
	ALARM_LEARNS = 60,   /* before what is left over has a usual size */
	ALARM_SIZES = 300,   /* of which that is the median */
	ALARM_FORGETS = 900, /* in which what was learnt becomes 1/e */
	ALARM_SETTLES = 300, /* of an alarm, after which it is how things are */
	ALARM_FIXES = 600,   /* before it is fixed: of fewer too little is known to be judged by */
	ALARM_CALM = 10,     /* as usual again: the alarm is over */
};

enum alarm_news {
	ALARM_NOTHING,
	ALARM_RAISED,
	ALARM_OVER,    /* the relation is as before */
	ALARM_SETTLED, /* it has stayed, and is learnt anew */
};

struct alarm {
	/* weighted sums of what was learnt */
	double n, x, y, xx, xy;
	double sizes[ALARM_SIZES]; /* the last of them */
	size_t n_sizes, seen;
	double usual; /* size of what is left over; 0: not known yet */
	double up, down;
	bool raised;
	bool fixed;           /* nothing is learnt any more */
	unsigned lasts, calm; /* intervals */
	/* What the unusual intervals have together: since up or down was 0, or the alarm was
	 * raised. */
	struct alarm_sum {
		unsigned intervals;
		double y, expected;
	} above, below, during;
};

/* Of an alarm that is raised, or was. */
struct alarm_change {
	double percent;     /* of what was expected; above or below */
	unsigned intervals; /* that it has lasted, */
	double y, expected; /* and what they have together */
};

/* An interval's counts. ret is set with any news. */
enum alarm_news alarm__add(struct alarm *alarm, double x, double y, struct alarm_change *ret);
/*
 * What was learnt so far is what is expected from here on, however long something else lasts: an
 * alarm ends only when that is met again. False: that were fewer than ALARM_FIXES, or their end was
 * unusual.
 */
bool alarm__fix(struct alarm *alarm);
/* Whether it has learnt enough to raise one. */
bool alarm__watches(const struct alarm *alarm);
/* Two thirds of what raises one have come together: of those that are near, few become one. */
bool alarm__is_near(const struct alarm *alarm);

#endif
