/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What an architecture's registers are for, between functions and in DWARF. Registers have their
 * encoded numbers (symd/insn_data.h). */
#ifndef PMUBPF_SYMD_INSN_ABI_H
#define PMUBPF_SYMD_INSN_ABI_H

#include <stdbool.h>
#include <stdint.h>

#include "symd/insn_data.h"

struct insn_abi {
	uint8_t n_regs;      /* that may have a pointer */
	uint8_t by_dwarf[8]; /* how DWARF counts the first ones; those behind as they are */
	uint8_t sp, fp;
	uint8_t zero;             /* that is always 0; INSN_NONE: none is */
	uint8_t argument;         /* the first one, if it is a pointer… */
	uint8_t result;           /* …and what a call returns */
	uint8_t other_link;       /* calls by it are of a prologue, that changes sp; INSN_NONE */
	int8_t sp_at_entry;       /* from the canonical frame address, where a function begins */
	uint32_t clobbered;       /* by calls, by bit… */
	uint32_t clobbered_by_go; /* …and by those of Go */
};

/* Valid for ever. */
const struct insn_abi *insn_abi__of(enum insn_set set);
/* Which register DWARF means. False: none of these. */
bool insn_abi__register(const struct insn_abi *abi, uint64_t number, uint8_t *ret);

#endif
