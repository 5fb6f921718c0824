/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What instructions did to registers since an earlier one, so that what that one addressed can be
 * said by the registers that are there now. Pure. */
#ifndef PMUBPF_SYMD_CODE_UNDO_H
#define PMUBPF_SYMD_CODE_UNDO_H

#include <stddef.h>
#include <stdint.h>

#include "pmubpf/operand.h"
#include "symd/insn_data.h"

struct code_undo {
	int64_t added[INSN_REGS]; /* since, to each register */
	uint32_t lost;            /* those that were overwritten */
};

/* Goes back over it. */
void code_undo__step(struct code_undo *u, const struct insn_data *o);
/* Back over what a string instruction that repeats has done until now. */
void code_undo__repeated(struct code_undo *u, const struct insn_data *o);
/* What the which-th operand of the instruction at `off` was, of a place that is at `at`. */
struct pmb_operand code_undo__operand(const struct code_undo *u, const struct insn_data *o,
				      int which, size_t off, size_t at);

#endif
