// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* When a recording is in detail, second by second. */
#include <criterion/criterion.h>

#include "model/detail.h"

#define S 1000000000ULL
#define START (1000 * S)

static const struct detail_opts opts = {.lookahead_ns = 30 * S, .share = 0.05};

/* Seconds of [from, to) that it is on, with an alarm in each of which the remainder is 0. */
static unsigned run(struct detail *d, unsigned from, unsigned to, unsigned every, bool near)
{
	unsigned on = 0;

	for (unsigned t = from; t < to; t++) {
		bool raised = every && t % every == 0;

		on += detail__look(d, &opts, START + t * S, raised, near && t % 60 == 0);
	}
	return on;
}

Test(detail, an_alarm_and_no_more)
{
	struct detail d;

	detail__begin(&d, &opts, START);
	cr_expect_eq(run(&d, 1, 100, 0, false), 0);
	cr_expect(detail__look(&d, &opts, START + 100 * S, true, false));
	cr_expect_eq(run(&d, 101, 300, 0, false), 29);
	cr_expect_eq(d.total_ns, 30 * S);
	cr_expect_eq(d.refused, 0);
}

/* Those in a row are one stretch. */
Test(detail, alarms_in_a_row)
{
	struct detail d;

	detail__begin(&d, &opts, START);
	for (unsigned t = 1; t <= 70; t++)
		cr_expect(detail__look(&d, &opts, START + t * S, t % 20 == 1, false), "%u", t);
	cr_expect_eq(run(&d, 71, 300, 0, false), 20);
}

Test(detail, what_is_near_is_shorter)
{
	struct detail d;

	detail__begin(&d, &opts, START);
	cr_expect_eq(run(&d, 60, 120, 0, true), 10);
}

/* An alarm each ten seconds for a day: a twentieth of it, and what is there at the start. */
Test(detail, share)
{
	struct detail d;
	unsigned on;

	detail__begin(&d, &opts, START);
	on = run(&d, 1, 86400, 10, false);
	cr_expect_leq(on, 86400 / 20 + 150 + 1);
	cr_expect_geq(on, 86400 / 20);
	cr_expect_gt(d.refused, 1000);
	/* and it comes back */
	run(&d, 86400, 86460, 0, false);
	cr_expect_eq(run(&d, 86460, 90000, 0, false), 0);
	cr_expect(detail__look(&d, &opts, START + 90000 * S, true, false));
}

/* No look for an hour (a machine that was asleep) is no credit without end. */
Test(detail, time_that_was_not_looked_at)
{
	struct detail d;

	detail__begin(&d, &opts, START);
	detail__look(&d, &opts, START + 100 * 3600 * S, false, false);
	cr_expect_eq((uint64_t)d.credit_ns, 150 * S);
	detail__look(&d, &opts, START, true, false);
	cr_expect(d.on);
}
