/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An x86-64 instruction, as far as it makes one general register out of others, of a number, or of
 * eight bytes in memory, or stores one there: where pointers come from, and where they go to. */
#ifndef PMUBPF_SYMD_X86_MOVE_H
#define PMUBPF_SYMD_X86_MOVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symd/x86_operand.h"

enum x86_move_kind {
	X86_MOVE_COPY,        /* src */
	X86_MOVE_EXTEND,      /* the lower half of src */
	X86_MOVE_NUMBER,      /* number */
	X86_MOVE_LOAD,        /* what lies at mem */
	X86_MOVE_STORE,       /* none; src to mem */
	X86_MOVE_LEA,         /* the address of mem */
	X86_MOVE_ADD,         /* dst + src */
	X86_MOVE_CHOICE,      /* dst or src */
	X86_MOVE_ADD_LOAD,    /* dst + what lies at mem */
	X86_MOVE_CHOICE_LOAD, /* dst, or what lies at mem */
	X86_MOVE_SCALE,       /* src times number */
	X86_MOVE_FLAG,        /* its lowest byte: 0 or 1 */
};

struct x86_move {
	enum x86_move_kind kind;
	uint8_t dst, src;
	struct insn_memory mem;
	int64_t number;
};

/* False: it does none of these. */
bool x86_move__read(const uint8_t *bytes, size_t len, struct x86_move *ret);

#endif
