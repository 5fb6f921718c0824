// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Any bytes as x86-64 instructions. Rows come out in the order of the code, none of them outside of
 * it, and the first at its beginning.
 */
#include <stdlib.h>

#include "symd/code_frames.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FILE_OFF = 0x1000 };

struct seen {
	uint64_t last, end;
};

static void see(void *ctx, uint64_t file_off, const struct pmb_unwind_rule *rule)
{
	struct seen *s = ctx;

	if (file_off >= s->end || (s->last ? file_off <= s->last : file_off != FILE_OFF))
		abort();
	if (rule->cfa == PMB_CFA_SP && rule->cfa_off < 8)
		abort();
	s->last = file_off;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct cfi_code where = {.file_off = FILE_OFF, .vaddr = 0x400000, .size = size};
	const struct pmb_unwind_rule gap = {.cfa = PMB_CFA_NONE};
	struct seen seen = {.end = FILE_OFF + size};
	struct code_frames *f;

	if (!size)
		return 0;
	f = code_frames__new();
	code_frames__add(f, data, NULL, &where);
	code_frames__start(f, where.vaddr);
	code_frames__sweep(f);
	code_frames__emit(f, FILE_OFF, FILE_OFF + size, &gap, see, &seen);
	code_frames__free(f);
	return 0;
}
