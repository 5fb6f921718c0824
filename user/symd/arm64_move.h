/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What an arm64 instruction makes registers of (symd/insn_move.h). */
#ifndef PMUBPF_SYMD_ARM64_MOVE_H
#define PMUBPF_SYMD_ARM64_MOVE_H

#include "symd/insn_move.h"

/* ret says yet of no register that it is one. How many it does. */
unsigned arm64_move__read(const uint8_t *bytes, size_t len, struct insn_move ret[INSN_MOVES]);

#endif
