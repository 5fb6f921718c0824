// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/insn_move.h"

#include "symd/x86_move.h"

unsigned insn_moves__read(enum insn_set set, const uint8_t *bytes, size_t len,
			  struct insn_move ret[INSN_MOVES])
{
	switch (set) {
	case INSN_X86_64:
		return x86_move__read(bytes, len, ret) ? 1 : 0;
	case INSN_ARM64:
	case INSN_RISCV64:
		break;
	}
	return 0;
}
