// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Blocks of allocators: by address, the later one is there, and it ends when it is taken. */
#include <criterion/criterion.h>

#include "model/blocks.h"
#include "model/sites.h"

static struct blocks b;

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
	cr_expect_eq(blocks__site(&b, 1, 0xfff), SITE_UNKNOWN);
	cr_expect_eq(blocks__site(&b, 1, 0x1000), 5);
	cr_expect_eq(blocks__site(&b, 1, 0x100f), 5);
	cr_expect_eq(blocks__site(&b, 1, 0x1010), 6);
	cr_expect_eq(blocks__site(&b, 1, 0x1011), SITE_UNKNOWN);
	cr_expect_eq(blocks__site(&b, 2, 0x1000), SITE_UNKNOWN, "another process");
}

Test(blocks, until_it_is_taken)
{
	blocks__put(&b, 1, 0x1000, 16, 5);
	blocks__take(&b, 1, 0x1008);
	blocks__take(&b, 2, 0x1000);
	cr_expect_eq(blocks__site(&b, 1, 0x1000), 5, "by its beginning, of its process");
	blocks__take(&b, 1, 0x1000);
	blocks__take(&b, 1, 0x1000);
	cr_expect_eq(blocks__site(&b, 1, 0x1000), SITE_UNKNOWN);
}

Test(blocks, what_is_covered_has_gone)
{
	for (uint64_t i = 0; i < 10; i++)
		blocks__put(&b, 1, 0x1000 + 0x10 * i, 16, (uint32_t)(10 + i));
	blocks__put(&b, 1, 0x1018, 0x20, 7);
	cr_expect_eq(blocks__site(&b, 1, 0x1000), 10);
	cr_expect_eq(blocks__site(&b, 1, 0x1010), SITE_UNKNOWN, "it reached into the new one");
	cr_expect_eq(blocks__site(&b, 1, 0x1037), 7);
	cr_expect_eq(blocks__site(&b, 1, 0x1038), SITE_UNKNOWN);
	cr_expect_eq(blocks__site(&b, 1, 0x1040), 14);
}

Test(blocks, no_block_of_user_space)
{
	cr_expect_not(blocks__put(&b, 1, 0xffff800000000000, 16, 5));
	cr_expect_not(blocks__put(&b, 1, 0x1000, UINT64_MAX, 5));
	cr_expect_not(blocks__put(&b, 1, 0x7fffffffffffffff, 16, 5));
	cr_expect_eq(blocks__site(&b, 1, 0x1000), SITE_UNKNOWN);
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
	cr_expect_eq(blocks__site(&b, 1, 0x1000), SITE_UNKNOWN);
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
		cr_assert_eq(blocks__site(&b, 1, at), truth[at], "step %d", step);
	}
	for (uint32_t i = 0; i < SPACE; i++)
		cr_expect_eq(blocks__site(&b, 1, i), truth[i], "byte %u", i);
}
