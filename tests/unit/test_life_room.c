// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>

#include "assemble/life_room.h"
#include "pmubpf/budgets.h"

static struct life_room room;

static void begin(void)
{
	room = (struct life_room){.limit = 1 << 20};
}

static void end(void)
{
	life_room__clear(&room);
}

TestSuite(life_room, .init = begin, .fini = end);

static size_t taken(uint32_t tgid, size_t tries)
{
	size_t n = 0;

	while (tries--)
		n += life_room__take(&room, tgid, 100);
	return n;
}

Test(life_room, one_gets_its_share_and_no_more)
{
	size_t n = taken(1, 100000);

	/* an eighth of what is left of a half: a ninth of it */
	cr_expect_leq(n * 100, 4096 + room.limit / 2 / (BUDGET_LIVES_SHARE + 1));
	cr_expect_geq(n * 100, room.limit / 2 / (BUDGET_LIVES_SHARE + 2));
	cr_expect_eq(taken(1, 10), 0);
}

Test(life_room, there_is_some_for_who_had_none)
{
	for (uint32_t tgid = 1; tgid <= 100; tgid++)
		taken(tgid, 1000);
	cr_expect_eq(taken(101, 5), 5, "five of an exec");
	cr_expect_leq(room.few + room.many, room.limit);
}

Test(life_room, all_of_it_has_a_bound)
{
	for (uint32_t tgid = 1; tgid <= 100000; tgid++)
		taken(tgid, 5);
	cr_expect_leq(room.few + room.many, room.limit);
}

Test(life_room, it_is_free_again)
{
	taken(1, 100000);
	life_room__clear(&room);
	cr_expect_eq(room.few + room.many, 0);
	cr_expect_eq(taken(1, 5), 5);
}
