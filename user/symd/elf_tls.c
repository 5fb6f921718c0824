// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/elf_tls.h"

#include <string.h>

#include "base/mem.h"
#include "symd/elf_symbols.h"

enum {
	SEGMENTS_MAX = 256,
	RELOCATIONS_MAX = 4 * 1024 * 1024, /* of a section */
	THREAD_HEAD = 16,                  /* arm64: before the program's block */
};

/* Of each machine: what the loader is to write. */
static const struct {
	unsigned machine;
	uint32_t module, offset, descriptor;
} machines[] = {
	{EM_X86_64, 16, 18, 36}, /* DTPMOD64, TPOFF64, TLSDESC */
	{EM_AARCH64, 1028, 1030, 1031},
	{EM_RISCV, 7, 11, 12},
};

static bool is_of_threads(const GElf_Sym *sym)
{
	return GELF_ST_TYPE(sym->st_info) == STT_TLS;
}

/* Some libraries have an interpreter, too (the C library's own), and some programs that are linked
 * statically have none. */
static bool is_program(Elf *elf, const GElf_Ehdr *ehdr)
{
	bool is_named = false;
	Elf_Data *data;
	GElf_Phdr ph;
	GElf_Dyn dyn;

	if (ehdr->e_type == ET_EXEC)
		return true;
	data = elf_section__data(elf_section__by_type(elf, SHT_DYNAMIC), ELF_NOTE_MAX);
	for (int i = 0; data && gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++) {
		if (dyn.d_tag == DT_FLAGS_1 && dyn.d_un.d_val & DF_1_PIE)
			return true;
		is_named |= dyn.d_tag == DT_SONAME;
	}
	return !is_named && elf_segment__by_type(elf, PT_INTERP, SEGMENTS_MAX, &ph);
}

/* A program's own block lies at a fixed place. */
static void in_program(Elf *elf, struct elf_tls *ret)
{
	GElf_Phdr ph;
	uint64_t align;

	if (!elf_segment__by_type(elf, PT_TLS, SEGMENTS_MAX, &ph))
		return;
	align = ph.p_align ? ph.p_align : 1;
	if ((align & (align - 1)) || ph.p_vaddr % align || ph.p_memsz > INT32_MAX ||
	    align > INT32_MAX || ret->value >= ph.p_memsz)
		return;
	ret->kind = ELF_TLS_KNOWN;
	if (ret->machine == EM_X86_64)
		ret->offset = (int64_t)(ret->value - ((ph.p_memsz + align - 1) & ~(align - 1)));
	else if (ret->machine == EM_AARCH64)
		ret->offset = (int64_t)(ret->value + (align > THREAD_HEAD ? align : THREAD_HEAD));
	else
		ret->offset = (int64_t)ret->value;
}

/* A relocation is of the variable, or of the module where it has no symbol. */
static bool is_about(const GElf_Rela *rela, uint32_t symbol, bool of_module,
		     const struct elf_tls *tls)
{
	if (GELF_R_SYM(rela->r_info) == symbol)
		return true;
	return !GELF_R_SYM(rela->r_info) && tls->has_value &&
	       (of_module || (uint64_t)rela->r_addend == tls->value);
}

static void take(const GElf_Rela *rela, size_t machine, uint32_t symbol, struct elf_tls *ret)
{
	uint32_t type = (uint32_t)GELF_R_TYPE(rela->r_info);
	enum elf_tls_kind kind = ELF_TLS_NONE;

	if (type == machines[machine].offset && is_about(rela, symbol, false, ret))
		kind = ELF_TLS_OFFSET;
	else if (type == machines[machine].descriptor && is_about(rela, symbol, false, ret))
		kind = ELF_TLS_DESCRIPTOR;
	else if (type == machines[machine].module && is_about(rela, symbol, true, ret))
		kind = ELF_TLS_MODULE;
	/* what is said of the variable itself goes before what is of the module */
	if (kind == ELF_TLS_NONE || (ret->kind != ELF_TLS_UNKNOWN && ret->kind != ELF_TLS_MODULE))
		return;
	if (kind == ELF_TLS_MODULE && ret->kind == ELF_TLS_MODULE)
		return;
	ret->kind = kind;
	ret->slot = rela->r_offset;
}

static void in_library(const struct elf_bytes *from, size_t machine, uint32_t symbol,
		       struct elf_tls *ret)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(from->elf, scn))) {
		struct elf_records records;
		GElf_Shdr shdr;
		GElf_Rela rela;

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_RELA ||
		    !elf_records__open(&records, from, scn, ELF_T_RELA, ELF_TABLE_MAX))
			continue;
		for (uint32_t i = 0; i < RELOCATIONS_MAX; i++) {
			if (!elf_records__next_rela(&records, &rela))
				break;
			take(&rela, machine, symbol, ret);
		}
		elf_records__close(&records);
	}
}

void elf_tls__find(const struct elf_bytes *from, const char *name, struct elf_tls *ret)
{
	Elf_Scn *scn = elf_section__by_type(from->elf, SHT_DYNSYM);
	uint32_t symbol;
	GElf_Ehdr ehdr;
	GElf_Sym sym;

	*ret = (struct elf_tls){0};
	if (!scn || !gelf_getehdr(from->elf, &ehdr))
		return;
	symbol = elf_symbol__number(from, scn, name, strlen(name), is_of_threads, &sym);
	if (!symbol)
		return;
	ret->kind = ELF_TLS_UNKNOWN;
	ret->machine = ehdr.e_machine;
	ret->has_value = sym.st_shndx != SHN_UNDEF;
	ret->value = sym.st_value;
	if (ehdr.e_ident[EI_CLASS] != ELFCLASS64)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++) {
		if (machines[i].machine != ret->machine)
			continue;
		if (ret->has_value && is_program(from->elf, &ehdr))
			in_program(from->elf, ret);
		else
			in_library(from, i, symbol, ret);
	}
}
