// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The table of a part of a file says what the table of all of it says. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "symd/cfi_table.h"
#include "symd/elf_cfi.h"
#include "whole_table.h"

static const struct pmb_unwind_rule *rule_at(const struct cfi_table *t, uint64_t off)
{
	static const struct pmb_unwind_rule none = {.cfa = PMB_CFA_NONE};
	uint64_t page = (off >> PMB_PAGE_SHIFT) - t->first_page;
	const struct pmb_unwind_rule *rule = &none;

	if (page >= t->n_pages)
		return rule;
	for (uint32_t i = 0; i < t->pages[page].n; i++) {
		uint32_t row = t->rows[t->pages[page].first + i];

		if (PMB_ROW_LOW(row) <= off % PMB_UNWIND_ROW_MAX)
			rule = &t->rules[PMB_ROW_RULE(row)];
	}
	return rule;
}

static size_t n_compared;

static void compare_at(const struct cfi_table *all, const struct cfi_table *part, uint64_t off,
		       bool is_inside)
{
	const struct pmb_unwind_rule *want = rule_at(all, off), *got = rule_at(part, off);

	n_compared++;
	if (is_inside)
		cr_assert_eq(memcmp(want, got, sizeof(*want)), 0, "at %#lx: %u, not %u",
			     (unsigned long)off, got->cfa, want->cfa);
	else
		cr_assert_eq(got->cfa, PMB_CFA_NONE, "at %#lx", (unsigned long)off);
}

/* The ends are what matters: so many bytes on both sides of each. */
#define NEAR (1 << 15)

/* At the beginning of each row, and one byte before. */
static void compare(const struct cfi_table *all, const struct cfi_table *part, uint64_t from,
		    uint64_t to)
{
	for (size_t page = 0; page < all->n_pages; page++) {
		uint64_t start = (all->first_page + page) << PMB_PAGE_SHIFT;

		for (uint32_t i = 0; i < all->pages[page].n; i++) {
			uint64_t off = start + PMB_ROW_LOW(all->rows[all->pages[page].first + i]);

			if (off > from + NEAR && off + NEAR < to)
				continue;
			if (off + NEAR < from || off > to + NEAR)
				continue;
			compare_at(all, part, off, off >= from && off < to);
			if (off > start)
				compare_at(all, part, off - 1, off - 1 >= from && off - 1 < to);
		}
	}
}

static void check_parts(int fd, uint64_t size)
{
	struct pmb_table_head head;
	struct cfi_table all, part;
	uint64_t file_size = (uint64_t)lseek(fd, 0, SEEK_END);
	struct elf_cfi *e;

	cfi_table__init(&all);
	cr_assert_eq(table_of_all(fd, true, &all), 0);
	cr_assert_eq(cfi_table__finish(&all, &head), 0);
	cr_assert_eq(elf_cfi__open(fcntl(fd, F_DUPFD_CLOEXEC, 0), true, &e), 0);
	cr_assert(elf_cfi__is_of(e, fd));
	for (uint64_t from = 0; from < file_size; from += size) {
		cfi_table__init(&part);
		cr_assert_eq(elf_cfi__build(e, from, from + size, &part), 0);
		cr_assert_eq(cfi_table__finish(&part, &head), 0);
		compare(&all, &part, from, from + size);
		cfi_table__done(&part);
	}
	elf_cfi__free(e);
	cfi_table__done(&all);
}

static int find_libc(struct dl_phdr_info *info, size_t size, void *ctx)
{
	(void)size;
	if (!strstr(info->dlpi_name, "/libc.so") && !strstr(info->dlpi_name, "/libc-"))
		return 0;
	*(int *)ctx = open(info->dlpi_name, O_RDONLY | O_CLOEXEC);
	return 1;
}

Test(cfi_ranges, of_this_program, .timeout = 60)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	check_parts(fd, 3 << 14);
	cr_assert_gt(n_compared, 1000);
	close(fd);
}

Test(cfi_ranges, of_the_c_library, .timeout = 60)
{
	int fd = -1;

	dl_iterate_phdr(find_libc, &fd);
	if (fd < 0)
		cr_skip_test("no file");
	check_parts(fd, 1 << 18);
	check_parts(fd, (1 << 16) + 4099);
	cr_assert_gt(n_compared, 1000);
	close(fd);
}

/* One whose functions have no tables, read off its code. */
Test(cfi_ranges, of_code_without_tables, .timeout = 60)
{
	int fd = open("/lib/ld-musl-x86_64.so.1", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		cr_skip_test("no musl");
	check_parts(fd, 1 << 16);
	close(fd);
}
