// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A program that is slowed down by who looks, and works now and then. */
#include <criterion/criterion.h>
#include <errno.h>

#include "model/trial.h"

enum { PLACES_MAX = 256, CAPACITY = 1000 /* hits that fit into a stretch of time */ };

struct program {
	const double *each; /* how often a turn meets each place */
	size_t works_each;  /* so many stretches, in one of them */
	size_t fails_at;    /* 0: never */
	size_t n;           /* looks so far */
	size_t seen[PLACES_MAX];
};

/* Turns take no time but for hits, of which so many fit. */
static int look(void *ctx, const size_t *which, size_t n, uint64_t *ret_hits)
{
	struct program *p = ctx;
	double turn = 0;

	cr_assert(n >= 1 && n <= TRIAL_TOGETHER);
	p->n++;
	for (size_t i = 0; i < n; i++) {
		p->seen[which[i]]++;
		turn += p->each[which[i]];
	}
	if (p->n == p->fails_at)
		return -ENOSPC;
	for (size_t i = 0; i < n && turn > 0 && p->n % p->works_each == 0; i++)
		ret_hits[i] = (uint64_t)(CAPACITY * p->each[which[i]] / turn);
	return 0;
}

static int run(struct program *p, double *rates, size_t n)
{
	const struct trial trial = {.look = look, .ctx = p};

	p->works_each = p->works_each ? p->works_each : 1;
	return trial__run(&trial, rates, n);
}

Test(trial, what_is_met_in_each_turn_is_told_from_what_is_met_in_each_hundredth)
{
	static const double each[] = {.02, 1, 1, 1, .25, 0, .01, .5, 2};
	struct program p = {.each = each};
	double rates[9];

	cr_assert_eq(run(&p, rates, 9), 0);
	for (size_t i = 0; i < 9; i++)
		cr_expect_float_eq(rates[i] / rates[8], each[i] / each[8], 0.02, "%zu: %g", i,
				   rates[i] / rates[8]);
}

/* However bursts and passes over the five groups fall together. */
Test(trial, hot_places_of_a_program_that_works_in_bursts)
{
	static const double each[20] = {[7] = 1, [9] = .5, [14] = 1, [19] = .1};

	for (size_t works_each = 1; works_each <= TRIAL_TIMES; works_each++) {
		struct program p = {.each = each, .works_each = works_each};
		double rates[20];

		cr_assert_eq(run(&p, rates, 20), 0);
		for (size_t i = 0; i < 20; i++)
			cr_expect_float_eq(rates[i] / rates[7], each[i], 0.02, "each %zu, %zu: %g",
					   works_each, i, rates[i] / rates[7]);
	}
}

Test(trial, one_alone_and_one_that_is_hardly_met)
{
	static const double each[6] = {[0] = .001, [5] = 1};
	struct program p = {.each = each}, alone = {.each = each};
	double rates[6];

	cr_assert_eq(run(&p, rates, 6), 0);
	cr_expect_gt(rates[5], 99 * rates[0]);
	cr_assert_eq(run(&alone, rates, 1), 0);
	cr_expect_eq(rates[0], 1);
}

Test(trial, has_an_end)
{
	static const double none[PLACES_MAX];
	double rates[PLACES_MAX];
	struct program p = {.each = none};

	cr_assert_eq(run(&p, rates, PLACES_MAX), 0);
	for (size_t i = 0; i < PLACES_MAX; i++) {
		cr_expect_eq(rates[i], 0);
		cr_expect_eq(p.seen[i], TRIAL_TIMES);
	}
	p = (struct program){.each = none, .fails_at = 3};
	cr_expect_eq(run(&p, rates, PLACES_MAX), -ENOSPC);
	cr_expect_eq(p.n, 3);
}
