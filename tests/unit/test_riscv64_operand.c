// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Instructions that an assembler made, and what the manual says of each. */
#include <criterion/criterion.h>

#include "base/mem.h"
#include "insn_cases.h"
#include "symd/riscv64_operand.h"

static const struct insn_case cases[] = {
	{"ld a0,16(a1)", 0x6988, 2, 0x400,
	 .mem = {.base = 11,
		 .index = INSN_NONE,
		 .scale = 1,
		 .access = INSN_LOAD,
		 .size = 8,
		 .disp = 16}},
	{"lbu a2,-1(sp)", 0xfff14603, 4, 0x1000,
	 .mem = {.base = 2,
		 .index = INSN_NONE,
		 .scale = 1,
		 .access = INSN_LOAD,
		 .size = 1,
		 .disp = -1}},
	{"lw t0,4(s1)", 0x0044a283, 4, 0x20,
	 .mem = {.base = 9,
		 .index = INSN_NONE,
		 .scale = 1,
		 .access = INSN_LOAD,
		 .size = 4,
		 .disp = 4}},
	{"fld fa0,8(a3)", 0x2688, 2, 0x0,
	 .mem = {.base = 13,
		 .index = INSN_NONE,
		 .scale = 1,
		 .access = INSN_LOAD,
		 .size = 8,
		 .disp = 8}},
	{"sh a4,2(a5)", 0x00e79123, 4, 0x0,
	 .mem = {.base = 15,
		 .index = INSN_NONE,
		 .scale = 1,
		 .access = INSN_STORE,
		 .size = 2,
		 .disp = 2}},
	{"fsw fa1,-4(s0)", 0xfeb42e27, 4, 0x0,
	 .mem = {.base = 8,
		 .index = INSN_NONE,
		 .scale = 1,
		 .access = INSN_STORE,
		 .size = 4,
		 .disp = -4}},
	{"lr.d a0,(a1)", 0x1005b52f, 4, 0x400,
	 .mem = {.base = 11, .index = INSN_NONE, .scale = 1, .access = INSN_LOAD, .size = 8}},
	{"sc.w a2,a3,(a4)", 0x18d7262f, 4, 0x1000,
	 .mem = {.base = 14, .index = INSN_NONE, .scale = 1, .access = INSN_STORE, .size = 4}},
	{"amoadd.d a5,a6,(a7)", 0x0108b7af, 4, 0x8000,
	 .mem = {.base = 17,
		 .index = INSN_NONE,
		 .scale = 1,
		 .access = INSN_LOAD | INSN_STORE,
		 .size = 8}},
	{"addi a0,a0,-16", 0x1541, 2, 0x400, .step = {10, -16}},
	{"addi sp,sp,-2032", 0x81010113, 4, 0x4, .step = {2, -2032}},
	{"addi a0,a1,8", 0x00858513, 4, 0x400, .flow = INSN_GOES_ON},
	{"mv t1,t2", 0x831e, 2, 0x40, .flow = INSN_GOES_ON},
	{"lui a0,1", 0x6505, 2, 0x400, .flow = INSN_GOES_ON},
	{"auipc a1,0", 0x00000597, 4, 0x800, .flow = INSN_GOES_ON},
	{"fence", 0x0ff0000f, 4, 0x0, .flow = INSN_GOES_ON},
	{"ecall", 0x00000073, 4, 0x400, .flow = INSN_GOES_ON},
	{"ebreak", 0x9002, 2, 0x0, .flow = INSN_ENDS},
	{"rdcycle a0", 0xc0002573, 4, 0x400, .flow = INSN_GOES_ON},
	{"fcvt.l.d a1,fa0", 0xc22575d3, 4, 0x800, .flow = INSN_GOES_ON},
	{"feq.d a2,fa0,fa1", 0xa2b52653, 4, 0x1000, .flow = INSN_GOES_ON},
	{"fadd.d fa0,fa1,fa2", 0x02c5f553, 4, 0x0, .flow = INSN_GOES_ON},
	{"jal", 0x00e000ef, 4, 0x2, .flow = INSN_CALLS, .target = 14},
	{"beqz a0", 0xc509, 2, 0x0, .flow = INSN_BRANCHES, .target = 10},
	{"bnez t0", 0x00029463, 4, 0x0, .flow = INSN_BRANCHES, .target = 8},
	{"bltu a0,a1", 0x00b56263, 4, 0x0, .flow = INSN_BRANCHES, .target = 4},
	{"nop", 0x0001, 2, 0x0, .flow = INSN_GOES_ON},
	{"ret", 0x8082, 2, 0x0, .flow = INSN_ENDS},
	{"jr t1", 0x8302, 2, 0x0, .flow = INSN_JUMPS},
	{"jalr a5", 0x9782, 2, 0x2, .flow = INSN_CALLS},
	{"jalr 8(t1)", 0x008300e7, 4, 0x2, .flow = INSN_CALLS},
	{"sd ra,8(sp)", 0xe406, 2, 0x0,
	 .mem = {.base = 2,
		 .index = INSN_NONE,
		 .scale = 1,
		 .access = INSN_STORE,
		 .size = 8,
		 .disp = 8}},
	{"ld ra,8(sp)", 0x60a2, 2, 0x2,
	 .mem = {.base = 2,
		 .index = INSN_NONE,
		 .scale = 1,
		 .access = INSN_LOAD,
		 .size = 8,
		 .disp = 8}},
	{"lw a0,12(sp)", 0x4532, 2, 0x400,
	 .mem = {.base = 2,
		 .index = INSN_NONE,
		 .scale = 1,
		 .access = INSN_LOAD,
		 .size = 4,
		 .disp = 12}},
	{"sw a0,252(sp)", 0xdfaa, 2, 0x0,
	 .mem = {.base = 2,
		 .index = INSN_NONE,
		 .scale = 1,
		 .access = INSN_STORE,
		 .size = 4,
		 .disp = 252}},
	{"addi sp,sp,-64", 0x7139, 2, 0x4, .step = {2, -64}},
	{"addi a0,sp,16", 0x0808, 2, 0x400, .flow = INSN_GOES_ON},
	{"sub a0,a0,a1", 0x8d0d, 2, 0x400, .flow = INSN_GOES_ON},
	{"slli a3,a3,3", 0x068e, 2, 0x2000, .flow = INSN_GOES_ON},
	{"add a0,a0,a1", 0x952e, 2, 0x400, .flow = INSN_GOES_ON},
	{"fsd fa0,16(a0)", 0xa908, 2, 0x0,
	 .mem = {.base = 10,
		 .index = INSN_NONE,
		 .scale = 1,
		 .access = INSN_STORE,
		 .size = 8,
		 .disp = 16}},
	{"fld fa0,16(sp)", 0x2542, 2, 0x0,
	 .mem = {.base = 2,
		 .index = INSN_NONE,
		 .scale = 1,
		 .access = INSN_LOAD,
		 .size = 8,
		 .disp = 16}},
	{"nop", 0x0001, 2, 0x0, .flow = INSN_GOES_ON},
};

Test(riscv64_operand, what_instructions_do)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		expect_insn(riscv64_operand__read, &cases[i]);
}

Test(riscv64_operand, distances_backwards)
{
	static const struct insn_case backwards[] = {
		{"j .-8", 0xbfe5, 2, 0, .flow = INSN_JUMPS, .target = -8},
		{"bnez a1,.-32", 0xfe0590e3, 4, 0, .flow = INSN_BRANCHES, .target = -32},
		{"jal .-4", 0xffdff0ef, 4, 2, .flow = INSN_CALLS, .target = -4},
	};

	for (size_t i = 0; i < ARRAY_SIZE(backwards); i++)
		expect_insn(riscv64_operand__read, &backwards[i]);
}

Test(riscv64_operand, what_is_not_known)
{
	static const uint8_t none[] = {0, 0, 0, 0}, vectors[] = {0x07, 0x50, 0x05, 0x02},
			     longer[] = {0x1f, 0, 0, 0, 0, 0};
	struct insn_data d;

	cr_expect(!riscv64_operand__read(none, 4, &d) && !d.len, "it isn't allocated");
	cr_expect(!riscv64_operand__read(longer, 6, &d) && !d.len, "of six bytes");
	cr_expect(!riscv64_operand__read(vectors, 4, &d) && d.len == 4, "vle16.v");
}
