// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/code_extent.h"

#include "symd/x86_insn.h"

size_t code_extent(const uint8_t *bytes, size_t len, uint64_t vaddr)
{
	uint64_t furthest =
		0; /* that a jump inside leads to; a target beyond len is another function */
	struct x86_insn insn;

	for (size_t off = 0; off < len;) {
		if (!x86_insn__read(bytes + off, len - off, vaddr + off, &insn))
			return 0;
		off += insn.len;
		if ((insn.kind == X86_BRANCH || insn.kind == X86_JUMP) && insn.target > vaddr &&
		    insn.target - vaddr < len && insn.target - vaddr > furthest)
			furthest = insn.target - vaddr;
		if ((insn.kind == X86_RET || insn.kind == X86_JUMP) && off > furthest)
			return off;
	}
	return 0;
}
