// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>

#include "base/fair_room.h"
#include "pmubpf/budgets.h"

static struct fair_room room;

static void begin(void)
{
	room = (struct fair_room){.limit = 1 << 20, .few = 4096, .cost = FAIR_COST};
}

static void end(void)
{
	fair_room__clear(&room);
}

TestSuite(fair_room, .init = begin, .fini = end);

/* Each process is in one of its own, but those of many. */
enum { MANY = 1000000 };

static uint64_t cgroup_of(uint32_t tgid)
{
	return tgid < MANY ? tgid : MANY;
}

static size_t taken(uint32_t tgid, size_t tries)
{
	const struct fair_who who = {tgid, cgroup_of(tgid)};
	size_t n = 0;

	while (tries--)
		n += fair_room__take(&room, &who, 100) == FAIR_TAKEN;
	return n;
}

static size_t used(void)
{
	return room.used[FAIR_FEW] + room.used[FAIR_MANY];
}

Test(fair_room, one_gets_its_share_and_no_more)
{
	size_t n = taken(1, 100000);

	/* an eighth of what is left of a half: a ninth of it */
	cr_expect_leq(n * 100, 4096 + room.limit / 2 / (BUDGET_SHARE_OF_ONE + 1));
	cr_expect_geq(n * 100, room.limit / 2 / (BUDGET_SHARE_OF_ONE + 2));
	cr_expect_eq(taken(1, 10), 0);
}

Test(fair_room, there_is_some_for_who_had_none)
{
	for (uint32_t tgid = 1; tgid <= 100; tgid++)
		taken(tgid, 1000);
	cr_expect_eq(taken(101, 5), 5, "five of an exec");
	cr_expect_leq(used(), room.limit);
}

Test(fair_room, all_of_it_has_a_bound)
{
	for (uint32_t tgid = 1; tgid <= 100000; tgid++)
		taken(tgid, 5);
	cr_expect_leq(used(), room.limit);
}

Test(fair_room, it_is_free_again)
{
	taken(1, 100000);
	fair_room__clear(&room);
	cr_expect_eq(used(), 0);
	cr_expect_eq(taken(1, 5), 5);
}

/* However many processes of it do nothing else. */
Test(fair_room, a_cgroup_leaves_half)
{
	size_t n = 0;

	for (uint32_t i = 0; i < 100000; i++)
		n += taken(MANY + i, 5);
	cr_expect_leq(room.used[FAIR_FEW], room.limit / 4);
	cr_expect_geq(room.used[FAIR_FEW], room.limit / 4 - 1024);
	cr_expect_lt(n, 500000);
	cr_expect_eq(fair_room__take(&room, &(struct fair_who){MANY - 1, MANY}, 100),
		     FAIR_CGROUP_HAS_ITS_SHARE);
	cr_expect_eq(taken(1, 30), 30, "those of an exec");
}

Test(fair_room, further_ones_of_a_cgroup_leave_half)
{
	for (uint32_t i = 0; i < 1000; i++)
		taken(MANY + i, 1000);
	cr_expect_leq(room.used[FAIR_MANY], room.limit / 4);
	cr_expect_geq(taken(1, 1000) * 100, 4000 + room.limit / 4 / (BUDGET_SHARE_OF_ONE + 2));
}

Test(fair_room, what_is_given_back_is_there_for_others)
{
	size_t n = taken(MANY, 100000);

	for (size_t i = 0; i < n; i++)
		fair_room__give(&room, &(struct fair_who){MANY, MANY}, 100);
	cr_expect_eq(used(), 0);
	cr_expect_null(room.shares);
	cr_expect_null(room.cgroups);
	cr_expect_eq(taken(MANY, 100000), n, "as much again");
	fair_room__give(&room, &(struct fair_who){1, 1}, 100); /* had none */
	cr_expect_geq(used(), n * 100);
}
