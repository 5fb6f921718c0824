// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/code_undo.h"

void code_undo__step(struct code_undo *u, const struct insn_data *o)
{
	uint32_t written = o->written;

	for (int i = 0; i < INSN_OPERANDS; i++) {
		const struct insn_step *s = &o->steps[i];

		if (s->reg == INSN_NONE || o->repeats)
			continue;
		u->added[s->reg] += s->added;
		/* pop of the stack pointer itself has no step */
		written &= ~(1U << s->reg);
	}
	u->lost |= written;
}

void code_undo__repeated(struct code_undo *u, const struct insn_data *o)
{
	for (int i = 0; i < INSN_OPERANDS; i++) {
		if (o->steps[i].reg != INSN_NONE)
			u->added[o->steps[i].reg] += o->steps[i].added;
	}
}

static uint8_t register_of(uint8_t reg)
{
	return reg == INSN_IP ? PMB_REG_IP : reg == INSN_NONE ? PMB_REG_NONE : reg;
}

static uint8_t extend_of(const struct insn_memory *m)
{
	return m->extend == INSN_SIGNED_32   ? PMB_OPERAND_SIGNED_32 :
	       m->extend == INSN_UNSIGNED_32 ? PMB_OPERAND_UNSIGNED_32 :
					       0;
}

static bool is_lost(const struct code_undo *u, uint8_t reg)
{
	return reg < INSN_REGS && u->lost & 1U << reg;
}

struct pmb_operand code_undo__operand(const struct code_undo *u, const struct insn_data *insn,
				      int which, size_t off, size_t at)
{
	const struct insn_memory *m = &insn->mem[which];
	struct pmb_operand o = {
		.base = register_of(m->base),
		.index = register_of(m->index),
		.scale = m->scale,
		.segment = m->segment ? PMB_REG_FS : PMB_REG_NONE,
		.flags = m->access | extend_of(m),
		.object = PMB_REG_NONE,
		.which = (uint8_t)which,
		.size = m->size,
		.insn = (int32_t)((int64_t)off - (int64_t)at),
		.disp = m->disp,
	};

	if (m->base == INSN_IP)
		o.disp += o.insn + (int64_t)insn->len;
	else if (m->base < INSN_REGS)
		o.start = -u->added[m->base];
	o.disp += o.start;
	if (m->index < INSN_REGS)
		o.disp -= u->added[m->index] * m->scale;
	if (is_lost(u, m->base) || is_lost(u, m->index))
		o.flags |= PMB_OPERAND_LOST;
	/* what was added to all of it may have overflowed its lower half */
	if (m->extend && u->added[m->index])
		o.flags |= PMB_OPERAND_LOST;
	if (m->loose || insn->repeats || m->segment == 0x65)
		o.flags |= PMB_OPERAND_LOOSE;
	return o;
}
