// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/insn_data.h"

#include <elf.h>

#include "symd/arm64_operand.h"
#include "symd/riscv64_operand.h"
#include "symd/x86_insn.h"
#include "symd/x86_operand.h"

/* Where the instruction is taken to lie: no jump leads to 0, which stands for nobody knows. */
#define BASE (1ULL << 32)

static uint8_t flow_of(enum x86_kind kind)
{
	switch (kind) {
	case X86_CALL:
		return INSN_CALLS;
	case X86_BRANCH:
		return INSN_BRANCHES;
	case X86_JUMP:
		return INSN_JUMPS;
	case X86_RET:
	case X86_TRAP:
		return INSN_ENDS;
	default:
		return INSN_GOES_ON;
	}
}

bool insn_set__of(unsigned machine, bool is_64, enum insn_set *ret)
{
	*ret = machine == EM_AARCH64 ? INSN_ARM64 :
	       machine == EM_RISCV   ? INSN_RISCV64 :
				       INSN_X86_64;
	return is_64 && (machine == EM_X86_64 || machine == EM_AARCH64 || machine == EM_RISCV);
}

static bool read_x86_flow(const uint8_t *bytes, size_t len, struct insn_data *ret)
{
	struct x86_insn flow;

	if (!x86_insn__read(bytes, len, BASE, &flow)) {
		ret->len = 0;
		return false;
	}
	ret->len = flow.len;
	ret->flow = flow_of(flow.kind);
	ret->padding = flow.kind == X86_PADDING;
	ret->has_target = ret->flow != INSN_GOES_ON && flow.target;
	ret->target = (int64_t)(flow.target - BASE);
	return true;
}

static bool read_x86(const uint8_t *bytes, size_t len, struct insn_data *ret)
{
	bool known = x86_operand__read(bytes, len, ret);

	return ret->len && read_x86_flow(bytes, len, ret) && known;
}

void insn_data__read_flow(enum insn_set set, const uint8_t *bytes, size_t len,
			  struct insn_data *ret)
{
	*ret = (struct insn_data){0};
	if (set == INSN_X86_64)
		read_x86_flow(bytes, len, ret);
	else
		insn_data__read(set, bytes, len, ret);
}

bool insn_data__read(enum insn_set set, const uint8_t *bytes, size_t len, struct insn_data *ret)
{
	switch (set) {
	case INSN_ARM64:
		return arm64_operand__read(bytes, len, ret);
	case INSN_RISCV64:
		return riscv64_operand__read(bytes, len, ret);
	case INSN_X86_64:
		break;
	}
	return read_x86(bytes, len, ret);
}
