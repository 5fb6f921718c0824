/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What an x86-64 instruction makes registers of (symd/insn_move.h). */
#ifndef PMUBPF_SYMD_X86_MOVE_H
#define PMUBPF_SYMD_X86_MOVE_H

#include "symd/insn_move.h"

/* ret says yet of no register that it is one. False: nothing of that. */
bool x86_move__read(const uint8_t *bytes, size_t len, struct insn_move *ret);

#endif
