// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/insn_class.h"

static uint32_t word_of(const uint8_t *bytes)
{
	return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}

static enum pmb_block_class mark_of(enum insn_set set, const uint8_t *bytes, uint32_t len)
{
	switch (set) {
	case INSN_ARM64:
		return arm64_mark(word_of(bytes));
	case INSN_RISCV64: /* compressed ones only compute, load, store and jump */
		return len == sizeof(uint32_t) ? riscv64_mark(word_of(bytes)) : PMB_BLOCK_NONE;
	case INSN_X86_64:
		break;
	}
	return x86_mark(bytes, len);
}

static enum pmb_block_class memory_of(const struct insn_data *o)
{
	unsigned access = 0;

	for (int i = 0; i < o->n; i++)
		access |= o->mem[i].access;
	if (access == (INSN_LOAD | INSN_STORE))
		return PMB_BLOCK_LOAD_STORE;
	return access == INSN_LOAD  ? PMB_BLOCK_LOAD :
	       access == INSN_STORE ? PMB_BLOCK_STORE :
				      PMB_BLOCK_INTEGER;
}

enum pmb_block_class insn_class__read(enum insn_set set, const uint8_t *bytes, size_t len,
				      struct insn_data *o)
{
	enum pmb_block_class mark;

	insn_data__read(set, bytes, len, o);
	if (!o->len)
		return PMB_BLOCK_NONE;
	mark = mark_of(set, bytes, o->len);
	if (mark)
		return mark;
	switch (o->flow) {
	case INSN_CALLS:
	case INSN_ENDS:
		return PMB_BLOCK_CALL;
	case INSN_BRANCHES:
	case INSN_JUMPS:
		return PMB_BLOCK_BRANCH;
	default:
		return memory_of(o);
	}
}
