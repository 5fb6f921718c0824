// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What it says of itself is exported, for its debugger: it is in .dynsym of stripped files, too.
 * Names are compared for words only. */
#include "symd/elf_hotspot.h"

#include <string.h>

#include "symd/elf_symbols.h"

enum {
	WORD = 8,
	SYMBOLS_MAX = 256 * 1024, /* of the table; libjvm.so has 1,000 */
};

static bool is_called(struct elf_strings *strings, const GElf_Sym *sym, const char *name)
{
	size_t len;
	const char *at = elf_strings__at(strings, sym->st_name, &len);

	return at && len == strlen(name) && memcmp(at, name, len) == 0;
}

static void look(struct elf_records *symbols, struct elf_strings *strings, struct pmb_runtime *ret)
{
	GElf_Sym sym;

	for (size_t i = 0; i < SYMBOLS_MAX && elf_records__next_symbol(symbols, &sym); i++) {
		if (GELF_ST_TYPE(sym.st_info) != STT_OBJECT || sym.st_size != WORD)
			continue;
		if (is_called(strings, &sym, "gHotSpotVMStructs"))
			ret->structs_from = sym.st_value;
		else if (is_called(strings, &sym, "gHotSpotVMTypes"))
			ret->types_from = sym.st_value;
	}
}

/* How far addresses of the file's code are from its offsets. */
static bool find_code(Elf *elf, uint64_t *ret)
{
	size_t n = 0;
	GElf_Phdr ph;

	if (elf_getphdrnum(elf, &n) < 0)
		return false;
	for (size_t i = 0; i < n && i < INT32_MAX; i++) {
		if (gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_LOAD && ph.p_flags & PF_X) {
			*ret = ph.p_vaddr - ph.p_offset;
			return true;
		}
	}
	return false;
}

enum pmb_runtime_state elf_hotspot__find(const struct elf_bytes *from, struct pmb_runtime *ret)
{
	Elf_Scn *scn = elf_section__by_type(from->elf, SHT_DYNSYM);
	struct elf_records symbols;
	struct elf_strings strings;
	GElf_Ehdr ehdr;
	GElf_Shdr shdr;
	uint64_t code;

	*ret = (struct pmb_runtime){0};
	if (!scn || !gelf_getehdr(from->elf, &ehdr) || ehdr.e_machine != EM_X86_64 ||
	    !gelf_getshdr(scn, &shdr) ||
	    !elf_records__open(&symbols, from, scn, ELF_T_SYM, ELF_TABLE_MAX))
		return PMB_RUNTIME_NONE;
	if (elf_strings__open(&strings, from, elf_getscn(from->elf, shdr.sh_link), ELF_TABLE_MAX))
		look(&symbols, &strings, ret);
	elf_strings__close(&strings);
	elf_records__close(&symbols);
	if (!ret->structs_from || !ret->types_from || !find_code(from->elf, &code))
		return PMB_RUNTIME_NONE;
	ret->structs_from -= code;
	ret->types_from -= code;
	return PMB_RUNTIME_HOTSPOT;
}
