// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* When the relation of two counts changes, by streams that are made up: requests that rise and
 * fall, and what they take. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>

#include "model/alarm.h"

static uint64_t state;

static double uniform(void)
{
	state ^= state << 13, state ^= state >> 7, state ^= state << 17;
	return (double)(state >> 11) / 9007199254740992.0;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform() + 1e-18)) * cos(2 * M_PI * uniform());
}

/* 200 requests a second that rise and fall by half within ten minutes; each takes 1 on average and
 * varies by as much, all together 20 besides. */
static void interval(int t, double factor, double *x, double *y)
{
	double load = 200 * (1 + 0.5 * sin(t / 600.0 * 2 * M_PI)) * (1 + 0.2 * sin(t / 37.0));

	*x = fmax(0, floor(load + sqrt(load) * normal()));
	*y = 20 + factor * (*x + sqrt(*x) * normal()) + 4 * normal();
}

/* The interval after a change at which it is raised; -1: not within 300. */
static int delay(int change_at, double factor, struct alarm_change *ret)
{
	struct alarm alarm = {0};
	double x, y;

	for (int t = 0; t < change_at + 300; t++) {
		interval(t, t >= change_at ? factor : 1, &x, &y);
		if (alarm__add(&alarm, x, y, ret) == ALARM_RAISED && t >= change_at)
			return t - change_at;
	}
	return -1;
}

/* A day of seconds, five of them. */
Test(alarm, nothing_is_no_alarm)
{
	int alarms = 0;

	state = 88172645463325252;
	for (int day = 0; day < 5; day++) {
		struct alarm alarm = {0};
		struct alarm_change change;
		double x, y;

		for (int t = 0; t < 86400; t++) {
			interval(t, 1, &x, &y);
			alarms += alarm__add(&alarm, x, y, &change) == ALARM_RAISED;
		}
	}
	cr_expect_leq(alarms, 5, "%d false alarms in five days", alarms);
}

/* Most alarms are seen to come, and little else looks like one. */
Test(alarm, it_is_near_before)
{
	struct alarm alarm = {0};
	struct alarm_change change;
	int near = 0, seen = 0;
	double x, y;

	state = 88172645463325252;
	for (int t = 0; t < 86400; t++) {
		interval(t, 1, &x, &y);
		alarm__add(&alarm, x, y, &change);
		near += alarm__is_near(&alarm);
	}
	cr_expect_leq(near, 40, "near in %d of 86400 intervals", near);
	for (int i = 0; i < 50; i++) {
		bool before = false;

		alarm = (struct alarm){0};
		for (int t = 0; t < 2000 + 137 * i; t++) {
			interval(t, t >= 1500 + 137 * i ? 1.2 : 1, &x, &y);
			if (alarm__add(&alarm, x, y, &change) == ALARM_RAISED) {
				seen += before;
				break;
			}
			before = alarm__is_near(&alarm);
		}
	}
	cr_expect_geq(seen, 40, "%d of 50 were seen to come", seen);
}

/* Of a hundred changes. */
Test(alarm, a_fifth_more_is_found_in_ten_intervals)
{
	int in_ten = 0, n = 100;

	state = 1181783497276652981;
	for (int i = 0; i < n; i++) {
		struct alarm_change change;
		int after = delay(1500 + 137 * i, i % 2 ? 1.2 : 0.8, &change);

		cr_assert(after >= 0 && after < 40, "found after %d", after);
		in_ten += after < 10;
		cr_expect(fabs(change.percent) > 5 && fabs(change.percent) < 40, "%.1f %%",
			  change.percent);
		cr_expect_eq(change.percent > 0, i % 2, "which way");
	}
	cr_expect_geq(in_ten, 94, "in ten intervals: %d of %d", in_ten, n);
}

Test(alarm, a_tenth_more_is_found)
{
	state = 2685821657736338717;
	for (int i = 0; i < 20; i++) {
		struct alarm_change change;

		cr_expect_geq(delay(600 + 137 * i, 1.1, &change), 0, "not found");
	}
}

/* One interval that lacks everything, or has ten times as much, is none. */
Test(alarm, a_wild_interval_is_none)
{
	struct alarm alarm = {0};
	struct alarm_change change;
	double x, y;

	state = 88172645463325252;
	for (int t = 0; t < 3000; t++) {
		interval(t, t % 500 == 499 ? 10 : 1, &x, &y);
		cr_expect_neq(alarm__add(&alarm, x, y, &change), ALARM_RAISED, "at %d", t);
	}
}

Test(alarm, it_ends_or_becomes_usual)
{
	for (int lasts = 100; lasts <= 1000; lasts += 900) {
		struct alarm alarm = {0};
		struct alarm_change change;
		int news[4] = {0};
		double x, y;

		state = 88172645463325252;
		for (int t = 0; t < 2000; t++) {
			interval(t, t >= 600 && t < 600 + lasts ? 1.3 : 1, &x, &y);
			news[alarm__add(&alarm, x, y, &change)]++;
		}
		if (lasts == 100) {
			cr_expect_eq(news[ALARM_RAISED], 1, "%d", news[ALARM_RAISED]);
			cr_expect_eq(news[ALARM_OVER], 1);
		} else {
			/* and back again */
			cr_expect_eq(news[ALARM_RAISED], 2, "%d", news[ALARM_RAISED]);
			cr_expect_geq(news[ALARM_SETTLED], 1);
		}
	}
}

/* Watched before the program begins: what it does then is no change. */
Test(alarm, nothing_comes_before)
{
	struct alarm alarm = {0};
	struct alarm_change change;
	double x, y;

	state = 88172645463325252;
	for (int t = 0; t < 1000; t++)
		cr_assert_eq(alarm__add(&alarm, 0, 0, &change), ALARM_NOTHING);
	for (int t = 0; t < 3000; t++) {
		interval(t, 1, &x, &y);
		cr_assert_neq(alarm__add(&alarm, x, y, &change), ALARM_RAISED, "at %d", t);
	}
	cr_expect(alarm__watches(&alarm));
}

/* Turns of 20 calls and 20 faults, of which the end of an interval cuts one in three: what it has
 * too much of one the next has too little. */
Test(alarm, turns_that_are_cut)
{
	struct alarm alarm = {0};
	struct alarm_change change;
	double over = 0;

	state = 88172645463325252;
	for (int t = 0; t < 20000; t++) {
		double turns = 2 + floor(20 * uniform()), x = 20 * turns, y = 20 * turns - over;

		over = uniform() < 0.33 ? floor(20 * uniform()) : 0;
		cr_assert_neq(alarm__add(&alarm, x, y + over, &change), ALARM_RAISED, "at %d", t);
	}
}

/* Counts that never change, or of which one is always 0. */
Test(alarm, of_constants)
{
	for (int which = 0; which < 4; which++) {
		struct alarm alarm = {0};
		struct alarm_change change;
		double x = which & 1 ? 1000 : 0, y = which & 2 ? 5000 : 0;

		for (int t = 0; t < 1000; t++)
			cr_assert_eq(alarm__add(&alarm, x, y, &change), ALARM_NOTHING);
		cr_expect(alarm__watches(&alarm));
		for (int t = 0; t < 20; t++) {
			if (alarm__add(&alarm, x, y + 3000, &change) == ALARM_RAISED)
				break;
		}
		cr_expect(alarm.raised, "x %g, y %g", x, y);
	}
}

/* What was learnt before is what is expected from the first interval on, and stays it. */
Test(alarm, what_is_fixed_is_not_learnt_anew)
{
	struct alarm alarm = {0};
	struct alarm_change change;
	int raised = 0, other = 0, first = -1;
	double x, y;

	state = 88172645463325252;
	for (int t = 0; t < 600; t++) {
		cr_expect_not(alarm__fix(&alarm), "it knows too little");
		interval(t, 1, &x, &y);
		alarm__add(&alarm, x, y, &change);
	}
	cr_assert(alarm__fix(&alarm));
	for (int t = 600; t < 3600; t++) {
		enum alarm_news news;

		interval(t, 1.5, &x, &y);
		news = alarm__add(&alarm, x, y, &change);
		raised += news == ALARM_RAISED;
		other += news == ALARM_SETTLED;
		if (news == ALARM_RAISED && first < 0)
			first = t - 600;
	}
	cr_expect(first >= 0 && first < 10, "after %d", first);
	cr_expect_eq(raised, 1);
	cr_expect_eq(other, 0);
	cr_expect(alarm.raised);
	cr_expect(fabs(change.percent - 45) < 10, "%.1f %%", change.percent);
	cr_expect_not(alarm__fix(&alarm), "amid an alarm");
}

/* A day after the least that it may know, five of them. */
Test(alarm, what_is_fixed_is_no_alarm)
{
	int alarms = 0;

	state = 1181783497276652981;
	for (int day = 0; day < 5; day++) {
		struct alarm alarm = {0};
		struct alarm_change change;
		double x, y;

		for (int t = 0; t < ALARM_FIXES + 86400; t++) {
			interval(t, 1, &x, &y);
			alarms += alarm__add(&alarm, x, y, &change) == ALARM_RAISED;
			if (t == ALARM_FIXES - 1)
				cr_assert(alarm__fix(&alarm));
		}
	}
	cr_expect_leq(alarms, 5, "%d false alarms in five days", alarms);
}
