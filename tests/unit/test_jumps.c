// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>

#include "render/jumps.h"

/* All rows, and what is between the first two. */
static void expect(struct jumps *j, size_t n, const char *const *rows, const char *between)
{
	struct buf out = {0};

	jumps__settle(j);
	for (size_t i = 0; i < n; i++) {
		buf__clear(&out);
		jumps__draw(j, i, &out);
		cr_expect_str_eq(out.data, rows[i], "row %zu: '%s', not '%s'", i, out.data,
				 rows[i]);
	}
	buf__clear(&out);
	jumps__draw_between(j, 0, &out);
	cr_expect_str_eq(out.data, between, "between: '%s'", out.data);
	buf__done(&out);
	jumps__done(j);
}

Test(jumps, within_each_other)
{
	struct jumps j = {0};

	jumps__add(&j, 0, 4);
	jumps__add(&j, 3, 1);
	expect(&j, 5, (const char *const[]){"    +--", "    |+>", "    || ", "    |+-", "    +->"},
	       "    |  ");
}

Test(jumps, to_the_same_place_share_a_lane)
{
	struct jumps j = {0};

	jumps__add(&j, 1, 0);
	jumps__add(&j, 2, 0);
	expect(&j, 3, (const char *const[]){"     +>", "     +-", "     +-"}, "     | ");
}

Test(jumps, more_than_there_is_room_for)
{
	struct jumps j = {0};

	for (size_t i = 0; i < 2 * JUMP_LANES; i++)
		jumps__add(&j, i, 100 - i);
	jumps__settle(&j);
	cr_expect_eq(j.n, JUMP_LANES);
	jumps__done(&j);
	for (size_t i = 0; i < 10 * JUMPS_MAX; i++)
		jumps__add(&j, 2 * i, 2 * i + 1);
	jumps__settle(&j);
	cr_expect_eq(j.n, JUMPS_MAX);
	jumps__done(&j);
}
