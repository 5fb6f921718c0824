// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <math.h>

#include "prof/compare.h"
#include "prof_build.h"

static struct prof *before, *after;
static struct err err;

static struct prof *two_types(void)
{
	struct prof *p = prof__new();

	prof__type(p, "cycles_sample", "count");
	prof__type(p, "cycles_event", "count");
	return p;
}

static void begin(void)
{
	before = two_types();
	after = two_types();
	BUILD_SAMPLE(before, "same,main", 0, 1000, 10000);
	BUILD_SAMPLE(before, "grown,main", 0, 100, 1000);
	BUILD_SAMPLE(before, "gone,main", 0, 50, 500);
	/* twice as long, but for what has changed */
	BUILD_SAMPLE(after, "same,main", 0, 2010, 20100);
	BUILD_SAMPLE(after, "grown,main", 0, 400, 4000);
	BUILD_SAMPLE(after, "fresh,main", 0, 2, 20);
}

static void end(void)
{
	before = prof__free(before);
	after = prof__free(after);
}

TestSuite(compare, .init = begin, .fini = end);

static struct comparison *compare(double old_total, double new_total, bool stacks, bool total)
{
	struct compare_side old = {before, 1, 0, old_total, 10}, new = {after, 1, 0, new_total, 10};
	struct compare_opts opts = {.stacks = stacks, .total = total};
	struct comparison *c;
	struct prof_key *keys;

	cr_assert_eq(prof_keys__parse(&keys, &opts.n_keys, "function", before, &err), 0);
	opts.keys = keys;
	c = comparison__new(&old, &new, &opts);
	prof_keys__free(keys, opts.n_keys);
	return c;
}

static const struct compare_row *row_of(const struct comparison *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++) {
		if (strcmp(comparison__text(c, c->rows[i].text), name) == 0)
			return &c->rows[i];
	}
	cr_assert_fail("no row '%s'", name);
	abort();
}

Test(compare, against_totals)
{
	struct comparison *c = compare(1, 2, false, false);

	cr_expect_eq(c->n, 4, "main has no self");
	cr_expect_float_eq(compare_row__growth(row_of(c, "same")), 0.005, 1e-12);
	cr_expect_float_eq(compare_row__growth(row_of(c, "grown")), 1, 1e-12);
	cr_expect_eq(compare_row__growth(row_of(c, "gone")), -1);
	cr_expect(isinf(compare_row__growth(row_of(c, "fresh"))));
	cr_expect_eq(row_of(c, "grown")->scaled, 2000);
	comparison__free(c);
}

Test(compare, significance_is_about_counts_and_not_about_change)
{
	struct comparison *c = compare(1, 2, false, false);

	cr_expect(row_of(c, "grown")->significant);
	cr_expect(row_of(c, "gone")->significant);
	cr_expect_not(row_of(c, "same")->significant);
	cr_expect_not(row_of(c, "fresh")->significant, "2 samples");
	for (size_t i = 1; i < c->n; i++)
		cr_expect_leq(c->rows[i - 1].p, c->rows[i].p);
	comparison__free(c);
}

Test(compare, other_totals_other_verdicts)
{
	struct comparison *c = compare(1, 4, false, false);

	cr_expect_not(row_of(c, "grown")->significant);
	cr_expect(row_of(c, "same")->significant, "it has halved");
	comparison__free(c);
}

Test(compare, stacks_and_totals)
{
	struct comparison *c = compare(1, 2, true, false);

	cr_expect_eq(row_of(c, "main\ngrown")->before, 1000);
	cr_expect_eq(c->n, 4);
	comparison__free(c);
	c = compare(1, 2, false, true);
	cr_expect_eq(row_of(c, "main")->before, 11500);
	cr_expect_eq(row_of(c, "main")->after, 24120);
	comparison__free(c);
}

Test(compare, without_numbers_of_samples_nothing_is_significant)
{
	struct compare_side old = {before, 1, PROF_NO_TYPE, 1, 0};
	struct compare_side new = {after, 1, PROF_NO_TYPE, 2, 0};
	const struct compare_opts opts = {.stacks = true};
	struct comparison *c = comparison__new(&old, &new, &opts);

	cr_expect_not(c->has_samples);
	for (size_t i = 0; i < c->n; i++)
		cr_expect(!c->rows[i].significant && isnan(c->rows[i].p));
	cr_expect_str_eq(comparison__text(c, c->rows[0].text), "main\ngrown", "the largest change");
	comparison__free(c);
}

/* The same program twice, a thousand times: about one in 20 times, at most, something is called
 * significant. */
Test(compare, false_alarms_are_rare)
{
	uint64_t state = 1;
	int alarms = 0;

	for (int round = 0; round < 1000; round++) {
		struct comparison *c;
		bool any = false;

		end();
		before = two_types();
		after = two_types();
		for (int i = 0; i < 4000; i++) {
			struct prof *p = i % 2 ? before : after;
			char name[] = "f0";

			state = state * 6364136223846793005 + 1442695040888963407;
			name[1] = (char)('a' + (state >> 33) % 10);
			BUILD_SAMPLE(p, name, 0, 1, 10);
		}
		c = compare(1, 1, true, false);
		for (size_t i = 0; i < c->n; i++)
			any |= c->rows[i].significant;
		alarms += any;
		comparison__free(c);
	}
	cr_expect_leq(alarms, 60, "%d of 1000", alarms);
	cr_expect_gt(alarms, 3, "%d of 1000: it would never tell", alarms);
}
