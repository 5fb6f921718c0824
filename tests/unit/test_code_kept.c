// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Where functions keep the address that they return to: words of gcc's and clang's beginnings. */
#include <criterion/criterion.h>

#include "base/mem.h"
#include "symd/code_kept.h"

enum { RET = 0xd65f03c0, BL = 0x94000010, STP_FRAME = 0xa9be7bfd /* x29, x30, [sp, #-32]! */ };

Test(code_kept, on_arm64)
{
	static const struct {
		const char *what;
		uint32_t code[6];
		size_t n;
		uint16_t kept;
	} cases[] = {
		{"stp x29, x30, [sp, #-32]!", {STP_FRAME, BL, RET}, 3, 24},
		{"paciasp, the same", {0xd503233f, STP_FRAME, BL}, 3, 24},
		{"sub sp, sp, #48; stp x29, x30, [sp, #32]", {0xd100c3ff, 0xa9027bfd, BL}, 3, 8},
		{"stp x20, x19, [sp, #-32]!; stp x29, x30, [sp, #16]",
		 {0xa9be4ff4, 0xa9017bfd, BL},
		 3,
		 8},
		{"stp d9, d8, [sp, #-48]!; stp x29, x30, [sp, #16]",
		 {0x6dbd23e9, 0xa9017bfd, BL},
		 3,
		 24},
		{"cbz first", {0xb4000040, STP_FRAME, BL}, 3, 24},
		{"a large frame: sub sp, sp, #2, lsl #12; stp x29, x30, [sp]",
		 {0xd1400bff, 0xa9007bfd, BL},
		 3,
		 8184},
		{"str x30, [sp, #-16]!: no frame", {0xf81f0ffe, BL}, 2, CODE_KEPT_UNKNOWN},
		{"nothing is called", {0x91000400, RET}, 2, CODE_KEPT_UNKNOWN},
		{"nothing kept before the call", {BL, STP_FRAME}, 2, CODE_KEPT_UNKNOWN},
		{"sub sp, sp, x9, which nobody knows",
		 {0xcb2963ff, STP_FRAME},
		 2,
		 CODE_KEPT_UNKNOWN},
		{"above the entry's", {0xa9017bfd, BL}, 2, CODE_KEPT_UNKNOWN},
		{"data", {0x00001234, STP_FRAME}, 2, CODE_KEPT_UNKNOWN},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		cr_expect_eq(code_kept__find(INSN_ARM64, (const uint8_t *)cases[i].code,
					     4 * cases[i].n),
			     cases[i].kept, "%s: %u", cases[i].what,
			     code_kept__find(INSN_ARM64, (const uint8_t *)cases[i].code,
					     4 * cases[i].n));
}

Test(code_kept, elsewhere)
{
	cr_expect_eq(code_kept__find(INSN_X86_64, (const uint8_t *)"\xc3", 1), 0);
	cr_expect_eq(code_kept__find(INSN_RISCV64, (const uint8_t *)"\x82\x80", 2),
		     CODE_KEPT_UNKNOWN);
}
