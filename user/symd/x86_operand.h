/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What an x86-64 instruction does to data (symd/insn_data.h). */
#ifndef PMUBPF_SYMD_X86_OPERAND_H
#define PMUBPF_SYMD_X86_OPERAND_H

#include "symd/insn_data.h"

enum { X86_REGS = 16 }; /* ax cx dx bx sp bp si di r8… */

/* False: it isn't an instruction (len 0), or one of which only the length is known. Where the
 * program goes on isn't said: x86_insn.h. */
bool x86_operand__read(const uint8_t *bytes, size_t len, struct insn_data *ret);

#endif
