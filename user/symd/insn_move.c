// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/insn_move.h"

#include "symd/arm64_move.h"
#include "symd/riscv64_move.h"
#include "symd/x86_move.h"

unsigned insn_moves__read(enum insn_set set, const uint8_t *bytes, size_t len,
			  struct insn_move ret[INSN_MOVES])
{
	for (int i = 0; i < INSN_MOVES; i++)
		ret[i] = (struct insn_move){.b = INSN_NONE, .c = INSN_NONE};
	switch (set) {
	case INSN_ARM64:
		return arm64_move__read(bytes, len, ret);
	case INSN_RISCV64:
		return riscv64_move__read(bytes, len, ret) ? 1 : 0;
	case INSN_X86_64:
		break;
	}
	return x86_move__read(bytes, len, ret) ? 1 : 0;
}
