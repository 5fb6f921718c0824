// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Programs that map files without end, and the numbers that have room for a table. */
#include <criterion/criterion.h>
#include <sys/sysmacros.h>

#include "base/fair_room.h"
#include "opener/opener.h"
#include "proc/file_numbers.h"
#include "proc/files.h"

static struct files *files;

static void begin(void)
{
	files = files__new(NULL);
}

static void end(void)
{
	files__free(files);
}

TestSuite(file_numbers, .init = begin, .fini = end, .timeout = 10);

/* Of a program that has a cgroup of its own. */
static uint32_t elf_of(uint64_t tgid, unsigned minor, uint64_t inode)
{
	const struct mapped_file which = {inode, 0, makedev(1, minor), "/x"};

	return files__elf(files, &which, &(struct fair_who){tgid, tgid});
}

Test(file_numbers, one_program_does_not_take_all_numbers_with_tables)
{
	uint32_t last = 0;

	for (uint64_t i = 1; i <= 30000; i++)
		elf_of(7, 2, i);
	for (uint64_t i = 1; i <= 40; i++)
		last = elf_of(8, 3, i);
	cr_expect(file_number_has_table(last), "another's, of another cgroup");
}

Test(file_numbers, a_file_that_had_no_room_for_a_table_has_it_for_another)
{
	uint32_t without = 0, with;

	for (uint64_t i = 1; i <= 30000; i++)
		without = elf_of(7, 2, i);
	cr_expect(!file_number_has_table(without));
	cr_expect_eq(elf_of(7, 2, 30000), without);
	with = elf_of(8, 2, 30000);
	cr_expect(file_number_has_table(with));
	cr_expect_eq(elf_of(7, 2, 30000), with);
	cr_expect_not_null(files__get(files, without), "who refers to it still may");
}

Test(file_numbers, numbers_with_tables_are_given_back)
{
	for (uint64_t i = 1; i <= 30000; i++)
		elf_of(7, 2, i);
	files__sweep(files);
	cr_expect(file_number_has_table(elf_of(7, 2, 40000)));
}
