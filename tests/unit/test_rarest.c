// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "model/rarest.h"

enum { MAX = 16 };

static struct profile_row rows[MAX];
static bool candidate[MAX];
static size_t n;

static void row(uint32_t event, uint64_t weight)
{
	candidate[n] = true;
	rows[n++] = (struct profile_row){.key.event = event, .samples = 1, .weight = weight};
}

/* One letter a row: s(tays), g(iven up). */
static void expect(size_t room, const char *want)
{
	bool give_up[MAX] = {0};
	char got[MAX + 1] = {0};

	rarest(rows, candidate, n, room, give_up);
	for (size_t i = 0; i < n; i++)
		got[i] = give_up[i] ? 'g' : 's';
	cr_expect_str_eq(got, want);
}

Test(rarest, room_for_all)
{
	expect(3, "");
	row(0, 1);
	row(0, 2);
	expect(2, "ss");
	expect(99, "ss");
}

Test(rarest, the_lightest_go)
{
	row(0, 5);
	row(0, UINT64_MAX);
	row(0, 1);
	row(0, 1ULL << 33);
	expect(3, "ssgs");
	expect(2, "gsgs");
	expect(1, "gsgg");
	expect(0, "gggg");
}

Test(rarest, of_equal_ones_the_older_go)
{
	row(0, 1);
	row(0, 1);
	row(0, 1);
	expect(2, "gss");
	expect(1, "ggs");
}

Test(rarest, each_event_gets_what_it_needs_or_as_much_as_the_others)
{
	row(0, 1);
	row(1, 1000);
	row(1, 2000);
	row(1, 3000);
	row(2, 7);
	row(2, 8);
	row(2, 9);
	expect(5, "sgssgss");
	expect(3, "sggsggs");
	expect(6, "sgsssss");
}

Test(rarest, others_than_candidates_are_left_alone)
{
	row(0, 1);
	row(0, 2);
	row(0, 3);
	candidate[0] = false;
	expect(1, "sgs");
}
