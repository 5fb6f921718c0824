// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Sets of events that fit together, against machines with a few counters. */
#include "pmu/plan.h"

#include <criterion/criterion.h>
#include <errno.h>

#include "pmu/probe.h"

static struct event events[8];
static struct event_list list = {.events = events};
static struct plan plan;

/* A machine with *ctx counters; events of PERF_TYPE_MAX are unknown to it. */
static int counters(void *ctx, const struct event *const *asked, size_t n)
{
	size_t need = 0;

	for (size_t i = 0; i < n; i++) {
		if (asked[i]->attr.type == PERF_TYPE_MAX)
			return -ENOENT;
		need += asked[i]->attr.type != PERF_TYPE_SOFTWARE;
	}
	return need <= *(size_t *)ctx;
}

static void begin(size_t n)
{
	for (size_t i = 0; i < n; i++)
		events[i] = (struct event){.attr = {.type = PERF_TYPE_HARDWARE}};
	list.n = n;
}

static void expect_sets(size_t n_counters, size_t n_sets, const size_t *sets)
{
	plan__make(&plan, &list, counters, &n_counters);
	cr_expect_eq(plan.n_sets, n_sets, "%zu sets", plan.n_sets);
	for (size_t i = 0; i < list.n; i++)
		cr_expect_eq(plan.set[i], sets[i], "event %zu in set %zu", i, plan.set[i]);
}

Test(plan, all_fit)
{
	begin(3);
	expect_sets(3, 1, (size_t[]){0, 0, 0});
	cr_expect_eq(plan.n_contending, 3);
	plan__done(&plan);
}

Test(plan, sets_are_filled_in_order)
{
	begin(5);
	expect_sets(2, 3, (size_t[]){0, 0, 1, 1, 2});
	plan__done(&plan);
}

Test(plan, software_needs_no_counter)
{
	begin(3);
	events[1].attr.type = PERF_TYPE_SOFTWARE;
	expect_sets(1, 2, (size_t[]){0, 0, 1});
	cr_expect(plan.everywhere[1]);
	cr_expect_not(plan.everywhere[0]);
	cr_expect_eq(plan.n_contending, 2);
	plan__done(&plan);
}

Test(plan, groups_stay_together)
{
	begin(6);
	events[1].group = events[3].group = 1;
	events[4].group = events[5].group = 2;
	expect_sets(3, 2, (size_t[]){0, 0, 1, 0, 1, 1});
	for (size_t i = 0; i < 6; i++)
		events[i].group = 0;
	plan__done(&plan);
}

/* On a machine whose third counter can count event 0 only: sampled in its own set, counted in
 * all. */
static int one_more_for_the_first(void *ctx, const struct event *const *asked, size_t n)
{
	size_t of_first = 0;

	(void)ctx;
	for (size_t i = 0; i < n; i++)
		of_first += asked[i] == &events[0];
	return n - (of_first > 1) <= 2;
}

Test(plan, what_can_be_counted_in_every_pass)
{
	begin(4);
	plan__make(&plan, &list, one_more_for_the_first, NULL);
	cr_expect_eq(plan.n_sets, 2);
	for (size_t i = 0; i < 4; i++)
		cr_expect_not(plan.everywhere[i], "%zu finds no room beside {2, 3}", i);
	plan__done(&plan);
	begin(3);
	plan__make(&plan, &list, one_more_for_the_first, NULL);
	cr_expect_eq(plan.n_sets, 2);
	cr_expect(plan.everywhere[0]);
	cr_expect_not(plan.everywhere[1] || plan.everywhere[2]);
	plan__done(&plan);
}

Test(plan, what_cannot_be_opened_does_not_split)
{
	begin(3);
	events[1].attr.type = PERF_TYPE_MAX;
	expect_sets(1, 1, (size_t[]){0, 0, 0});
	plan__done(&plan);
}

static int takes(void *ctx, unsigned precise)
{
	return precise <= *(unsigned *)ctx ? 0 : -EOPNOTSUPP;
}

Test(precise, falls_back_one_step_at_a_time)
{
	for (unsigned level = 0; level <= 3; level++)
		cr_expect_eq(precise__highest(takes, &level), level);
}
