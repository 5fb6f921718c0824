// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/insn_abi.h"

#include "base/mem.h"
#include "symd/x86_operand.h"
#include "symd/x86_parts.h"

static const struct insn_abi abis[] = {
	[INSN_X86_64] =
		{
			.n_regs = X86_REGS,
			.by_dwarf = {0, 2, 1, 3, 6, 7, 5, 4}, /* ax dx cx bx si di bp sp */
			.sp = X86_SP,
			.fp = X86_BP,
			.zero = INSN_NONE,
			.argument = X86_DI,
			.result = X86_AX,
			.other_link = INSN_NONE,
			.sp_at_entry = -8,         /* the return address */
			.clobbered = 0x0fc7,       /* ax, cx, dx, si, di, r8 to r11 */
			.clobbered_by_go = 0xffcf, /* all but sp and bp */
		},
	[INSN_ARM64] =
		{
			.n_regs = 32,
			.by_dwarf = {0, 1, 2, 3, 4, 5, 6, 7},
			.sp = 31,
			.fp = 29,
			.zero = INSN_NONE,
			.argument = 0,
			.result = 0,
			.other_link = INSN_NONE,
			.clobbered = 0x4007ffff,       /* x0 to x18, x30 */
			.clobbered_by_go = 0x4fffffff, /* all but x28, x29, sp */
		},
	[INSN_RISCV64] =
		{
			.n_regs = 32,
			.by_dwarf = {0, 1, 2, 3, 4, 5, 6, 7},
			.sp = 2,
			.fp = 8,
			.zero = 0,
			.argument = 10,
			.result = 10,
			.other_link = 5,               /* t0 */
			.clobbered = 0xf003fce2,       /* ra, t0 to t6, a0 to a7 */
			.clobbered_by_go = 0xfffffffb, /* all but sp */
		},
};

const struct insn_abi *insn_abi__of(enum insn_set set)
{
	return &abis[set];
}

bool insn_abi__register(const struct insn_abi *abi, uint64_t number, uint8_t *ret)
{
	if (number >= abi->n_regs)
		return false;
	*ret = number < ARRAY_SIZE(abi->by_dwarf) ? abi->by_dwarf[number] : (uint8_t)number;
	return true;
}
