// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/elf_gap.h"

#include <linux/types.h>
#include <string.h>

#include "base/mem.h"

enum {
	HEAD = 12, /* version, three encodings, where .eh_frame is, how many entries */
	ENTRY = 8,
	ENTRIES_MAX = 1024 * 1024, /* node has 250,000 */
	AT_ONCE = 512,
	SECTIONS_MAX = 256,
	GAP_MIN = 256 * 1024, /* bytes; V8's is 1.4 MB and more */
	/* version 1; .eh_frame's place from here, 4 bytes; a count, 4 bytes; entries from the
	 * header on, 4 bytes each: what linkers make */
	ENCODINGS = 0x3b031b01,
};

/* All of it in one section of code? Between sections there may be more room than in any. */
static bool in_a_section(Elf *elf, uint64_t start, uint64_t end)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	for (int i = 0; i < SECTIONS_MAX && (scn = elf_nextscn(elf, scn)); i++) {
		if (gelf_getshdr(scn, &shdr) && shdr.sh_flags & SHF_EXECINSTR &&
		    start >= shdr.sh_addr && end - shdr.sh_addr <= shdr.sh_size)
			return true;
	}
	return false;
}

bool elf_gap__largest(const struct elf_bytes *from, uint64_t *ret_from, uint64_t *ret_to)
{
	int32_t entries[AT_ONCE][2];
	uint64_t last = 0, off;
	uint32_t head[HEAD / 4], done = 0, n;
	GElf_Phdr ph;

	*ret_from = *ret_to = 0;
	if (!elf_segment__by_type(from->elf, PT_GNU_EH_FRAME, INT32_MAX, &ph) ||
	    ph.p_filesz < HEAD || elf_bytes__read(from, ph.p_offset, head, HEAD) != HEAD ||
	    head[0] != ENCODINGS)
		return false;
	n = head[2] < ENTRIES_MAX ? head[2] : ENTRIES_MAX;
	for (off = ph.p_offset + HEAD; done < n; off += sizeof(entries)) {
		size_t got = elf_bytes__read(from, off, entries, sizeof(entries)) / ENTRY;

		for (size_t i = 0; i < got && done < n; i++, done++) {
			uint64_t start = ph.p_vaddr + (uint64_t)(int64_t)entries[i][0];

			if (done && start > last && start - last >= GAP_MIN &&
			    start - last > *ret_to - *ret_from &&
			    in_a_section(from->elf, last, start)) {
				*ret_from = last;
				*ret_to = start;
			}
			last = start;
		}
		if (got < AT_ONCE)
			break;
	}
	return *ret_to > *ret_from;
}
