// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How periods follow cost: machines that are simulated in steps of 100 ms, with loads that
 * change. */
#include <criterion/criterion.h>

#include "model/budget.h"

enum { STEP_MS = 100, CPUS = 2 };

/* A load at the default period of a millisecond. */
struct load {
	double each_ns; /* an overflow, with its reading */
	double fixed;   /* of what a CPU does: whatever the period */
	double ring;    /* how full at the default period */
	unsigned noise; /* percent of each_ns, up and down */
};

struct run {
	struct budget budget;
	uint64_t seed;
	double spent_ns, passed_ns;
	unsigned changes, shortened;
};

static struct run start(double percent)
{
	struct run run = {.seed = 1};

	budget__init(&run.budget, percent / 100 * CPUS, 100, BUDGET_LEFT);
	return run;
}

static double noisy(struct run *run, const struct load *load)
{
	run->seed = run->seed * 6364136223846793005u + 1442695040888963407u;
	return load->each_ns *
	       (1 + load->noise / 100.0 * ((double)(run->seed >> 40) / (1 << 23) - 1));
}

static void run_for(struct run *run, const struct load *load, double seconds)
{
	for (int i = 0; i < (int)(seconds * 1000 / STEP_MS); i++) {
		double n = STEP_MS * CPUS / run->budget.factor, before = run->budget.factor;
		struct budget_window w = {
			.span_ns = STEP_MS * 1000000,
			.overflows = (uint64_t)(n + 0.5),
			.varying_ns = (uint64_t)(n * noisy(run, load)),
			.fixed_ns = (uint64_t)(load->fixed * STEP_MS * 1e6),
			.fill = load->ring / run->budget.factor,
		};

		w.lost = w.fill > 1;
		run->changes += budget__pass(&run->budget, &w);
		run->shortened += run->budget.factor < before;
		run->spent_ns += (double)(w.varying_ns + w.fixed_ns);
		run->passed_ns += STEP_MS * 1e6;
	}
}

/* Percent of the CPUs, since the last time. */
static double percent_spent(struct run *run)
{
	double percent = 100 * run->spent_ns / run->passed_ns / CPUS;

	run->spent_ns = run->passed_ns = 0;
	return percent;
}

Test(budget, what_fits_stays_as_it_is)
{
	struct run run = start(1);

	run_for(&run, &(struct load){.each_ns = 5000, .fixed = 0.002, .noise = 50}, 60);
	cr_expect_eq(run.changes, 0);
	cr_expect_eq(run.budget.factor, 1.0);
}

Test(budget, none_changes_nothing)
{
	struct run run = start(0);

	run_for(&run, &(struct load){.each_ns = 900000, .ring = 3}, 10);
	cr_expect_eq(run.changes, 0);
}

/* Twenty times too dear: seen at once, and what was overspent meanwhile is paid back. */
Test(budget, a_dear_load_is_within_its_budget_after_the_start)
{
	struct run run = start(0.05);

	run_for(&run, &(struct load){.each_ns = 10000, .noise = 50}, 1);
	cr_expect_eq(run.changes, 0);
	percent_spent(&run);
	run_for(&run, &(struct load){.each_ns = 10000, .noise = 50}, 8);
	cr_expect_leq(percent_spent(&run), 0.05);
	cr_expect_geq(run.budget.factor, 20.0);
	cr_expect_leq(run.budget.factor, 50.0);
	cr_expect_leq(run.changes, 4);
}

/* Programs that start all the time take three quarters of it: the rest is enough for samples. */
Test(budget, what_is_fixed_is_within_it)
{
	const struct load load = {.each_ns = 20000, .fixed = 0.0075 * CPUS, .noise = 50};
	struct run run = start(1);

	run_for(&run, &load, 20);
	percent_spent(&run);
	run_for(&run, &load, 100);
	cr_expect_leq(percent_spent(&run), 1.05);
	cr_expect_leq(run.budget.factor, 20.0, "and no more is taken from samples than that");
}

Test(budget, steady_loads_do_not_swing)
{
	for (double each = 5000; each < 300000; each *= 1.3) {
		struct run run = start(1);
		unsigned changes;

		run_for(&run, &(struct load){.each_ns = each, .fixed = 0.002, .noise = 50}, 20);
		changes = run.changes;
		percent_spent(&run);
		run_for(&run, &(struct load){.each_ns = each, .fixed = 0.002, .noise = 50}, 100);
		cr_expect_leq(percent_spent(&run), 1.05, "each %g", each);
		cr_expect_leq(run.changes - changes, 1, "each %g: %u changes", each,
			      run.changes - changes);
	}
}

/* 1 ms to 10 ms and back, as the load goes up and down; never below the default. */
Test(budget, follows_steps_up_and_down)
{
	struct load calm = {.each_ns = 5000, .noise = 20}, dear = {.each_ns = 100000, .noise = 20};
	struct run run = start(1);

	run_for(&run, &calm, 10);
	cr_expect_eq(run.budget.factor, 1.0);
	run_for(&run, &dear, 10);
	cr_expect_geq(run.budget.factor, 10.0);
	percent_spent(&run);
	run_for(&run, &dear, 20);
	cr_expect_leq(percent_spent(&run), 1.0);
	run_for(&run, &calm, 40);
	cr_expect_eq(run.budget.factor, 1.0);
	run_for(&run, &calm, 60);
	cr_expect_eq(run.budget.factor, 1.0);
}

/* A load that swings every second is not followed down, only each five seconds at most. */
Test(budget, a_load_that_swings_is_not_followed)
{
	struct run run = start(1);

	for (int i = 0; i < 60; i++)
		run_for(&run, &(struct load){.each_ns = i % 2 ? 5000 : 80000}, 1);
	cr_expect_leq(run.shortened, 12);
	run.changes = 0;
	percent_spent(&run);
	for (int i = 0; i < 60; i++)
		run_for(&run, &(struct load){.each_ns = i % 2 ? 5000 : 80000}, 1);
	cr_expect_leq(percent_spent(&run), 1.0);
	cr_expect_leq(run.changes, 24);
}

/* Programs start all the time: periods can't help, and samples keep a part of the budget. */
Test(budget, what_is_no_samples_fault_is_not_charged_to_them)
{
	struct run run = start(1);

	run_for(&run, &(struct load){.each_ns = 5000, .fixed = 0.5}, 60);
	cr_expect_leq(run.budget.factor, 3.0);
	cr_expect_leq(run.changes, 3);
}

/* /proc is read, files are opened, tables are built: not of the samples, and not for long. */
Test(budget, a_start_changes_nothing)
{
	struct run run = start(1);

	run_for(&run, &(struct load){.each_ns = 150000, .fixed = 0.5, .ring = 0.9}, 1);
	run_for(&run, &(struct load){.each_ns = 4000, .fixed = 0.001}, 10);
	cr_expect_eq(run.changes, 0);
}

Test(budget, a_reader_that_lags_gets_fewer_samples)
{
	struct run run = start(1);

	run_for(&run, &(struct load){.each_ns = 3000, .ring = 2.5}, 20);
	cr_expect_geq(run.budget.factor, 5.0);
	cr_expect_leq(run.budget.factor, 30.0);
	cr_expect_leq(run.budget.fill, 0.5);
	cr_expect_leq(run.changes, 5);
	run_for(&run, &(struct load){.each_ns = 3000, .ring = 0.05}, 60);
	cr_expect_eq(run.budget.factor, 1.0);
}

Test(budget, there_is_an_end_to_it)
{
	struct run run = start(0.01);

	run_for(&run, &(struct load){.each_ns = 1e6, .ring = 50}, 60);
	cr_expect_eq(run.budget.factor, 100.0);
}

/* Each of two default periods has its own share, factor and credit; what samples cost is learnt
 * anew. */
Test(budget, two_defaults)
{
	struct budget_mode other = budget__mode(0.05);
	struct budget b;

	budget__init(&b, 0.01, 100, BUDGET_LEFT);
	b.factor = 4;
	b.credit_ns = -5;
	b.varying_ns = b.varying_span_ns = 100;
	budget__swap(&b, &other);
	cr_expect_eq(b.factor, 1);
	cr_expect_eq(b.share, 0.05);
	cr_expect_eq(b.credit_ns, 0.05 * 1e9);
	cr_expect_eq(b.varying_ns, 0);
	budget__swap(&b, &other);
	cr_expect_eq(b.factor, 4);
	cr_expect_eq(b.share, 0.01);
	cr_expect_eq(b.credit_ns, -5);
	cr_expect_eq(b.highest, 4);
}
