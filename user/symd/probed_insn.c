// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/probed_insn.h"

enum { ARGUMENTS = 6 };

static bool read(enum insn_set set, const uint8_t *bytes, size_t len, uint64_t vaddr,
		 struct probed_before *before, struct probed_insn *ret)
{
	switch (set) {
	case INSN_X86_64:
		return x86_probed__read(bytes, len, vaddr, before, ret);
	case INSN_ARM64:
		return arm64_probed__read(bytes, len, vaddr, before, ret);
	case INSN_RISCV64:
		break;
	}
	return false;
}

bool probed_insn__read(enum insn_set set, const uint8_t *bytes, size_t len, uint64_t vaddr,
		       struct probed_before *before, struct probed_insn *ret)
{
	*ret = (struct probed_insn){0};
	if (!read(set, bytes, len, vaddr, before, ret) || !ret->len)
		return false;
	before->number++;
	return true;
}

bool probed_insn__keeps_arguments(enum insn_set set, const uint8_t *bytes, size_t len, unsigned n)
{
	static const uint8_t x86[ARGUMENTS] = {7, 6, 2, 1, 8, 9}; /* di, si, dx, cx… */
	struct insn_data operand;

	if (!insn_data__read(set, bytes, len, &operand) || n > ARGUMENTS)
		return false;
	for (unsigned i = 0; i < n; i++) {
		if (operand.written & 1U << (set == INSN_X86_64 ? x86[i] : i))
			return false;
	}
	return true;
}
