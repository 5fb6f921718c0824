// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <math.h>

#include "model/clockrate.h"

static void expect_near(double got, double want)
{
	cr_expect_lt(fabs(got - want), want * 1e-12, "%.17g is not %.17g", got, want);
}

Test(clockrate, the_mean_is_harmonic)
{
	/* as much work on each: 1 s per 1e9 at 1 GHz, 1/3 s at 3 GHz; together 2e9 in 4/3 s */
	const double hz[] = {1e9, 3e9};
	struct clock_rate rate = clock_rate_mean(hz, 2, true);

	expect_near(rate.hz, 1.5e9);
	expect_near(rate.min_hz, 1e9);
	expect_near(rate.max_hz, 3e9);
	cr_expect_eq(rate.n, 2);
	cr_expect(rate.measured);
}

Test(clockrate, rates_that_make_no_sense_do_not_take_part)
{
	const double hz[] = {0, 2e9, -1, NAN, 0};
	struct clock_rate rate = clock_rate_mean(hz, 5, false);

	expect_near(rate.hz, 2e9);
	expect_near(rate.min_hz, 2e9);
	expect_near(rate.max_hz, 2e9);
	cr_expect_eq(rate.n, 1);
	cr_expect(!rate.measured);
}

Test(clockrate, nothing_known_is_zero)
{
	const double hz[] = {0, 0};

	cr_expect_eq(clock_rate_mean(hz, 2, true).hz, 0);
	cr_expect_eq(clock_rate_mean(hz, 2, true).n, 0);
	cr_expect_eq(clock_rate_mean(NULL, 0, true).hz, 0);
}

Test(clockrate, order_and_repetition_do_not_matter)
{
	const double a[] = {1.2e9, 3.4e9, 2.2e9}, b[] = {2.2e9, 1.2e9, 3.4e9, 3.4e9, 1.2e9, 2.2e9};

	expect_near(clock_rate_mean(a, 3, true).hz, clock_rate_mean(b, 6, true).hz);
}

Test(clockrate, cycles_become_whole_nanoseconds_rounded_to_nearest)
{
	const struct clock_rate four = {.hz = 4e9}, one = {.hz = 1e9}, slow = {.hz = 3e8};

	cr_expect_eq(clock_rate__ns(&four, 0), 0);
	cr_expect_eq(clock_rate__ns(&four, 1), 0);
	cr_expect_eq(clock_rate__ns(&four, 2), 1, "half a nanosecond rounds up");
	cr_expect_eq(clock_rate__ns(&four, 5), 1);
	cr_expect_eq(clock_rate__ns(&four, 6), 2);
	cr_expect_eq(clock_rate__ns(&one, 1234567891011), 1234567891011);
	cr_expect_eq(clock_rate__ns(&slow, 1), 3);
	cr_expect_eq(clock_rate__ns(&slow, 2), 7);
}
