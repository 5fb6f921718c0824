// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/no_altlink.h"

#include <elf.h>
#include <endian.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/mem.h"

/* The smallest file that libdw takes: no unit, one section that may stand alone. */
struct image {
	Elf64_Ehdr header;
	char names[32]; /* of the sections */
	char line[8];
	Elf64_Shdr sections[3];
};

static const struct image empty = {
	.header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			       __BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB,
			       EV_CURRENT},
		   .e_type = ET_DYN,
		   .e_machine = EM_NONE,
		   .e_version = EV_CURRENT,
		   .e_shoff = offsetof(struct image, sections),
		   .e_ehsize = sizeof(Elf64_Ehdr),
		   .e_shentsize = sizeof(Elf64_Shdr),
		   .e_shnum = 3,
		   .e_shstrndx = 1},
	.names = "\0.shstrtab\0.debug_line",
	.sections = {{0},
		     {.sh_name = 1,
		      .sh_type = SHT_STRTAB,
		      .sh_offset = offsetof(struct image, names),
		      .sh_size = sizeof(empty.names),
		      .sh_addralign = 1},
		     {.sh_name = 11,
		      .sh_type = SHT_PROGBITS,
		      .sh_offset = offsetof(struct image, line),
		      .sh_size = sizeof(empty.line),
		      .sh_addralign = 1}},
};

bool no_altlink__set(struct no_altlink *none, Dwarf *dwarf)
{
	none->bytes = xmemdup(&empty, sizeof(empty));
	none->elf = elf_memory(none->bytes, sizeof(empty));
	none->dwarf = none->elf ? dwarf_begin_elf(none->elf, DWARF_C_READ, NULL) : NULL;
	if (none->dwarf)
		dwarf_setalt(dwarf, none->dwarf);
	return none->dwarf != NULL;
}

void no_altlink__done(struct no_altlink *none)
{
	dwarf_end(none->dwarf);
	elf_end(none->elf);
	free(none->bytes);
	*none = (struct no_altlink){0};
}
