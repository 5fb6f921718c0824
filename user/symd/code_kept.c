// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is that compilers may save it late, behind a jump to where nothing is called. The
 * stack pointer doesn't move before that, so instructions are looked at in their order.
 */
#include "symd/code_kept.h"

#include "symd/insn_bits.h"

enum { SP = 31, LR = 30, FP = 29, INSN_BYTES = 4 };

/* stp x29, x30: a frame. ret_at: from the register of its address to where LR goes. */
static bool keeps(uint32_t w, const struct insn_data *o, int32_t *ret_at)
{
	*ret_at = o->n ? o->mem[0].disp + 8 : 0;
	return field(w, 31, 25) == 0x54 && !bit(w, 22) && field(w, 14, 10) == LR &&
	       field(w, 4, 0) == FP && o->n == 1 && o->mem[0].base == SP;
}

static bool step_of_sp(const struct insn_data *o, int32_t *ret)
{
	*ret = 0;
	if (!(o->written & 1U << SP))
		return true;
	for (int i = 0; i < INSN_OPERANDS; i++) {
		if (o->steps[i].reg == SP) {
			*ret = o->steps[i].added;
			return true;
		}
	}
	return false;
}

static uint16_t find_on_arm64(const uint8_t *code, size_t len)
{
	int64_t sp = 0;

	for (size_t i = 0; i + INSN_BYTES <= len; i += INSN_BYTES) {
		const uint8_t *c = code + i;
		uint32_t w = c[0] | (uint32_t)c[1] << 8 | (uint32_t)c[2] << 16 |
			     (uint32_t)c[3] << 24;
		struct insn_data o;
		int32_t at, step;

		if (!insn_data__read(INSN_ARM64, c, INSN_BYTES, &o) || !step_of_sp(&o, &step))
			return CODE_KEPT_UNKNOWN;
		if (keeps(w, &o, &at))
			return sp + at < 0 && sp + at > -CODE_KEPT_UNKNOWN ?
				       (uint16_t) - (sp + at) :
				       CODE_KEPT_UNKNOWN;
		sp += step;
		if (o.flow == INSN_CALLS)
			return CODE_KEPT_UNKNOWN;
	}
	return CODE_KEPT_UNKNOWN;
}

uint16_t code_kept__find(enum insn_set set, const uint8_t *code, size_t len)
{
	switch (set) {
	case INSN_X86_64:
		return 0; /* the call has put it there */
	case INSN_ARM64:
		return find_on_arm64(code, len);
	case INSN_RISCV64:
		break;
	}
	return CODE_KEPT_UNKNOWN;
}
