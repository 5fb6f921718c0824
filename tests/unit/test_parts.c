// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Numbers for parts of large files. */
#include <criterion/criterion.h>

#include "unwind/parts.h"

static const uint64_t PART = 1ULL << PART_SHIFT;

static void expect_part(struct parts *p, uint32_t number, uint32_t file, uint64_t from)
{
	uint64_t got_from, got_to;

	cr_expect_eq(parts__file(p, number, &got_from, &got_to), file);
	cr_expect_eq(got_from, from);
	cr_expect_eq(got_to, from + PART);
}

Test(parts, small_files_keep_their_number)
{
	struct parts *p = parts__new(NULL, NULL);

	cr_expect_eq(parts__number(p, 0, 5 * PART), 0);
	cr_expect_eq(parts__number(p, 7, 0), 7);
	cr_expect_eq(parts__number(p, 7, PART - 1), 7);
	expect_part(p, 7, 7, 0);
	expect_part(p, 8, 0, 0);
	parts__free(p);
}

Test(parts, large_files_have_a_number_for_each_part)
{
	struct parts *p = parts__new(NULL, NULL);
	uint32_t first, second;

	cr_expect_eq(parts__number(p, 7, 3 * PART + 1), 7, "the first that is asked for");
	first = parts__number(p, 7, 0);
	second = parts__number(p, 7, 5 * PART);
	cr_assert(first >= PART_FIRST && first < FILE_BEYOND);
	cr_assert(second >= PART_FIRST && second < FILE_BEYOND && second != first);
	cr_expect_eq(parts__number(p, 7, PART - 1), first);
	cr_expect_neq(parts__number(p, 8, PART), first);
	expect_part(p, 7, 7, 3 * PART);
	expect_part(p, first, 7, 0);
	expect_part(p, second, 7, 5 * PART);

	parts__forget(p, 7);
	expect_part(p, 7, 0, 0);
	expect_part(p, first, 0, 0);
	cr_expect_eq(parts__number(p, 8, PART), 8, "that of another file stays");
	cr_expect_eq(parts__number(p, 7, 5 * PART), 7);
	parts__free(p);
}

Test(parts, a_file_gets_so_many_and_all_together_so_many)
{
	struct parts *p = parts__new(NULL, NULL);
	uint32_t number, n = 0;

	for (uint64_t i = 0; i <= PARTS_OF_FILE_MAX; i++)
		cr_assert_neq(parts__number(p, 1, i * PART), FILE_BEYOND);
	cr_expect_eq(parts__number(p, 1, (PARTS_OF_FILE_MAX + 1) * PART), FILE_BEYOND);
	cr_expect_neq(parts__number(p, 1, PART), FILE_BEYOND, "those that it has stay");
	for (uint32_t file = 2; file < 100; file++) {
		for (uint64_t i = 0; i <= PARTS_OF_FILE_MAX; i++) {
			number = parts__number(p, file, i * PART);
			n += number >= PART_FIRST && number != FILE_BEYOND;
		}
		cr_assert_eq(parts__number(p, file, 0), file);
	}
	cr_expect_eq(n, PARTS_MAX - PARTS_OF_FILE_MAX);
	parts__forget(p, 1);
	for (uint64_t i = 0; i <= PARTS_OF_FILE_MAX; i++)
		cr_expect_neq(parts__number(p, 200, i * PART), FILE_BEYOND);
	cr_expect_eq(parts__number(p, PART_FIRST, 0), FILE_BEYOND);
	cr_expect_eq(parts__number(p, FILE_BEYOND, 0), FILE_BEYOND);
	parts__free(p);
}

static struct fair_who who_has(void *ctx, uint32_t file)
{
	(void)ctx;
	return file < 1000 ? (struct fair_who){1, 1} : (struct fair_who){file, 2};
}

Test(parts, one_program_does_not_take_all)
{
	struct parts *p = parts__new(who_has, NULL);

	for (uint32_t file = 1; file < 1000; file++) {
		for (uint64_t i = 0; i < PARTS_OF_FILE_MAX; i++)
			parts__number(p, file, i * PART);
	}
	for (uint64_t i = 0; i < PARTS_OF_FILE_MAX; i++)
		cr_assert_neq(parts__number(p, 1000, i * PART), FILE_BEYOND, "part %lu", i);
	for (uint32_t file = 1; file < 1000; file++)
		parts__forget(p, file);
	parts__number(p, 1, 0);
	cr_expect_neq(parts__number(p, 1, PART), FILE_BEYOND, "it is given back");
	parts__free(p);
}
