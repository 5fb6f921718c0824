// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Any bytes as a Go program: the first half its table of functions, the second its code. Rows come
 * out in the order of the code, none of them outside of it, and the first at its beginning; a name
 * is that of a function around the address.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "fuzz.h"
#include "symd/elf_go.h"

enum { NAMES = 64 };

struct seen {
	uint64_t last, end;
};

static void see(void *ctx, uint64_t file_off, const struct pmb_unwind_rule *rule)
{
	struct seen *s = ctx;

	if (file_off >= s->end || file_off < s->last)
		abort();
	if (rule->cfa == PMB_CFA_SP && rule->cfa_off < 8)
		abort();
	s->last = file_off;
}

static void name(struct go_pcln *g, uint64_t vaddr)
{
	struct elf_name found;

	if (elf_go__find(g, vaddr, &found) && (vaddr < found.start || vaddr >= found.end ||
					       !found.len || memchr(found.name, '\0', found.len)))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const struct cfi_code code = {.file_off = len / 2,
				      .vaddr = 0x401000,
				      .size = len - len / 2};
	const struct pmb_unwind_rule gap = {.cfa = PMB_CFA_FRAME};
	struct seen seen = {.last = code.file_off, .end = len};
	_cleanup_close_ int fd = len > 1024 * 1024 ? -1 : fuzz_file(data, len);
	struct go_pcln g = {
		.table.fd = fd,
		.table.size = len / 2,
		.text = code.vaddr,
		.code = &code,
		.n_code = 1,
	};

	if (fd >= 0 && go_pcln__open(&g)) {
		go_pcln__fill(&g, seen.last, seen.end, &gap, see, &seen);
		for (uint64_t at = 0; at < code.size; at += 1 + code.size / NAMES)
			name(&g, code.vaddr + at);
	}
	return 0;
}
