// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Blocks of allocators: by address, the later one is there, and it ends when it is taken. */
#include <criterion/criterion.h>

#include "model/blocks.h"
#include "model/sites.h"

static struct blocks b;

static uint32_t site(uint32_t tgid, uint64_t addr)
{
	bool inherited;

	return blocks__site(&b, tgid, addr, &inherited);
}

static bool inherited(uint32_t tgid, uint64_t addr)
{
	bool is;

	blocks__site(&b, tgid, addr, &is);
	return is;
}

static void end(void)
{
	blocks__done(&b);
	cr_expect_eq(b.bytes, 0, "all is given back");
}

TestSuite(blocks, .fini = end);

Test(blocks, each_byte_of_it_and_no_other)
{
	cr_expect(blocks__put(&b, 1, 0x1000, 16, 5));
	cr_expect(blocks__put(&b, 1, 0x1010, 0, 6), "nothing is one byte");
	cr_expect_eq(site(1, 0xfff), SITE_UNKNOWN);
	cr_expect_eq(site(1, 0x1000), 5);
	cr_expect_eq(site(1, 0x100f), 5);
	cr_expect_eq(site(1, 0x1010), 6);
	cr_expect_eq(site(1, 0x1011), SITE_UNKNOWN);
	cr_expect_eq(site(2, 0x1000), SITE_UNKNOWN, "another process");
}

Test(blocks, until_it_is_taken)
{
	blocks__put(&b, 1, 0x1000, 16, 5);
	blocks__take(&b, 1, 0x1008);
	blocks__take(&b, 2, 0x1000);
	cr_expect_eq(site(1, 0x1000), 5, "by its beginning, of its process");
	blocks__take(&b, 1, 0x1000);
	blocks__take(&b, 1, 0x1000);
	cr_expect_eq(site(1, 0x1000), SITE_UNKNOWN);
}

Test(blocks, what_is_covered_has_gone)
{
	for (uint64_t i = 0; i < 10; i++)
		blocks__put(&b, 1, 0x1000 + 0x10 * i, 16, (uint32_t)(10 + i));
	blocks__put(&b, 1, 0x1018, 0x20, 7);
	cr_expect_eq(site(1, 0x1000), 10);
	cr_expect_eq(site(1, 0x1010), SITE_UNKNOWN, "it reached into the new one");
	cr_expect_eq(site(1, 0x1037), 7);
	cr_expect_eq(site(1, 0x1038), SITE_UNKNOWN);
	cr_expect_eq(site(1, 0x1040), 14);
}

Test(blocks, no_block_of_user_space)
{
	cr_expect_not(blocks__put(&b, 1, 0xffff800000000000, 16, 5));
	cr_expect_not(blocks__put(&b, 1, 0x1000, UINT64_MAX, 5));
	cr_expect_not(blocks__put(&b, 1, 0x7fffffffffffffff, 16, 5));
	cr_expect_eq(site(1, 0x1000), SITE_UNKNOWN);
}

Test(blocks, no_more_than_there_is_room_for)
{
	bool any = false, refused = false;

	b.limit = 16384;
	for (uint64_t i = 0; i < 10000; i++) {
		bool put = blocks__put(&b, 1, 0x1000 * (i + 1), 16, 5);

		any |= put;
		refused |= !put;
		cr_assert_leq(b.bytes, b.limit);
	}
	cr_expect(any && refused);
	blocks__forget(&b, 1);
	cr_expect(blocks__put(&b, 1, 0x1000, 16, 5), "there is room again");
	blocks__forget_all(&b);
	cr_expect_eq(site(1, 0x1000), SITE_UNKNOWN);
}

enum { SPACE = 512 };
static uint32_t truth[SPACE]; /* the number of the block that has the byte; 0: none */

static void forget_whole(uint32_t number)
{
	for (uint32_t i = 0; number && i < SPACE; i++) {
		if (truth[i] == number)
			truth[i] = 0;
	}
}

static void put_both(uint32_t at, uint32_t size, uint32_t number)
{
	blocks__put(&b, 1, at, size, number);
	for (uint32_t i = at; i < at + size; i++)
		forget_whole(truth[i]);
	for (uint32_t i = at; i < at + size; i++)
		truth[i] = number;
}

static void take_both(uint32_t at)
{
	blocks__take(&b, 1, at);
	if (!at || truth[at - 1] != truth[at])
		forget_whole(truth[at]);
}

Test(blocks, as_a_map_of_bytes_has_it)
{
	uint32_t random = 1, next = SITE_OTHER;

	for (int step = 0; step < 20000; step++) {
		uint32_t at, size;

		random = random * 1664525 + 1013904223;
		at = (random >> 8) % SPACE;
		size = 1 + (random >> 20) % 24;
		if (random >> 31)
			take_both(at);
		else if (at + size <= SPACE)
			put_both(at, size, ++next);
		cr_assert_eq(site(1, at), truth[at], "step %d", step);
	}
	for (uint32_t i = 0; i < SPACE; i++)
		cr_expect_eq(site(1, i), truth[i], "byte %u", i);
}

/* ---------------------------------------------------------------- children */

enum { N = 2000 };

static uint64_t addr_of(uint64_t i)
{
	return 0x1000 + 0x20 * i;
}

static void put_all(uint32_t tgid, uint32_t first_site)
{
	for (uint32_t i = 0; i < N; i++)
		cr_assert(blocks__put(&b, tgid, addr_of(i), 16, first_site + i));
}

Test(blocks, a_child_has_its_parents)
{
	put_all(1, 100);
	blocks__fork(&b, 1, 2);
	for (uint32_t i = 0; i < N; i++) {
		cr_assert_eq(site(2, addr_of(i)), 100 + i);
		cr_assert(inherited(2, addr_of(i)));
		cr_assert_not(inherited(1, addr_of(i)));
	}
	blocks__put(&b, 2, addr_of(3), 16, 7);
	cr_expect_not(inherited(2, addr_of(3)), "its own, in the place of that");
	cr_expect_eq(site(1, addr_of(3)), 103);
}

Test(blocks, what_either_frees_the_other_has)
{
	put_all(1, 100);
	blocks__fork(&b, 1, 2);
	for (uint32_t i = 0; i < N; i += 2)
		blocks__take(&b, 1, addr_of(i));
	for (uint32_t i = 1; i < N; i += 2)
		blocks__take(&b, 2, addr_of(i));
	for (uint32_t i = 0; i < N; i++) {
		cr_assert_eq(site(1, addr_of(i)), i % 2 ? 100 + i : SITE_UNKNOWN);
		cr_assert_eq(site(2, addr_of(i)), i % 2 ? SITE_UNKNOWN : 100 + i);
	}
	blocks__forget(&b, 1);
	cr_expect_eq(site(2, addr_of(0)), 100, "its parent has ended");
}

/* A fork takes as good as nothing, a change afterwards the way to it. */
Test(blocks, what_is_the_same_is_there_once)
{
	size_t one, change;

	put_all(1, 100);
	one = b.bytes;
	for (uint32_t child = 2; child < 50; child++)
		blocks__fork(&b, child - 1, child);
	cr_expect_lt(b.bytes, one + one / 10);
	change = b.bytes;
	blocks__take(&b, 30, addr_of(77));
	change = b.bytes - change;
	cr_expect_lt(change, one / 10, "%zu of %zu", change, one);
	for (uint32_t child = 1; child < 50; child++)
		cr_expect_eq(site(child, addr_of(77)), child == 30 ? SITE_UNKNOWN : 177);
}

/* Whatever they do, the bound holds, and nobody has what isn't so. */
Test(blocks, children_without_room)
{
	b.limit = 512 * 1024;
	put_all(1, 100);
	for (uint32_t child = 2; child < 40; child++) {
		blocks__fork(&b, 1, child);
		for (uint32_t i = 0; i < N; i += 3) {
			blocks__put(&b, child, addr_of(i), 16, child);
			cr_assert_leq(b.bytes, b.limit);
		}
		for (uint32_t i = 1; i < N; i += 3)
			blocks__take(&b, child, addr_of(i));
		for (uint32_t i = 0; i < N; i++) {
			uint32_t is = site(child, addr_of(i));

			if (i % 3 == 0)
				cr_assert(is == child || is == SITE_UNKNOWN);
			else if (i % 3 == 1)
				cr_assert_eq(is, SITE_UNKNOWN);
			else
				cr_assert(is == 100 + i || is == SITE_UNKNOWN);
		}
	}
	cr_expect_gt(b.forgotten, 0);
	for (uint32_t i = 0; i < N; i++)
		cr_expect_eq(site(1, addr_of(i)), 100 + i, "it never changed anything");
}

Test(blocks, a_child_of_nothing)
{
	blocks__fork(&b, 1, 2);
	blocks__put(&b, 2, 0x1000, 16, 5);
	blocks__fork(&b, 1, 2);
	cr_expect_eq(site(2, 0x1000), SITE_UNKNOWN, "the number was another's before");
}
