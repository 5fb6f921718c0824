// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <stdlib.h>

#include "proc/mappings.h"

static struct mappings *add(struct mappings *m, uint64_t start, uint64_t end, uint64_t off,
			    uint32_t file)
{
	return mappings__add(m, &(struct mapping){start, end, off, file, false});
}

/* The byte of a file that an address shows: file * 1,000,000 + offset; 0: nothing mapped. */
static uint64_t shows(const struct mappings *m, uint64_t addr)
{
	const struct mapping *at = mappings__find(m, addr);

	return at ? at->file * 1000000ULL + at->file_off + (addr - at->start) : 0;
}

Test(mappings, the_empty_list_has_nothing)
{
	cr_expect_null(mappings__find(NULL, 0));
	cr_expect_null(mappings__find(NULL, UINT64_MAX));
	cr_expect_eq(mappings__count(NULL), 0);
	cr_expect_null(mappings__ref(NULL));
	cr_expect_null(mappings__unref(NULL));
}

Test(mappings, the_start_belongs_to_it_and_the_end_does_not)
{
	struct mappings *m = add(NULL, 0x1000, 0x2000, 0x40, 1);

	cr_expect_eq(shows(m, 0xfff), 0);
	cr_expect_eq(shows(m, 0x1000), 1000000 + 0x40);
	cr_expect_eq(shows(m, 0x1fff), 1000000 + 0x40 + 0xfff);
	cr_expect_eq(shows(m, 0x2000), 0);
	mappings__unref(m);
}

/* Data of a file lies above its code: anonymous code between belongs to nobody's. */
Test(mappings, the_file_below)
{
	struct mappings *m = add(NULL, 0x1000, 0x2000, 0, 1);

	m = add(m, 0x3000, 0x4000, 0, 0);
	m = add(m, 0x5000, 0x6000, 0, 2);
	cr_expect_null(mappings__below(m, 0xfff));
	cr_expect_null(mappings__below(m, 0x1800), "it is in it, not below");
	cr_expect_eq(mappings__below(m, 0x2000)->file, 1);
	cr_expect_eq(mappings__below(m, 0x4800)->file, 1);
	cr_expect_eq(mappings__below(m, 0x6000)->file, 2);
	mappings__unref(m);
}

Test(mappings, neighbours_in_any_order)
{
	struct mappings *m = add(NULL, 0x3000, 0x4000, 0, 3);

	m = add(m, 0x1000, 0x2000, 0, 1);
	m = add(m, 0x2000, 0x3000, 0, 2);
	cr_expect_eq(mappings__count(m), 3);
	cr_expect_eq(shows(m, 0x1fff), 1000000 + 0xfff);
	cr_expect_eq(shows(m, 0x2000), 2000000);
	cr_expect_eq(shows(m, 0x3000), 3000000);
	mappings__unref(m);
}

Test(mappings, a_hole_punched_in_the_middle_leaves_both_sides)
{
	struct mappings *m = add(NULL, 0x1000, 0x9000, 0x100, 1);

	m = add(m, 0x3000, 0x5000, 0, 2);
	cr_expect_eq(mappings__count(m), 3);
	cr_expect_eq(shows(m, 0x2fff), 1000000 + 0x100 + 0x1fff);
	cr_expect_eq(shows(m, 0x3000), 2000000);
	cr_expect_eq(shows(m, 0x4fff), 2000000 + 0x1fff);
	cr_expect_eq(shows(m, 0x5000), 1000000 + 0x100 + 0x4000, "the tail keeps its file offset");
	mappings__unref(m);
}

Test(mappings, one_over_several_cuts_the_outer_and_swallows_the_inner)
{
	struct mappings *m = add(NULL, 0x1000, 0x2000, 0, 1);

	m = add(m, 0x2000, 0x3000, 0, 2);
	m = add(m, 0x3000, 0x4000, 0, 3);
	m = add(m, 0x5000, 0x6000, 0, 4);
	m = add(m, 0x1800, 0x5800, 0, 9);
	cr_expect_eq(mappings__count(m), 3);
	cr_expect_eq(shows(m, 0x17ff), 1000000 + 0x7ff);
	cr_expect_eq(shows(m, 0x1800), 9000000);
	cr_expect_eq(shows(m, 0x57ff), 9000000 + 0x3fff);
	cr_expect_eq(shows(m, 0x5800), 4000000 + 0x800);
	mappings__unref(m);
}

Test(mappings, the_same_place_again_replaces_it)
{
	struct mappings *m = add(NULL, 0x1000, 0x2000, 0, 1);

	m = add(m, 0x1000, 0x2000, 0, 2);
	cr_expect_eq(mappings__count(m), 1);
	cr_expect_eq(shows(m, 0x1000), 2000000);
	m = add(m, 0x1000, 0x1800, 0, 3);
	cr_expect_eq(shows(m, 0x1000), 3000000);
	cr_expect_eq(shows(m, 0x1800), 2000000 + 0x800);
	m = add(m, 0x1c00, 0x2000, 0, 4);
	cr_expect_eq(shows(m, 0x1bff), 2000000 + 0xbff);
	cr_expect_eq(shows(m, 0x1c00), 4000000);
	mappings__unref(m);
}

Test(mappings, an_empty_mapping_changes_nothing_that_shows)
{
	struct mappings *m = add(NULL, 0x1000, 0x2000, 0, 1);

	m = add(m, 0x1800, 0x1800, 0, 2);
	cr_expect_eq(shows(m, 0x17ff), 1000000 + 0x7ff);
	cr_expect_eq(shows(m, 0x1800), 1000000 + 0x800);
	mappings__unref(m);
}

Test(mappings, the_top_of_the_address_space)
{
	struct mappings *m = add(NULL, UINT64_MAX - 0xfff, UINT64_MAX, 0, 1);

	cr_expect_eq(shows(m, UINT64_MAX - 1), 1000000 + 0xffe);
	cr_expect_eq(shows(m, UINT64_MAX), 0);
	mappings__unref(m);
}

Test(mappings, who_shares_a_list_keeps_it_as_it_was)
{
	struct mappings *parent = add(NULL, 0x1000, 0x2000, 0, 1);
	struct mappings *child = mappings__ref(parent);

	child = add(child, 0x1000, 0x2000, 0, 2);
	cr_expect_eq(shows(parent, 0x1000), 1000000);
	cr_expect_eq(shows(child, 0x1000), 2000000);
	cr_expect_null(mappings__unref(parent));
	cr_expect_eq(shows(child, 0x1000), 2000000);
	mappings__unref(child);
}

/* Against the simplest possible model: one file number per page. */
Test(mappings, random_additions_agree_with_an_array_of_pages)
{
	enum { PAGES = 64 };
	uint64_t model[PAGES] = {0};
	struct mappings *m = NULL;

	srand(1);
	for (uint32_t round = 1; round <= 2000; round++) {
		uint64_t from = (uint64_t)rand() % PAGES,
			 to = from + (uint64_t)rand() % (PAGES - from);

		m = add(m, from * 16, (to + 1) * 16, 1000 * from, round);
		for (uint64_t page = from; page <= to; page++)
			model[page] = round * 1000000ULL + 1000 * from + 16 * (page - from);
		for (uint64_t page = 0; page < PAGES; page++)
			cr_assert_eq(shows(m, page * 16), model[page], "round %u, page %lu", round,
				     (unsigned long)page);
		cr_assert_leq(mappings__count(m), PAGES);
	}
	mappings__unref(m);
}

/* As the kernel places them: downwards. And upwards, as /proc lists them; each a step, not a
 * copy. */
Test(mappings, sixty_five_thousand, .timeout = 20)
{
	enum { N = 65000 };
	struct mappings *m = NULL;

	for (uint64_t i = 0; i < N; i++) {
		uint64_t start = i % 2 ? (N + i) * 0x2000 : (N - i) * 0x2000;
		struct mapping add = {start, start + 0x1000, i, 1, false};

		m = mappings__add(m, &add);
	}
	cr_expect_eq(mappings__count(m), N);
	for (size_t i = 1; i < N; i++)
		cr_assert_lt(mappings__at(m, i - 1)->end, mappings__at(m, i)->start);
	cr_expect_eq(mappings__find(m, (uint64_t)N * 0x2000)->file_off, 0);
	cr_expect_eq(mappings__find(m, 2ULL * 0x2000)->file_off, N - 2);
	mappings__unref(m);
}

/* A runtime's code: addresses are its table's offsets, whatever is mapped there later. */
Test(mappings, code_that_a_runtime_describes)
{
	const struct code_span span = {0x10000, 0x20000, 9};
	struct mappings *m = add(NULL, 0x1000, 0x2000, 0x40, 1), *other;
	uint32_t file;
	uint64_t off;

	m = add(m, 0x11000, 0x12000, 0, 0);
	m = add(m, 0x30000, 0x31000, 0, 0);
	other = mappings__ref(m);
	m = mappings__put_code(m, &span);
	m = add(m, 0x14000, 0x15000, 0, 0);
	cr_expect(mappings__unwound_by(m, mappings__find(m, 0x11800), &file, &off));
	cr_expect(file == 9 && off == 0x11000);
	cr_expect(mappings__unwound_by(m, mappings__find(m, 0x14800), &file, &off), "it grew");
	cr_expect(file == 9 && off == 0x14000);
	cr_expect_not(mappings__unwound_by(m, mappings__find(m, 0x1000), &file, &off));
	cr_expect(file == 1 && off == 0x40);
	cr_expect_not(mappings__unwound_by(m, mappings__find(m, 0x30000), &file, &off));
	cr_expect_not(mappings__unwound_by(other, mappings__find(other, 0x11800), &file, &off),
		      "whoever shares the list has it as it was");
	mappings__unref(other);
	mappings__unref(m);
}
