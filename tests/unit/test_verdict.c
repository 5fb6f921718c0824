// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What units of work were bound by, and what more CPU could gain. */
#include <criterion/criterion.h>
#include <math.h>

#include "model/verdict.h"

static struct verdict of(uint64_t cpu, uint64_t wait, uint64_t off, uint64_t throttled)
{
	const struct verdict_times times = {
		.span = 1000,
		.duration = cpu + wait + off,
		.cpu = cpu,
		.wait = wait,
		.off = off,
		.throttled = throttled,
	};

	return verdict_of(&times);
}

Test(verdict, what_takes_most_of_the_time)
{
	cr_expect_eq(of(800, 100, 100, 0).bound, BOUND_CPU);
	cr_expect_eq(of(200, 700, 100, 600).bound, BOUND_QUOTA);
	cr_expect_eq(of(200, 700, 100, 100).bound, BOUND_RUN_QUEUE);
	cr_expect_eq(of(200, 100, 700, 0).bound, BOUND_BLOCKED);
	cr_expect_eq(of(0, 0, 0, 500).bound, BOUND_NOTHING);
}

Test(verdict, what_more_cpu_gains_at_most)
{
	struct verdict v = of(250, 750, 0, 500);

	cr_expect_eq(v.quota, 50);
	cr_expect_eq(v.queue, 25);
	cr_expect_eq(v.gain_quota, 100, "half of the time is gone: twice as many");
	cr_expect_eq(v.gain_cpu, 300);
	cr_expect_eq(v.at_a_time, 1);
	v = of(900, 0, 100, 500);
	cr_expect_eq(v.gain_cpu, 0, "they didn't wait for any");
	cr_expect_eq(v.gain_quota, 0, "the quota held others");
	cr_expect(isinf(of(0, 10, 0, 10).gain_quota));
}

Test(verdict, io_is_what_blocks_if_half_of_it_is)
{
	struct verdict_times times = {.span = 1000, .duration = 1000, .cpu = 100, .off = 900};

	times.io = 450;
	cr_expect_eq(verdict_of(&times).bound, BOUND_IO);
	cr_expect_eq(verdict_of(&times).io, 45);
	times.io = 449;
	cr_expect_eq(verdict_of(&times).bound, BOUND_BLOCKED);
	times.cpu = 1000;
	times.io = 900;
	cr_expect_eq(verdict_of(&times).bound, BOUND_CPU);
}

Test(verdict, a_gpu_that_is_busy_is_what_blocks)
{
	struct verdict_times times = {.span = 1000, .duration = 1000, .cpu = 100, .off = 900};

	times.gpu = 600;
	cr_expect_eq(verdict_of(&times).bound, BOUND_DEVICE);
	cr_expect_eq(verdict_of(&times).gpu, 60);
	times.gpu = 400;
	cr_expect_eq(verdict_of(&times).bound, BOUND_BLOCKED);
}
