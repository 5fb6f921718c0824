// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Any bytes as a function of each set of instructions: each place is in a block of one class or
 * begins no instruction, and all of a block have the same.
 */
#include <stdbool.h>
#include <stdlib.h>

#include "symd/code_blocks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct code_blocks *b, enum insn_set set, const uint8_t *data, size_t size)
{
	enum pmb_block_class last = PMB_BLOCK_NONE;

	code_blocks__find(b, set, data, size);
	for (size_t at = 0; at < size; at++) {
		const bool begins = b->insns[at / 8] & 1 << at % 8;
		enum pmb_block_class class = code_blocks__class(b, at);

		if (class >= PMB_N_BLOCK_CLASSES || begins != (class != PMB_BLOCK_NONE))
			abort();
		if (begins && !(b->blocks[at / 8] & 1 << at % 8) && class != last)
			abort();
		if (begins)
			last = class;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { ENOUGH = 1024 }; /* each place is looked at */
	static struct code_blocks b;

	if (size > ENOUGH)
		return 0;
	check(&b, INSN_X86_64, data, size);
	check(&b, INSN_ARM64, data, size);
	check(&b, INSN_RISCV64, data, size);
	return 0;
}
