/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which instruction an overflow at some place is about, and how to compute what it addressed from
 * the registers that were there: by looking back from the place, as far as that is certain.
 */
#ifndef PMUBPF_SYMD_CODE_PLACE_H
#define PMUBPF_SYMD_CODE_PLACE_H

#include <stddef.h>
#include <stdint.h>

#include "pmubpf/operand.h"
#include "symd/insn_data.h"

/* A function's code, and the place in it. */
struct code_bytes {
	const uint8_t *bytes;
	size_t len;
	size_t at;
	enum insn_set set;
};

/* Pure. Of objects nothing is known yet: operands' start is what has been added to the base since,
 * undone. */
void code_place__find(const struct code_bytes *code, enum pmb_skid skid, struct pmb_place *ret);

#endif
