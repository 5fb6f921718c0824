/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the letters of x86_opcodes.h come to, with the prefixes and the ModRM of an instruction. */
#ifndef PMUBPF_SYMD_X86_ACCESS_H
#define PMUBPF_SYMD_X86_ACCESS_H

#include "symd/x86_parts.h"

/* Bytes of a general operand: 2, 4 or 8. */
unsigned x86_access__number(const struct x86_parts *p);
/* Bytes of the operand in memory; 0: there is none, or it isn't known. */
unsigned x86_access__size(const struct x86_parts *p, char letter);
/* INSN_LOAD, INSN_STORE, or both. */
uint8_t x86_access__kind(const struct x86_parts *p, char letter);

#endif
