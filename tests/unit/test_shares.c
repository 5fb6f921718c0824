// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Who has to go where there is no room for another table. */
#include <criterion/criterion.h>
#include <linux/types.h>

#include "unwind/parts.h"
#include "unwind/shares.h"
#include "unwind/waiting.h"

static const struct table_room all = {1000, 8000, 1000000};
static const uint64_t S = 1000000000;

static struct shares *s;
static uint32_t victims[PMB_FILES_MAX];
static bool used[100];

static void setup(void)
{
	s = shares__new(&all);
	memset(used, true, sizeof(used));
}

static void teardown(void)
{
	shares__free(s);
}

TestSuite(shares, .init = setup, .fini = teardown);

static struct claim claim(uint32_t number, uint64_t cgroup, uint32_t rules)
{
	return (struct claim){number, number, cgroup, {1, rules, 10}};
}

static void hold_at(uint32_t at, uint32_t number, uint64_t cgroup, uint32_t rules)
{
	struct claim c = claim(number, cgroup, rules);

	shares__hold(s, &c, (struct table_offsets){number, at}, S);
}

static void samples(uint32_t number, uint32_t n)
{
	shares__credit(s, number, n * SHARES_SAMPLE);
}

static size_t victims_of(struct claim c)
{
	return shares__victims(s, &c, used, 100, victims);
}

/* 16 of a hostile cgroup, 500 rules each: all there is. Each has been counted for a second. */
static void fill(uint64_t cgroup, uint32_t samples_each)
{
	for (uint32_t i = 1; i <= 16; i++)
		hold_at((i - 1) * 500, i, cgroup, 500);
	shares__tick(s, S);
	for (uint32_t i = 1; i <= 16; i++)
		samples(i, samples_each);
}

Test(shares, samples_are_counted_when_half_is_gone)
{
	cr_expect_not(shares__short(s));
	hold_at(0, 1, 7, 4000);
	cr_expect_not(shares__short(s));
	hold_at(4000, 2, 7, 1);
	cr_expect(shares__short(s));
	shares__release(s, 1);
	cr_expect_not(shares__short(s));
}

Test(shares, where_there_is_a_gap_nobody_goes)
{
	struct claim c = claim(50, 8, 100);

	fill(7, 10);
	cr_expect_not(shares__fits(s, &c));
	shares__release(s, 16);
	cr_expect(shares__fits(s, &c));
	c.need.rules = 501;
	cr_expect_not(shares__fits(s, &c));
	shares__release(s, 14);
	cr_expect_not(shares__fits(s, &c), "two gaps are no larger one");
	shares__release(s, 15);
	cr_expect(shares__fits(s, &c));
}

Test(shares, what_a_cgroup_has_beyond_its_share_is_given_back_to_those_within)
{
	fill(7, 1000);
	for (uint32_t i = 1; i <= 16; i++)
		samples(i, i == 7 || i == 8 ? 0 : 1);
	cr_assert_eq(victims_of(claim(50, 8, 600)), 2, "though nobody has sampled it yet");
	cr_expect_eq(victims[0], 7, "neighbours, with the fewest samples together");
	cr_expect_eq(victims[1], 8);
	cr_expect_eq(victims_of(claim(50, 8, 2001)), 0, "that is more than a share");
}

Test(shares, nobody_loses_its_share_to_what_has_fewer_samples)
{
	for (uint32_t i = 1; i <= 16; i++)
		hold_at((i - 1) * 500, i, 10 + i % 4, 500); /* four cgroups within their shares */
	shares__tick(s, S);
	for (uint32_t i = 1; i <= 16; i++)
		samples(i, 10);
	samples(50, 10);
	cr_expect_eq(victims_of(claim(50, 8, 500)), 0);
	samples(50, 11);
	cr_expect_eq(victims_of(claim(50, 8, 500)), 1, "it has more than twice as many");
}

Test(shares, who_is_beyond_its_share_takes_none_of_others)
{
	for (uint32_t i = 1; i <= 8; i++)
		hold_at((i - 1) * 500, i, 7, 500);
	for (uint32_t i = 9; i <= 16; i++)
		hold_at((i - 1) * 500, i, 10 + i % 4, 500);
	shares__tick(s, S);
	for (uint32_t i = 1; i <= 16; i++)
		samples(i, i > 8 ? 3 : 100);
	samples(50, 300);
	cr_assert_eq(victims_of(claim(50, 7, 500)), 1);
	cr_expect_leq(victims[0], 8, "of its own, though those have more samples");
}

Test(shares, fewest_samples_for_what_they_take_go_first)
{
	fill(7, 20);
	shares__release(s, 5);
	hold_at(2000, 5, 7, 50); /* fewer samples than the others, and a tenth of the rules */
	shares__credit(s, 5, 0);
	samples(50, 100);
	cr_assert_eq(victims_of(claim(50, 7, 480)), 1);
	cr_expect_eq(victims[0], 1);
	samples(1, 1000);
	cr_assert_eq(victims_of(claim(50, 7, 480)), 1);
	cr_expect_eq(victims[0], 2);
}

Test(shares, a_little_more_is_not_enough)
{
	fill(7, 20);
	samples(50, 39);
	cr_expect_eq(victims_of(claim(50, 7, 500)), 0);
	samples(50, 2);
	cr_expect_eq(victims_of(claim(50, 7, 500)), 1);
}

Test(shares, what_nobody_maps_goes_before_all_others)
{
	fill(7, 0);
	for (uint32_t i = 1; i <= 16; i++)
		samples(i, 5);
	used[9] = false;
	samples(50, 1000);
	cr_assert_eq(victims_of(claim(50, 7, 400)), 1);
	cr_expect_eq(victims[0], 1, "one that is sampled is, for it is run again and again");
	for (int i = 0; i < 4; i++)
		shares__tick(s, S + (uint64_t)i * 4 * S);
	cr_assert_eq(victims_of(claim(60, 7, 400)), 1, "nothing is known of the other");
	cr_expect_eq(victims[0], 9);
}

Test(shares, what_had_no_samples_for_long_goes_for_anybody)
{
	fill(7, 5);
	cr_expect_eq(victims_of(claim(50, 7, 500)), 0);
	for (int i = 0; i < 10; i++) {
		shares__tick(s, S + (uint64_t)i * 4 * S);
		for (uint32_t k = 2; k <= 16; k++)
			samples(k, 1);
	}
	cr_assert_eq(victims_of(claim(50, 7, 500)), 1);
	cr_expect_eq(victims[0], 1);
}

Test(shares, all_or_nothing)
{
	fill(7, 100);
	samples(50, 10000);
	for (uint32_t i = 2; i <= 16; i++)
		samples(i, 1000000);
	cr_expect_eq(victims_of(claim(50, 7, 501)), 0, "one would do, and has not enough");
}

Test(shares, rows_lie_anywhere)
{
	struct claim rows = claim(50, 8, 10);
	struct table_room less = {1000, 8000, 165}; /* the 16 have 160 */

	fill(7, 1);
	shares__release(s, 16);
	shares__resize(s, &less);
	rows.need.rows = 35; /* there are 15 */
	cr_expect_eq(victims_of(rows), 2);
	rows.need.rules = 8001;
	cr_expect_eq(victims_of(rows), 0);
}

Test(shares, a_file_has_a_budget_for_all_its_parts)
{
	struct claim c = {1, 5, 7, {1, 600, 10}};

	cr_expect(shares__may(s, &c));
	shares__hold(s, &c, (struct table_offsets){0, 0}, S);
	cr_expect(shares__may(s, &c), "its own is not counted twice");
	c.number = PART_FIRST + 3;
	cr_expect_not(shares__may(s, &c), "1,200 of 8,000");
	c.need.rules = 400;
	cr_expect(shares__may(s, &c));
	c.need.rows = all.rows / SHARES_OF_FILE;
	cr_expect_not(shares__may(s, &c));
	c.file = 6;
	cr_expect(shares__may(s, &c));
}

Test(shares, credit_is_of_the_file_and_not_of_who_has_the_number_next)
{
	hold_at(0, 1, 7, 5000);
	samples(1, 10);
	shares__forget(s, 1);
	cr_expect_eq(shares__credit_of(s, 1), 0);
	cr_expect_not(shares__short(s));
}

Test(waiting, twice_as_long_each_time_and_half_a_minute_at_most)
{
	static const unsigned pauses[] = {1, 2, 4, 8, 16, 32, 32};
	struct shares *none = shares__new(&all);
	struct waiting *w = waiting__new();
	struct claim c = claim(3, 7, 10);
	uint64_t now = 5;

	cr_expect_not(waiting__met(w, 3));
	for (size_t i = 0; i < 7; i++) {
		waiting__add(w, &c, now);
		now += pauses[i] * S;
		cr_expect_null(waiting__due(w, none, now - 1));
		cr_assert_not_null(waiting__due(w, none, now));
		cr_expect_eq(waiting__due(w, none, now)->number, 3);
	}
	waiting__end(w, 3);
	cr_expect_null(waiting__due(w, none, now));
	cr_expect(waiting__met(w, 3));
	waiting__forget(w, 3);
	waiting__add(w, &c, now);
	cr_expect_not_null(waiting__due(w, none, now + S), "as the first time");
	waiting__free(w);
	shares__free(none);
}

Test(waiting, the_most_sampled_first)
{
	struct shares *none = shares__new(&all);
	struct waiting *w = waiting__new();

	for (uint32_t i = 1; i < 4; i++) {
		struct claim c = claim(i, 7, 10);

		waiting__add(w, &c, 0);
	}
	shares__credit(none, 2, 5);
	cr_expect_eq(waiting__due(w, none, S)->number, 2);
	waiting__end(w, 2);
	cr_expect_neq(waiting__due(w, none, S)->number, 2);
	waiting__free(w);
	shares__free(none);
}
