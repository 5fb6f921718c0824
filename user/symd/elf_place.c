// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/elf_place.h"

#include "symd/code_place.h"
#include "symd/x86_parts.h"

/* Bytes of a function; in larger ones nobody looks back. */
enum { FUNCTION_MAX = 64 * 1024 };

void elf_place__find(const struct elf_file *elf, uint64_t file_off, enum pmb_skid skid,
		     struct pmb_place *ret)
{
	uint8_t bytes[FUNCTION_MAX];
	struct code_bytes code = {.bytes = bytes};
	uint64_t vaddr, start, end;
	size_t size;

	*ret = (struct pmb_place){.finding = PMB_PLACE_UNKNOWN};
	if (!elf_file__vaddr(elf, file_off, &vaddr) ||
	    !elf_file__function(elf, vaddr, &start, &end))
		return;
	if (skid == PMB_SKID_EXACT)
		start = vaddr;
	code.at = vaddr - start;
	if (code.at > FUNCTION_MAX - X86_LONGEST) {
		ret->finding = PMB_PLACE_FAR;
		return;
	}
	size = end - start < FUNCTION_MAX ? end - start : FUNCTION_MAX;
	if (skid == PMB_SKID_EXACT && size > X86_LONGEST)
		size = X86_LONGEST;
	code.len = elf_file__read(elf, start, bytes, size);
	code_place__find(&code, skid, ret);
}
