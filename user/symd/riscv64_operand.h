/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a riscv64 instruction does to data, and where the program goes on (symd/insn_data.h). */
#ifndef PMUBPF_SYMD_RISCV64_OPERAND_H
#define PMUBPF_SYMD_RISCV64_OPERAND_H

#include "symd/insn_data.h"

/* RV64GC, and what of Zcb, Zba, Zbb, Zicboz writes registers and memory the same way. False: len 0:
 * too few bytes, or more than four of them; else, it isn't known: vectors' loads and stores. */
bool riscv64_operand__read(const uint8_t *bytes, size_t len, struct insn_data *ret);

#endif
