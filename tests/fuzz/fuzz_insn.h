/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What may be said of an instruction's data, whatever the bytes: for each of the decoders. */
#ifndef PMUBPF_FUZZ_INSN_H
#define PMUBPF_FUZZ_INSN_H

#include <stdlib.h>

#include "symd/insn_data.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_memory(const struct insn_memory *m, unsigned regs)
{
	if ((m->base >= regs && m->base != INSN_IP && m->base != INSN_NONE) ||
	    (m->index >= regs && m->index != INSN_NONE))
		abort();
	if (!m->size || !m->access || m->access > (INSN_LOAD | INSN_STORE))
		abort();
	if (!m->scale || m->scale > 16 || (m->scale & (m->scale - 1)))
		abort();
	if (m->extend && m->index == INSN_NONE)
		abort();
}

static void check_insn(const struct insn_data *o, unsigned regs)
{
	if (o->n > INSN_OPERANDS)
		abort();
	for (int i = 0; i < o->n; i++)
		check_memory(&o->mem[i], regs);
	for (int i = 0; i < INSN_OPERANDS; i++) {
		uint8_t reg = o->steps[i].reg;

		if (reg != INSN_NONE && (reg >= regs || !(o->written & 1U << reg)))
			abort();
	}
}

/* Any bytes as instructions, one behind the other. */
static void check_all(enum insn_set set, unsigned regs, const uint8_t *data, size_t size)
{
	struct insn_data o;

	for (size_t at = 0; at < size; at += o.len) {
		bool known = insn_data__read(set, data + at, size - at, &o);

		if (o.len > size - at || o.len > INSN_LONGEST || (known && !o.len))
			abort();
		if (!o.len)
			break;
		if (known)
			check_insn(&o, regs);
	}
}

#endif
