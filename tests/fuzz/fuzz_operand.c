// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Any bytes as x86-64 instructions: what is said of each is of registers and sizes there are. */
#include <stdlib.h>

#include "symd/x86_operand.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_memory(const struct x86_memory *m)
{
	if ((m->base > X86_IP && m->base != X86_NONE) ||
	    (m->index >= X86_REGS && m->index != X86_NONE))
		abort();
	if (!m->size || !m->access || m->access > (X86_LOAD | X86_STORE))
		abort();
	if (m->scale != 1 && m->scale != 2 && m->scale != 4 && m->scale != 8)
		abort();
}

static void check(const struct x86_operand *o)
{
	if (o->n > X86_OPERANDS)
		abort();
	for (int i = 0; i < o->n; i++)
		check_memory(&o->mem[i]);
	for (int i = 0; i < X86_OPERANDS; i++) {
		uint8_t reg = o->steps[i].reg;

		if (reg != X86_NONE && (reg >= X86_REGS || !(o->written & 1U << reg)))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct x86_operand o;

	for (size_t at = 0; at < size; at += o.len) {
		bool known = x86_operand__read(data + at, size - at, &o);

		if (o.len > size - at || o.len > 15 || (known && !o.len))
			abort();
		if (!o.len)
			break;
		if (known)
			check(&o);
	}
	return 0;
}
