/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What an arm64 instruction does to data, and where the program goes on (symd/insn_data.h). */
#ifndef PMUBPF_SYMD_ARM64_OPERAND_H
#define PMUBPF_SYMD_ARM64_OPERAND_H

#include "symd/insn_data.h"

/* False: len 0: too few bytes, or not allocated; else, it isn't known: SVE, SME, tags of memory. */
bool arm64_operand__read(const uint8_t *bytes, size_t len, struct insn_data *ret);

#endif
