// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Stubs have no symbols. Their order is that of the relocations in most files, but not in all, so
 * each stub's jump is decoded: it goes through a slot of the GOT, and the relocation that fills the
 * slot has the name. That holds for every linker and kind of PLT (.plt, .plt.sec, .plt.got).
 */
#include "symd/elf_plt.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "symd/elf_symbols.h"

enum {
	PLT_MAX = 64 * 1024 * 1024,
	STUB_BYTES = 16, /* where the section doesn't say */
	STUB_ALIGN = 8,
};

struct slot {
	uint64_t addr;
	uint32_t symbol;
};

struct slots {
	struct slot *items;
	size_t n, cap;
};

static int by_addr(const void *pa, const void *pb)
{
	const struct slot *a = pa, *b = pb;

	return a->addr != b->addr ? CMP3(a->addr, b->addr) : CMP3(a->symbol, b->symbol);
}

/* For the search, where only the address counts. */
static int by_slot(const void *pa, const void *pb)
{
	const struct slot *a = pa, *b = pb;

	return CMP3(a->addr, b->addr);
}

static bool fills_a_slot(unsigned machine, uint64_t type)
{
	if (machine == EM_X86_64)
		return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
	return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT;
}

static void read_slots(Elf *elf, unsigned machine, size_t dynsym, struct slots *ret)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	GElf_Rela rela;

	while ((scn = elf_nextscn(elf, scn))) {
		Elf_Data *data;
		size_t n;

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_RELA || shdr.sh_link != dynsym)
			continue;
		data = elf_section__data(scn, ELF_TABLE_MAX);
		n = data && data->d_type == ELF_T_RELA ? data->d_size / sizeof(Elf64_Rela) : 0;
		for (size_t i = 0; i < n && i < SYMTAB_MAX; i++) {
			if (!gelf_getrela(data, (int)i, &rela) || !GELF_R_SYM(rela.r_info) ||
			    !fills_a_slot(machine, GELF_R_TYPE(rela.r_info)))
				continue;
			GROW(ret->items, ret->n, ret->cap);
			ret->items[ret->n++] = (struct slot){
				.addr = rela.r_offset,
				.symbol = (uint32_t)GELF_R_SYM(rela.r_info),
			};
		}
	}
	if (ret->n)
		qsort(ret->items, ret->n, sizeof(*ret->items), by_addr);
}

/* [endbr64] [bnd] jmp *disp32(%rip) */
static bool decode_x86(const uint8_t *code, size_t len, uint64_t vaddr, uint64_t *ret)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	size_t at = 0;
	int32_t disp;

	if (len >= sizeof(endbr64) && !memcmp(code, endbr64, sizeof(endbr64)))
		at += sizeof(endbr64);
	if (at < len && code[at] == 0xf2)
		at++;
	if (len - at < 6 || code[at] != 0xff || code[at + 1] != 0x25)
		return false;
	memcpy(&disp, code + at + 2, sizeof(disp));
	*ret = vaddr + at + 6 + (uint64_t)(int64_t)disp;
	return true;
}

/* [bti c] adrp x16, page; ldr x17, [x16, #offset] */
static bool decode_arm64(const uint8_t *code, size_t len, uint64_t vaddr, uint64_t *ret)
{
	uint32_t words[3] = {0};
	const uint32_t *w = words;
	uint64_t pages;

	memcpy(words, code, len < sizeof(words) ? len : sizeof(words));
	if (w[0] == 0xd503245f) {
		w++;
		vaddr += 4;
	}
	if ((w[0] & 0x9f00001f) != 0x90000010 || (w[1] & 0xffc003ff) != 0xf9400211)
		return false;
	pages = ((uint64_t)(w[0] >> 5 & 0x7ffff) << 2) | (w[0] >> 29 & 3);
	if (pages & 1 << 20)
		pages |= ~0ULL << 21;
	*ret = (vaddr & ~0xfffULL) + (pages << 12) + (uint64_t)(w[1] >> 10 & 0xfff) * 8;
	return true;
}

struct plt {
	unsigned machine;
	Elf_Data *symbols, *strings;
	struct slots slots;
	struct symtab *out;
};

static void add_stub(const struct plt *p, uint64_t start, uint64_t end, uint32_t symbol)
{
	struct symbol s = {.start = start, .end = end, .prio = 1, .plt = true};
	GElf_Sym sym;
	size_t max;

	if (symbol > INT32_MAX || !gelf_getsym(p->symbols, (int)symbol, &sym) ||
	    sym.st_name >= p->strings->d_size)
		return;
	s.name = (const char *)p->strings->d_buf + sym.st_name;
	max = p->strings->d_size - sym.st_name;
	s.len = (uint32_t)strnlen(s.name, max < UINT16_MAX ? max : UINT16_MAX);
	symtab__add(p->out, &s);
}

static void read_stubs(const struct plt *p, Elf_Scn *scn)
{
	Elf_Data *data = elf_section__data(scn, PLT_MAX);
	uint64_t stub = STUB_BYTES, got;
	GElf_Shdr shdr;

	if (!data || !gelf_getshdr(scn, &shdr) || shdr.sh_addr > UINT64_MAX - PLT_MAX)
		return;
	if (shdr.sh_entsize >= STUB_ALIGN && shdr.sh_entsize <= 4 * STUB_BYTES)
		stub = shdr.sh_entsize;
	for (size_t at = 0; at < data->d_size; at += STUB_ALIGN) {
		const uint8_t *code = (const uint8_t *)data->d_buf + at;
		size_t len = data->d_size - at;
		uint64_t vaddr = shdr.sh_addr + at;
		const struct slot *slot;

		if (!(p->machine == EM_X86_64 ? decode_x86(code, len, vaddr, &got) :
						decode_arm64(code, len, vaddr, &got)))
			continue;
		slot = bsearch(&(struct slot){.addr = got}, p->slots.items, p->slots.n,
			       sizeof(*slot), by_slot);
		if (slot)
			add_stub(p, vaddr, vaddr + stub, slot->symbol);
	}
}

void elf_plt__read(Elf *elf, struct symtab *t)
{
	static const char *const sections[] = {".plt", ".plt.sec", ".plt.got"};
	Elf_Scn *dynsym = elf_section__by_type(elf, SHT_DYNSYM);
	struct plt p = {.out = t};
	GElf_Ehdr ehdr;
	GElf_Shdr shdr;

	if (!dynsym || !gelf_getehdr(elf, &ehdr) || !gelf_getshdr(dynsym, &shdr) ||
	    ehdr.e_ident[EI_CLASS] != ELFCLASS64 || ehdr.e_ident[EI_DATA] != ELFDATA2LSB ||
	    (ehdr.e_machine != EM_X86_64 && ehdr.e_machine != EM_AARCH64))
		return;
	p.machine = ehdr.e_machine;
	p.symbols = elf_section__data(dynsym, ELF_TABLE_MAX);
	p.strings = elf_section__data(elf_getscn(elf, shdr.sh_link), ELF_TABLE_MAX);
	if (!p.symbols || p.symbols->d_type != ELF_T_SYM || !p.strings)
		return;
	read_slots(elf, p.machine, elf_ndxscn(dynsym), &p.slots);
	for (size_t i = 0; p.slots.n && i < ARRAY_SIZE(sections); i++)
		read_stubs(&p, elf_section__by_name(elf, sections[i]));
	free(p.slots.items);
}
