// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* This program has such a table among its constants, and parts of others. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <libelf.h>
#include <string.h>
#include <unistd.h>

#include "symd/elf_v8_sizes.h"

enum { N = 201 };

/* As of Node 24: two prefixes, what their debugger has, and bytecodes with up to three operands. */
#define ROW(w)                                                                                   \
	1, 1, 1, 1, 1, 1 + (w), 1 + 2 * (w), 1 + 3 * (w), 1 + 4 * (w), 3 + 2 * (w), 3 + 3 * (w), \
		[11 ... N - 2] = 1 + 2 * (w), [N - 1] = 2 + (w)

static const uint8_t rows[V8_WIDTHS][N] = {{ROW(1)}, {ROW(2)}, {ROW(4)}};
static const uint8_t broken[V8_WIDTHS][N] = {{ROW(1)}, {ROW(2)}, {ROW(2)}};

Test(elf_v8_sizes, a_table_tells_itself)
{
	uint8_t bytes[sizeof(rows) + 1];

	memcpy(bytes, rows, sizeof(rows));
	cr_expect_eq(elf_v8_sizes__count(bytes, sizeof(rows)), N);
	cr_expect_eq(elf_v8_sizes__count(bytes, sizeof(rows) - 1), 0, "not all of it is there");
	cr_expect_eq(elf_v8_sizes__count((const uint8_t *)broken, sizeof(broken)), 0);
	bytes[2 * N + 40]++;
	cr_expect_eq(elf_v8_sizes__count(bytes, sizeof(rows)), 0);
	memset(bytes, 1, sizeof(bytes));
	cr_expect_eq(elf_v8_sizes__count(bytes, sizeof(bytes)), 0);
}

Test(elf_v8_sizes, of_a_file)
{
	uint8_t found[V8_WIDTHS * V8_BYTECODES_MAX] = {0};
	int fd = open("/proc/self/exe", O_RDONLY);
	struct elf_bytes self = {.fd = fd};

	elf_version(EV_CURRENT);
	self.elf = elf_begin(fd, ELF_C_READ, NULL);
	self.len = (uint64_t)lseek(fd, 0, SEEK_END);
	cr_assert(self.elf);
	cr_assert(elf_v8_sizes__find(&self, found));
	for (int i = 0; i < V8_WIDTHS; i++) {
		cr_expect_arr_eq(found + i * V8_BYTECODES_MAX, rows[i], N);
		cr_expect_eq(found[i * V8_BYTECODES_MAX + N], 0);
	}
	elf_end(self.elf);
	close(fd);
}
