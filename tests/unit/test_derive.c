// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <math.h>

#include "base/cleanup.h"
#include "model/counts.h"
#include "model/derive.h"

enum { MS = 1000000 };

/* Ran all the time, 10 ms. */
static struct perf_count whole(uint64_t value)
{
	return (struct perf_count){value, 10 * MS, 10 * MS};
}

static struct perf_count part(uint64_t value, uint64_t percent)
{
	return (struct perf_count){value, 10 * MS, percent * MS / 10};
}

static struct derive_event event(enum derive_role role)
{
	return (struct derive_event){.role = role, .all_code = true};
}

static struct derived figures[DERIVE_MAX * 8];
static size_t n_figures;

static void run(const struct derive_event *events, const struct perf_count *counts, size_t n)
{
	n_figures = derive(events, counts, n, 20 * MS, false, figures);
}

/* The only figure of that kind, or NULL. */
static const struct derived *figure(enum derived_kind kind)
{
	const struct derived *found = NULL;

	for (size_t i = 0; i < n_figures; i++) {
		if (figures[i].kind != kind)
			continue;
		cr_assert_null(found, "%s twice", derived_keys[kind]);
		found = &figures[i];
	}
	return found;
}

static void expect_figure(enum derived_kind kind, double value, bool apart)
{
	const struct derived *f = figure(kind);

	cr_assert_not_null(f, "no %s", derived_keys[kind]);
	cr_expect_lt(fabs(f->value - value), 1e-9 * (1 + fabs(value)), "%s is %.9g, not %.9g",
		     derived_keys[kind], f->value, value);
	cr_expect_eq(f->apart, apart, "%s apart", derived_keys[kind]);
}

/* Of a clock whose rate nobody knows there is no figure. */
Test(derive, how_fast_a_core_ran)
{
	struct derive_event events[] = {event(ROLE_CORE_CLOCK), event(ROLE_BASE_CLOCK)};
	const struct perf_count counts[] = {whole(3000), whole(2000)};

	events[1].khz = 2100000;
	run(events, counts, 2);
	expect_figure(DERIVED_GHZ_RUNNING, 3.15, false);
	cr_expect(derived__is_ratio(figure(DERIVED_GHZ_RUNNING)));
	events[1].khz = 0;
	run(events, counts, 2);
	cr_expect_eq(n_figures, 0);
}

Test(derive, scaled_by_the_time_that_it_ran)
{
	struct perf_count half = part(100, 50), never = {5, 10, 0}, all = whole(7);

	cr_expect_eq(count__scaled(&half), 200);
	cr_expect_eq(count__share(&half), 50);
	cr_expect_eq(count__scaled(&never), 0);
	cr_expect_eq(count__share(&never), 0);
	cr_expect_eq(count__scaled(&all), 7);
	cr_expect_eq(count__share(&(struct perf_count){0}), 100);
}

Test(derive, clock_cycles_and_instructions)
{
	const struct derive_event events[] = {event(ROLE_TASK_CLOCK), event(ROLE_CYCLES),
					      event(ROLE_INSTRUCTIONS)};
	const struct perf_count counts[] = {whole(10 * MS), whole(25 * MS), whole(50 * MS)};

	run(events, counts, 3);
	expect_figure(DERIVED_CPUS_USED, 0.5, false);
	expect_figure(DERIVED_GHZ, 2.5, false);
	expect_figure(DERIVED_IPC, 2, false);
	expect_figure(DERIVED_CPI, 0.5, false);
	cr_expect_eq(n_figures, 4);
	cr_expect_eq(figure(DERIVED_CPUS_USED)->other, DERIVE_ELAPSED);
	cr_expect_eq(figure(DERIVED_IPC)->event, 2);
	cr_expect_eq(figure(DERIVED_IPC)->other, 1);
}

Test(derive, clocks_of_idle_cpus_tell_no_use)
{
	const struct derive_event events[] = {event(ROLE_TASK_CLOCK), event(ROLE_CYCLES)};
	const struct perf_count counts[] = {whole(10 * MS), whole(5 * MS)};

	n_figures = derive(events, counts, 2, 20 * MS, true, figures);
	cr_expect_null(figure(DERIVED_CPUS_USED));
	cr_expect_null(figure(DERIVED_GHZ));
	expect_figure(DERIVED_GHZ_IDLE, 0.5, false);
}

Test(derive, misses)
{
	struct derive_event events[] = {event(ROLE_INSTRUCTIONS),  event(ROLE_BRANCHES),
					event(ROLE_BRANCH_MISSES), event(ROLE_ACCESSES),
					event(ROLE_MISSES),        event(ROLE_OTHER_MISSES)};
	const struct perf_count counts[] = {whole(1000000), whole(200000), whole(1000),
					    whole(300000),  whole(6000),   whole(500)};

	events[3].cache = events[4].cache = 2;
	run(events, counts, 6);
	expect_figure(DERIVED_MISPREDICTED, 0.5, false);
	expect_figure(DERIVED_MISS_RATIO, 2, false);
	cr_expect_eq(n_figures, 5); /* these two, and three times per 1000 instructions */
	cr_expect_eq(figures[1].kind, DERIVED_MPKI);
	cr_expect_eq(figures[1].value, 1);
	cr_expect_eq(figures[3].value, 6);
	cr_expect_eq(figures[4].event, 5);
	cr_expect_eq(figures[4].value, 0.5);
}

Test(derive, accesses_of_another_cache_are_none)
{
	struct derive_event events[] = {event(ROLE_ACCESSES), event(ROLE_MISSES)};
	const struct perf_count counts[] = {whole(100), whole(10)};

	events[0].cache = 1;
	run(events, counts, 2);
	cr_expect_eq(n_figures, 0);
}

Test(derive, other_code_or_another_pmu_is_no_part)
{
	struct derive_event events[] = {event(ROLE_CYCLES), event(ROLE_INSTRUCTIONS)};
	const struct perf_count counts[] = {whole(100), whole(10)};

	events[1].set = 1;
	run(events, counts, 2);
	cr_expect_eq(n_figures, 0);
}

Test(derive, user_cycles_are_no_clock_rate)
{
	struct derive_event events[] = {event(ROLE_TASK_CLOCK), event(ROLE_CYCLES)};
	const struct perf_count counts[] = {whole(10 * MS), whole(100)};

	events[1].set = 2;
	events[1].all_code = false;
	run(events, counts, 2);
	cr_expect_null(figure(DERIVED_GHZ));
}

Test(derive, zero_denominators_make_no_figure)
{
	const struct derive_event events[] = {event(ROLE_CYCLES), event(ROLE_INSTRUCTIONS),
					      event(ROLE_BRANCHES), event(ROLE_BRANCH_MISSES),
					      event(ROLE_TASK_CLOCK)};
	const struct perf_count zeros[] = {whole(0), whole(0), whole(0), whole(0), whole(0)};
	const struct perf_count no_insns[] = {whole(10), whole(0), whole(0), whole(0), whole(0)};

	run(events, zeros, 5);
	expect_figure(DERIVED_CPUS_USED, 0, false);
	cr_expect_eq(n_figures, 1);
	run(events, no_insns, 5);
	expect_figure(DERIVED_IPC, 0, false);
	cr_expect_null(figure(DERIVED_CPI));
	cr_expect_eq(derive(events, no_insns, 5, 0, false, figures), 1, "no time passed");
}

Test(derive, what_never_ran_takes_no_part)
{
	const struct derive_event events[] = {event(ROLE_CYCLES), event(ROLE_INSTRUCTIONS),
					      event(ROLE_OCCURRENCES)};
	const struct perf_count counts[] = {{0}, whole(10), {0, 10 * MS, 0}};

	run(events, counts, 3);
	cr_expect_eq(n_figures, 0);
}

Test(derive, parts_that_shared_counters_are_marked)
{
	const struct derive_event events[] = {event(ROLE_CYCLES), event(ROLE_INSTRUCTIONS),
					      event(ROLE_OCCURRENCES)};
	const struct perf_count one[] = {whole(100), part(100, 50), part(10, 50)};
	const struct perf_count both[] = {part(100, 50), part(100, 50), whole(10)};

	run(events, one, 3);
	expect_figure(DERIVED_IPC, 2, true);
	expect_figure(DERIVED_CPI, 0.5, true);
	expect_figure(DERIVED_PER_SECOND, 1000, false); /* time is always there */
	run(events, both, 3);
	expect_figure(DERIVED_IPC, 1, true); /* perhaps together, perhaps not: nothing tells */
}

Test(derive, parts_of_different_times_are_marked)
{
	const struct derive_event events[] = {event(ROLE_CYCLES), event(ROLE_INSTRUCTIONS)};
	const struct perf_count near[] = {{100, 100 * MS, 100 * MS}, {10, 101 * MS, 101 * MS}};
	const struct perf_count far[] = {{100, 100 * MS, 100 * MS}, {10, 50 * MS, 50 * MS}};

	run(events, near, 2);
	expect_figure(DERIVED_IPC, 0.1, false);
	run(events, far, 2);
	expect_figure(DERIVED_IPC, 0.1, true);
}

Test(derive, a_zero_that_cannot_be)
{
	struct derive_event cycles = event(ROLE_CYCLES), misses = event(ROLE_MISSES);
	struct perf_count zero = whole(0), one = whole(1), brief = {0, 10, 10}, never = {0};

	cr_expect(derive__zero_is_false(&cycles, &zero));
	cr_expect_not(derive__zero_is_false(&cycles, &one));
	cr_expect_not(derive__zero_is_false(&cycles, &brief));
	cr_expect_not(derive__zero_is_false(&cycles, &never));
	cr_expect_not(derive__zero_is_false(&misses, &zero));
	cycles.all_code = false; /* cycles:k of a loop */
	cr_expect_not(derive__zero_is_false(&cycles, &zero));
}

Test(derive, spread_is_the_standard_error_of_the_mean)
{
	struct spread s = {0};

	cr_expect_eq(spread__percent(&s), 0);
	spread__add(&s, 2);
	cr_expect_eq(spread__percent(&s), 0);
	spread__add(&s, 4);
	spread__add(&s, 6);
	cr_expect_lt(fabs(s.mean - 4), 1e-12);
	/* deviation 2, of the mean 2/sqrt(3), in percent of 4 */
	cr_expect_lt(fabs(spread__percent(&s) - 50 / sqrt(3)), 1e-9);
	s = (struct spread){0};
	spread__add(&s, 0);
	spread__add(&s, 0);
	cr_expect_eq(spread__percent(&s), 0);
}

Test(counts, rows_are_found_again)
{
	_cleanup_(counts__done) struct counts c = {0};
	char name[] = "/a";

	cr_expect_eq(counts__row(&c, NULL, -1, -1), 0);
	cr_expect_eq(counts__row(&c, NULL, 0, -1), 1);
	cr_expect_eq(counts__row(&c, "/a", 0, -1), 2);
	cr_expect_eq(counts__row(&c, NULL, 0, -1), 1);
	cr_expect_eq(counts__row(&c, name, 0, -1), 2);
	cr_expect_eq(counts__row(&c, "/a", 0, 7), 3);
	cr_expect_eq(c.n_rows, 4);
}

Test(counts, sums)
{
	_cleanup_(counts__done) struct counts c = {0};
	_cleanup_(counts__done) struct counts copy = {0};

	counts__row(&c, NULL, -1, -1);
	counts__lay(&c, 2);
	c.cells[1] = (struct perf_count){1, 2, 3};
	c.placed[1] = true;
	c.from_ns = 5;
	c.to_ns = 15;
	copy = counts__copy(&c);
	counts__add(&copy, &c);
	cr_expect_eq(copy.cells[1].value, 2);
	cr_expect_eq(copy.cells[1].enabled_ns, 4);
	cr_expect_eq(copy.cells[1].running_ns, 6);
	cr_expect_eq(copy.cells[0].value, 0);
	cr_expect(copy.placed[1] && !copy.placed[0]);
	cr_expect_eq(copy.to_ns - copy.from_ns, 20);
	cr_expect_eq(c.cells[1].value, 1);
}
