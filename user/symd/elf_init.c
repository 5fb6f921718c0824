// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/elf_init.h"

#include <stdbool.h>
#include <string.h>

static bool begins(const uint8_t *code, size_t len, const uint8_t *with, size_t n)
{
	return len >= n && memcmp(code, with, n) == 0;
}

/*
 *	[endbr64]
 *	sub $8, %rsp		a word from here on
 *	…
 *	add $8, %rsp		none from here on
 *	ret
 */
int elf_init__add(struct cfi *cfi, uint64_t vaddr, const uint8_t *code, size_t len)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	static const uint8_t sub[] = {0x48, 0x83, 0xec, 0x08};
	static const uint8_t add_ret[] = {0x48, 0x83, 0xc4, 0x08, 0xc3};
	static const struct pmb_unwind_rule bare = {.cfa = PMB_CFA_SP, .cfa_off = 8, .ra_off = -8};
	static const struct pmb_unwind_rule word = {.cfa = PMB_CFA_SP, .cfa_off = 16, .ra_off = -8};
	size_t from = begins(code, len, endbr64, sizeof(endbr64)) ? sizeof(endbr64) : 0, to;
	int r;

	if (!begins(code + from, len - from, sub, sizeof(sub)) || len - from < 16 ||
	    memcmp(code + len - sizeof(add_ret), add_ret, sizeof(add_ret)) != 0)
		return 0;
	from += sizeof(sub);
	to = len - 1; /* the ret */
	r = cfi__add_fixed(cfi, vaddr, from, &bare);
	if (r == 0)
		r = cfi__add_fixed(cfi, vaddr + from, to - from, &word);
	return r < 0 ? r : cfi__add_fixed(cfi, vaddr + to, 1, &bare);
}
