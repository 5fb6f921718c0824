// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Memory that the kernel gave out: whose each byte is, as calls come one after the other. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "model/mapped.h"
#include "model/sites.h"

enum { PAGE = 4096 };

static struct mapped m;

static void end(void)
{
	mapped__done(&m);
	cr_expect_eq(m.blocks.bytes, 0, "all is given back");
}

TestSuite(mapped, .fini = end);

static void grow(uint64_t size, uint32_t site)
{
	uint64_t addr, more;

	mapped__break(&m, 1, 0x500000, size, &addr, &more);
	if (more)
		cr_expect(mapped__put(&m, 1, addr, more, site));
}

Test(mapped, what_is_cut_off_leaves_the_rest)
{
	mapped__put(&m, 1, 0x10000, 16 * PAGE, 5);
	mapped__take(&m, 1, 0x12000, 2 * PAGE);
	cr_expect_eq(mapped__site(&m, 1, 0x11fff), 5);
	cr_expect_eq(mapped__site(&m, 1, 0x12000), SITE_UNKNOWN);
	cr_expect_eq(mapped__site(&m, 1, 0x13fff), SITE_UNKNOWN);
	cr_expect_eq(mapped__site(&m, 1, 0x14000), 5);
	cr_expect_eq(mapped__site(&m, 1, 0x1ffff), 5);
	cr_expect_eq(mapped__site(&m, 1, 0x20000), SITE_UNKNOWN);
	mapped__put(&m, 1, 0x11000, 2 * PAGE, 6);
	cr_expect_eq(mapped__site(&m, 1, 0x10fff), 5);
	cr_expect_eq(mapped__site(&m, 1, 0x12fff), 6);
	mapped__take(&m, 1, 0, 0x200000);
	cr_expect_eq(mapped__site(&m, 1, 0x10000), SITE_UNKNOWN);
}

/* The room of one piece: where its middle goes there are two. */
Test(mapped, what_there_is_no_room_for_is_counted)
{
	mapped__put(&m, 1, 0x10000, 16 * PAGE, 5);
	m.blocks.limit = m.blocks.bytes;
	mapped__take(&m, 1, 0x12000, 2 * PAGE);
	cr_expect_eq(m.blocks.forgotten, 1, "half of it");
	mapped__break(&m, 2, 0x500000, PAGE, &(uint64_t){0}, &(uint64_t){0});
	cr_expect_eq(m.blocks.forgotten, 2, "a heap");
}

Test(mapped, a_part_of_a_page_is_all_of_it)
{
	mapped__put(&m, 1, 0x10000, 1, 5);
	cr_expect_eq(mapped__site(&m, 1, 0x10fff), 5);
	mapped__take(&m, 1, 0x10000, 1);
	cr_expect_eq(mapped__site(&m, 1, 0x10fff), SITE_UNKNOWN);
}

/* What was there when it was first seen is nobody's. */
Test(mapped, the_heap_grows_piece_by_piece)
{
	grow(0x1000, 4);
	cr_expect_eq(mapped__site(&m, 1, 0x500000), SITE_UNKNOWN);
	grow(0x3000, 5);
	grow(0x8000, 6);
	cr_expect_eq(mapped__site(&m, 1, 0x500fff), SITE_UNKNOWN);
	cr_expect_eq(mapped__site(&m, 1, 0x501000), 5);
	cr_expect_eq(mapped__site(&m, 1, 0x503000), 6);
	grow(0x2000, 7);
	cr_expect_eq(mapped__site(&m, 1, 0x501fff), 5);
	cr_expect_eq(mapped__site(&m, 1, 0x502000), SITE_UNKNOWN);
	grow(0x3000, 8);
	cr_expect_eq(mapped__site(&m, 1, 0x502000), 8);
}

Test(mapped, a_child_has_its_own)
{
	grow(0x1000, 4);
	grow(0x2000, 5);
	mapped__put(&m, 1, 0x10000, 16 * PAGE, 5);
	mapped__fork(&m, 1, 2);
	mapped__take(&m, 2, 0x10000, PAGE);
	mapped__take(&m, 1, 0x11000, PAGE);
	cr_expect_eq(mapped__site(&m, 1, 0x10000), 5);
	cr_expect_eq(mapped__site(&m, 2, 0x10000), SITE_UNKNOWN);
	cr_expect_eq(mapped__site(&m, 2, 0x11000), 5);
	cr_expect_eq(mapped__site(&m, 2, 0x501000), 5);
	mapped__forget(&m, 2);
	cr_expect_eq(mapped__site(&m, 2, 0x11000), SITE_UNKNOWN);
	cr_expect_eq(mapped__site(&m, 1, 0x12000), 5);
}

Test(mapped, numbers_that_cannot_be)
{
	cr_expect_not(mapped__put(&m, 1, UINT64_MAX - PAGE, UINT64_MAX, 5));
	cr_expect_not(mapped__put(&m, 1, 1ULL << 63, PAGE, 5));
	mapped__take(&m, 1, UINT64_MAX, UINT64_MAX);
	mapped__take(&m, 1, 0x1000, 0);
	grow(UINT64_MAX, 5);
	grow(0, 5);
}

/* Byte by byte: what a table of pages says. */
Test(mapped, as_a_table_says)
{
	enum { PAGES = 64, TURNS = 20000 };
	uint32_t known[PAGES] = {0};

	srand(1);
	for (int turn = 0; turn < TURNS; turn++) {
		size_t from = (size_t)rand() % PAGES, n = (size_t)rand() % (PAGES - from) + 1;
		uint32_t site = rand() % 3 ? 2 + (uint32_t)rand() % 100 : 0;

		if (site)
			mapped__put(&m, 1, (from + 1) * PAGE, n * PAGE, site);
		else
			mapped__take(&m, 1, (from + 1) * PAGE, n * PAGE);
		for (size_t i = from; i < from + n; i++)
			known[i] = site;
		for (size_t i = 0; i < PAGES; i++)
			cr_assert_eq(mapped__site(&m, 1, (i + 1) * PAGE + 7), known[i]);
	}
}

/* No room: nothing is wrong, whatever isn't known. */
Test(mapped, without_room)
{
	m.blocks.limit = 4096;
	for (uint64_t i = 1; i < 1000; i++)
		mapped__put(&m, 1, i * 2 * PAGE, PAGE, (uint32_t)i);
	cr_expect_leq(m.blocks.bytes, m.blocks.limit);
	for (uint64_t i = 1; i < 1000; i++) {
		uint32_t site = mapped__site(&m, 1, i * 2 * PAGE);

		cr_expect(site == SITE_UNKNOWN || site == i);
	}
}
