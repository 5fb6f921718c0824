// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Where functions of Go's look whether their stack is large enough: bytes of Go 1.19's. */
#include <criterion/criterion.h>

#include "base/mem.h"
#include "symd/code_exits.h"
#include "symd/code_go.h"

#define CODE(bytes) (const uint8_t *)(bytes), sizeof(bytes) - 1

/* cmp 0x10(%r14), %rsp; jbe to behind ret; … ret; call; jmp to the beginning */
#define LOOK "\x49\x3b\x66\x10\x76\x02"
#define AGAIN "\xe8\x00\x01\x00\x00\xeb"

static size_t no_parts(void *ctx, const uint64_t *targets, size_t n, struct code_part *ret,
		       size_t room)
{
	(void)ctx, (void)targets, (void)n, (void)ret, (void)room;
	return 0;
}

Test(code_go, looks)
{
	static const struct {
		const char *what;
		const uint8_t *code;
		size_t len;
		bool found;
		uint64_t at;
		uint8_t when;
	} cases[] = {
		{"cmp, jbe", CODE(LOOK "\x90\xc3" AGAIN "\xf1"), true, 4, 7},
		{"lea, cmp, jbe",
		 CODE("\x4c\x8d\x64\x24\xe0\x4d\x3b\x66\x10\x76\x01\xc3" AGAIN "\xed"), true, 9, 7},
		{"a large frame: jb, and jbe to the same place",
		 CODE("\x72\x08\x49\x3b\x66\x10\x76\x02\x90\xc3" AGAIN "\xef"), true, 6, 7},
		{"jb and jbe to different ones",
		 CODE("\x72\x07\x49\x3b\x66\x10\x76\x02\x90\xc3" AGAIN "\xef"), false, 0, 0},
		{"no look", CODE("\x55\x5d\xc3"), false, 0, 0},
		{"a condition, but not to begin again", CODE("\x85\xff\x74\x01\x90\xc3"), false, 0,
		 0},
		{"a jump elsewhere", CODE(LOOK "\x90\xc3" AGAIN "\xf5"), false, 0, 0},
		{"out of the function", CODE("\x49\x3b\x66\x10\x76\x70\xc3"), false, 0, 0},
		{"cut", CODE("\x49\x3b\x66"), false, 0, 0},
		{"nothing", CODE(""), false, 0, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct code_go look = {0};
		bool found = code_go__find(INSN_X86_64, cases[i].code, cases[i].len, &look);

		cr_expect_eq(found, cases[i].found, "%s", cases[i].what);
		if (!found || !cases[i].found)
			continue;
		cr_expect_eq(look.at, cases[i].at, "%s: at %d", cases[i].what, (int)look.at);
		cr_expect_eq(look.when, cases[i].when, "%s: %d", cases[i].what, look.when);
	}
}

/* The way back to the beginning is none of a loop's, where that is known, and only there. */
Test(code_go, is_left_at_its_return)
{
	static const uint8_t code[] = LOOK "\x90\xc3" AGAIN "\xf1";
	static const struct code_part part = {0x1000, sizeof(code) - 1, code};
	struct code_exits exits;

	cr_expect_eq(code_exits__find(INSN_X86_64, &part, (struct code_entry){0x1004, true},
				      no_parts, NULL, &exits),
		     SYMD_SITE_FOUND);
	cr_expect(exits.n == 1 && exits.of[0].vaddr == 0x1007);
	cr_expect_eq(code_exits__find(INSN_X86_64, &part, (struct code_entry){0x1004, false},
				      no_parts, NULL, &exits),
		     SYMD_SITE_BEGINS_AGAIN);
}
