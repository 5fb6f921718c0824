// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Any bytes as a function, whose last part, of a length that stands first, lies elsewhere. Exits
 * are in the code, each once.
 */
#include <stdlib.h>

#include "symd/code_exits.h"
#include "symd/code_go.h"
#include "symd/code_kept.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { AT = 0x400000, PART_AT = 0x410000 };

static size_t more(void *ctx, const uint64_t *targets, size_t n, struct code_part *ret, size_t room)
{
	const struct code_part *part = ctx;

	for (size_t i = 0; i < n; i++) {
		if (targets[i] - part->vaddr >= part->len)
			continue;
		if (!room)
			return 1;
		*ret = *part;
		return 1;
	}
	return 0;
}

static void find(enum insn_set set, const struct code_part *code, struct code_part *part)
{
	struct code_exits exits;

	if (code_exits__find(set, code, (struct code_entry){AT, set == INSN_X86_64}, more, part,
			     &exits) != SYMD_SITE_FOUND)
		return;
	if (!exits.n || exits.n > SYMD_EXITS_MAX)
		abort();
	for (uint32_t i = 0; i < exits.n; i++) {
		uint64_t at = exits.of[i].vaddr;

		if ((at - AT >= code->len && at - PART_AT >= part->len) || exits.of[i].when > 16)
			abort();
		for (uint32_t k = 0; k < i; k++) {
			if (exits.of[k].vaddr == at)
				abort();
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct code_part code = {.vaddr = AT}, part = {.vaddr = PART_AT};
	struct code_go look;

	if (size < 1)
		return 0;
	part.len = data[0] < size - 1 ? data[0] : size - 1;
	code.len = size - 1 - part.len;
	code.bytes = data + 1;
	part.bytes = code.bytes + code.len;
	find(INSN_X86_64, &code, &part);
	find(INSN_ARM64, &code, &part);
	code_go__find(INSN_X86_64, code.bytes, code.len, &look);
	code_kept__find(INSN_ARM64, code.bytes, code.len);
	return 0;
}
