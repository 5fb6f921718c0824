// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The rate that the kernel says, beside the counter itself. */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "sys/tsc.h"

#if defined(__x86_64__)
static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Ticks between two looks at the clock; how much one of them may have been late is known. */
Test(tsc, ticks_as_it_says)
{
	uint64_t hz = tsc_hz(), from, to, a[2], b[2];
	double most, least;

	if (!hz)
		cr_skip_test("this kernel doesn't say it");
	a[0] = now_ns();
	from = __builtin_ia32_rdtsc();
	a[1] = now_ns();
	nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
	b[0] = now_ns();
	to = __builtin_ia32_rdtsc();
	b[1] = now_ns();
	most = 1e9 * (double)(to - from) / (double)(b[0] - a[1]);
	least = 1e9 * (double)(to - from) / (double)(b[1] - a[0]);
	cr_expect_gt((double)hz, least * 0.999, "%f", least);
	cr_expect_lt((double)hz, most * 1.001, "%f", most);
}
#else
Test(tsc, none_here)
{
	cr_expect_eq(tsc_hz(), 0);
}
#endif
