/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where on its stack a function keeps the address that it returns to. Pure. */
#ifndef PMUBPF_SYMD_CODE_KEPT_H
#define PMUBPF_SYMD_CODE_KEPT_H

#include "symd/insn_data.h"

enum { CODE_KEPT_UNKNOWN = UINT16_MAX };

/* How far below the stack pointer of its entry, in bytes; on arm64 the caller's frame pointer is
 * right below it. CODE_KEPT_UNKNOWN, of functions that call nothing, too. */
uint16_t code_kept__find(enum insn_set set, const uint8_t *code, size_t len);

#endif
