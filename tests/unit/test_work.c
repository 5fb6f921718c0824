// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What is said of the values of units of work, against all of the values. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "model/work.h"

/* As bpf/work.bpf.c does. */
static void add(struct pmb_distribution *d, uint64_t value)
{
	__u64 parts[3];

	d->sum += value;
	pmb_square_parts(value, parts);
	for (int i = 0; i < 3; i++)
		d->squares[i] += parts[i];
	d->classes[pmb_value_class(value)]++;
}

static int compare(const void *a, const void *b)
{
	return CMP3(*(const uint64_t *)a, *(const uint64_t *)b);
}

static void expect_close(double got, double want, double share, const char *what)
{
	cr_expect(fabs(got - want) <= share * want + 1e-9, "%s: %g, not %g", what, got, want);
}

Test(work, values_of_all_sizes)
{
	enum { N = 20000 };
	_cleanup_free_ uint64_t *values = xcalloc(N, sizeof(*values));
	_cleanup_free_ struct pmb_distribution *d = xcalloc(1, sizeof(*d));
	long double mean = 0, squares = 0;
	uint64_t random = 88172645463325252;

	for (size_t i = 0; i < N; i++) {
		random ^= random << 13, random ^= random >> 7, random ^= random << 17;
		values[i] = random >> (18 + random % 44);
		mean += (long double)values[i] / N;
		add(d, values[i]);
	}
	for (size_t i = 0; i < N; i++)
		squares += ((long double)values[i] - mean) * ((long double)values[i] - mean);
	qsort(values, N, sizeof(*values), compare);
	cr_expect_eq(distribution__n(d), N);
	expect_close(distribution__mean(d), (double)mean, 1e-12, "mean");
	expect_close(distribution__sd(d), (double)sqrtl(squares / (N - 1)), 1e-4, "sd");
	expect_close(distribution__quantile(d, 0.5), (double)values[N / 2 - 1], 0.125, "p50");
	expect_close(distribution__quantile(d, 0.9), (double)values[N * 9 / 10 - 1], 0.125, "p90");
	expect_close(distribution__quantile(d, 0.99), (double)values[N / 100 * 99 - 1], 0.125,
		     "p99");
}

/* However many, and however large: no spread comes of rounding. */
Test(work, the_same_value_has_no_spread)
{
	static const uint64_t values[] = {0, 7, 1000003, 4294967295, 1ULL << 32, 5ULL << 40};

	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		struct pmb_distribution d = {0};

		for (int n = 0; n < 100000; n++)
			add(&d, values[i]);
		cr_expect_eq(distribution__mean(&d), (double)values[i]);
		expect_close(distribution__sd(&d), 0, 0, "sd");
		expect_close(distribution__quantile(&d, 0.99), (double)values[i], 0.125, "p99");
	}
}

Test(work, small_values_are_exact)
{
	struct pmb_distribution d = {0};

	cr_expect(isnan(distribution__mean(&d)));
	cr_expect(isnan(distribution__sd(&d)));
	cr_expect(isnan(distribution__quantile(&d, 0.5)));
	for (uint64_t i = 0; i < 16; i++)
		add(&d, i);
	for (int i = 1; i <= 16; i++)
		cr_expect_eq(distribution__quantile(&d, i / 16.0), i - 1);
	cr_expect_eq(distribution__by_power(&d, 0), 2);
	cr_expect_eq(distribution__by_power(&d, 1), 2);
	cr_expect_eq(distribution__by_power(&d, 2), 4);
	cr_expect_eq(distribution__by_power(&d, 3), 8);
	cr_expect_eq(distribution__by_power(&d, 4), 0);
}

/* Each class begins where the one before ends, up to the last. */
Test(work, classes_have_no_gaps)
{
	uint32_t last = pmb_value_class(0);

	cr_expect_eq(last, 0);
	for (unsigned log2 = 0; log2 < 64; log2++) {
		uint64_t step = log2 < 3 ? 1 : 1ULL << (log2 - 3);

		for (uint64_t i = 0; i < (log2 < 3 ? 1ULL << log2 : PMB_CLASS_STEPS); i++) {
			uint64_t from = (1ULL << log2) + i * step;

			cr_assert_eq(pmb_value_class(from), last + 1, "%llu",
				     (unsigned long long)from);
			cr_assert_eq(pmb_value_class(from + step - 1), last + 1);
			last++;
		}
	}
	cr_expect_eq(last, 495);
}

Test(work, what_is_new_and_what_is_open)
{
	_cleanup_(work_counts__done) struct work_counts now = {.n_counters = 2}, before, new;

	work_counts__init(&now);
	work_counts__init_like(&before, &now);
	work_counts__init_like(&new, &now);
	for (uint64_t i = 0; i < 10; i++) {
		add(&now.of[PMB_UNITS_REAL][PMB_SERIES_DURATION], i);
		if (i < 4)
			add(&before.of[PMB_UNITS_REAL][PMB_SERIES_DURATION], i);
	}
	add(&now.of[PMB_UNITS_EMPTY][PMB_SERIES_PAIR], 5);
	add(&before.of[PMB_UNITS_EMPTY][PMB_SERIES_PAIR], 5);
	now.stats = (struct pmb_work_stats){.began = 20, .unsure = 3, .abandoned = 2};
	before.stats = (struct pmb_work_stats){.began = 10, .unsure = 1, .abandoned = 1};
	work_counts__set(&new, &now, &before);
	cr_expect_eq(distribution__n(&new.of[PMB_UNITS_REAL][PMB_SERIES_DURATION]), 6);
	cr_expect_eq(distribution__n(&new.of[PMB_UNITS_EMPTY][PMB_SERIES_PAIR]), 1);
	cr_expect_eq(new.stats.unsure, 2);
	cr_expect_eq(work_counts__open(&now), 5);
	cr_expect_eq(work_counts__open(&new), 1);
	/* more ends than beginnings: they began before */
	new.stats.began = 0;
	cr_expect_eq(work_counts__open(&new), 0);
	work_counts__done(&before);
	work_counts__done(&new);
}
