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

/* Each process is in one of its own, but those of many. */
enum { MANY = 1000000 };

static uint64_t cgroup_of(uint32_t tgid)
{
	return tgid < MANY ? tgid : MANY;
}

static size_t taken(uint32_t tgid, size_t tries)
{
	size_t n = 0;

	while (tries--)
		n += life_room__take(&room, tgid, cgroup_of(tgid), 100) == LIFE_TAKEN;
	return n;
}

static size_t used(void)
{
	return room.used[LIFE_FEW] + room.used[LIFE_MANY];
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
	cr_expect_leq(used(), room.limit);
}

Test(life_room, all_of_it_has_a_bound)
{
	for (uint32_t tgid = 1; tgid <= 100000; tgid++)
		taken(tgid, 5);
	cr_expect_leq(used(), room.limit);
}

Test(life_room, it_is_free_again)
{
	taken(1, 100000);
	life_room__clear(&room);
	cr_expect_eq(used(), 0);
	cr_expect_eq(taken(1, 5), 5);
}

/* However many processes of it do nothing else. */
Test(life_room, a_cgroup_leaves_half)
{
	size_t n = 0;

	for (uint32_t i = 0; i < 100000; i++)
		n += taken(MANY + i, 5);
	cr_expect_leq(room.used[LIFE_FEW], room.limit / 4);
	cr_expect_geq(room.used[LIFE_FEW], room.limit / 4 - 1024);
	cr_expect_lt(n, 500000);
	cr_expect_eq(life_room__take(&room, MANY - 1, MANY, 100), LIFE_CGROUP_HAS_ITS_SHARE);
	cr_expect_eq(taken(1, 30), 30, "those of an exec");
}

Test(life_room, further_ones_of_a_cgroup_leave_half)
{
	for (uint32_t i = 0; i < 1000; i++)
		taken(MANY + i, 1000);
	cr_expect_leq(room.used[LIFE_MANY], room.limit / 4);
	cr_expect_geq(taken(1, 1000) * 100, 4000 + room.limit / 4 / (BUDGET_LIVES_SHARE + 2));
}
