// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <string.h>

#include "base/mem.h"
#include "symd/code_extent.h"

Test(code_extent, where_functions_end)
{
	static const struct {
		const char *what, *code;
		size_t len, extent;
	} cases[] = {
		{"a ret, and another function", "\xc3\x90\xc3", 3, 1},
		{"xor eax,eax; ret", "\x31\xc0\xc3\xcc", 4, 3},
		{"a branch over the first ret", "\x74\x01\xc3\x90\xc3\x90", 6, 5},
		{"a branch back", "\x90\x74\xfd\xc3\x90", 5, 4},
		{"a jump over data that is code", "\xeb\x01\xc3\xc3\x90", 5, 4},
		{"a jump to a function far away", "\x90\xe9\x00\x00\x10\x00\x90", 7, 6},
		{"a call comes back", "\xe8\x00\x00\x10\x00\xc3\x90", 7, 6},
		{"no end", "\x90\x90\x90", 3, 0},
		{"an instruction that is cut", "\x90\xe9\x00", 3, 0},
		{"no instruction", "\x90\x06\xc3", 3, 0},
		{"nothing", "", 0, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		cr_expect_eq(code_extent((const uint8_t *)cases[i].code, cases[i].len, 0x401000),
			     cases[i].extent, "%s: %zu", cases[i].what,
			     code_extent((const uint8_t *)cases[i].code, cases[i].len, 0x401000));
}
