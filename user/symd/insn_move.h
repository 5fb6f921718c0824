/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An instruction, as far as it makes general registers out of others, of numbers, or of eight
 * bytes in memory, or stores one there: where pointers come from, and where they go to. */
#ifndef PMUBPF_SYMD_INSN_MOVE_H
#define PMUBPF_SYMD_INSN_MOVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symd/insn_data.h"

enum insn_move_kind {
	INSN_MOVE_COPY,        /* a */
	INSN_MOVE_EXTEND,      /* the lower half of a */
	INSN_MOVE_NUMBER,      /* number */
	INSN_MOVE_LOAD,        /* what lies at mem */
	INSN_MOVE_STORE,       /* none; a to mem, or number */
	INSN_MOVE_STEP,        /* none; what lies at mem, plus number, to there */
	INSN_MOVE_LEA,         /* the address of mem */
	INSN_MOVE_PAGE,        /* where the 4 KB that it lies in begin, plus number */
	INSN_MOVE_SUM,         /* a + b * number */
	INSN_MOVE_DIFFERENCE,  /* a - b */
	INSN_MOVE_PRODUCT,     /* a + b * c */
	INSN_MOVE_CHOICE,      /* a or b */
	INSN_MOVE_SUM_LOAD,    /* a + what lies at mem */
	INSN_MOVE_TIMES_LOAD,  /* what lies at mem * number */
	INSN_MOVE_CHOICE_LOAD, /* a, or what lies at mem */
	INSN_MOVE_FLAG,        /* a, but its lowest byte is 0 or 1 */
};

struct insn_move {
	enum insn_move_kind kind;
	uint8_t dst, a, b, c; /* INSN_NONE: none, that is 0 */
	bool half;            /* of what is multiplied only lower bits count */
	struct insn_memory mem;
	int64_t number;
};

enum { INSN_MOVES = 2 };

/* How many of these it does, all by what registers are before it. */
unsigned insn_moves__read(enum insn_set set, const uint8_t *bytes, size_t len,
			  struct insn_move ret[INSN_MOVES]);

#endif
