// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Stubs have no symbols. Their order is that of the relocations in most files, but not in all, so
 * each stub's jump is decoded: it goes through a slot of the GOT, and the relocation that fills the
 * slot has the name. That holds for every linker and kind of PLT (.plt, .plt.sec, .plt.got). Where
 * that is no symbol but a function that chooses one (IRELATIVE: memcpy inside of the C library),
 * its symbol is that of what it chooses for.
 */
#include "symd/elf_plt.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/search.h"
#include "symd/elf_symbols.h"

enum {
	PLT_MAX = 64 * 1024 * 1024,
	RELOCATIONS_MAX = 16 * 1024 * 1024,
	CHOOSERS_MAX = 64 * 1024,
	STUB_BYTES = 16, /* where the section doesn't say */
	STUB_ALIGN = 8,
	STUB_MAX = 4 * STUB_BYTES,
	CODE_BYTES = 16, /* that are looked at */
};

/* A stub that may stand around an address, and the slot that it jumps through. */
struct wish {
	uint64_t slot;
	uint64_t start, end;
	size_t of;       /* which address */
	uint32_t symbol; /* 0: none yet */
};

/* A function that chooses what fills a slot; of those at one place the first has the symbol. */
struct chooser {
	uint64_t vaddr;
	size_t wish;
	uint32_t symbol;
};

struct plt {
	const struct elf_bytes *from;
	unsigned machine;
	Elf_Scn *dynsym;
	struct asked *asked;
	struct wish *wishes;
	size_t n, cap;
	struct chooser *choosers;
	size_t n_choosers, choosers_cap;
};

static int by_slot(const void *pa, const void *pb)
{
	const struct wish *a = pa, *b = pb;

	return a->slot != b->slot ? CMP3(a->slot, b->slot) : CMP3(a->of, b->of);
}

static bool fills_a_slot(unsigned machine, uint64_t type)
{
	if (machine == EM_X86_64)
		return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
	return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT;
}

static bool is_chosen(unsigned machine, uint64_t type)
{
	return type == (machine == EM_X86_64 ? R_X86_64_IRELATIVE : R_AARCH64_IRELATIVE);
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

/* Stubs begin at multiples of STUB_ALIGN, and may hold the address anywhere. */
static void wish_for(struct plt *p, const GElf_Shdr *shdr, uint64_t stub, size_t of)
{
	uint64_t off = p->asked->addrs[of] - shdr->sh_addr, at = off - off % STUB_ALIGN, slot;

	for (uint64_t back = off % STUB_ALIGN; back < stub; back += STUB_ALIGN, at -= STUB_ALIGN) {
		uint8_t code[CODE_BYTES];
		size_t len = elf_bytes__read(p->from, shdr->sh_offset + at, code,
					     shdr->sh_size - at < sizeof(code) ?
						     (size_t)(shdr->sh_size - at) :
						     sizeof(code));
		uint64_t vaddr = shdr->sh_addr + at;

		if (p->machine == EM_X86_64 ? decode_x86(code, len, vaddr, &slot) :
					      decode_arm64(code, len, vaddr, &slot)) {
			GROW(p->wishes, p->n, p->cap);
			p->wishes[p->n++] = (struct wish){.slot = slot,
							  .start = vaddr,
							  .end = vaddr + stub,
							  .of = of};
		}
		if (!at)
			break;
	}
}

static void look_into(struct plt *p, Elf_Scn *scn)
{
	uint64_t stub = STUB_BYTES;
	GElf_Shdr shdr;

	if (!scn || !gelf_getshdr(scn, &shdr) || shdr.sh_type == SHT_NOBITS ||
	    (shdr.sh_flags & SHF_COMPRESSED) || shdr.sh_size > PLT_MAX ||
	    shdr.sh_addr > UINT64_MAX - PLT_MAX || shdr.sh_offset > INT64_MAX - PLT_MAX)
		return;
	if (shdr.sh_entsize >= STUB_ALIGN && shdr.sh_entsize <= STUB_MAX)
		stub = shdr.sh_entsize;
	for (size_t i = asked__from(p->asked, shdr.sh_addr);
	     i < p->asked->n && p->asked->addrs[i] - shdr.sh_addr < shdr.sh_size; i++)
		wish_for(p, &shdr, stub, i);
}

static size_t first_of_slot(const struct plt *p, uint64_t slot)
{
	return FIRST_INDEX(i, p->n, p->wishes[i].slot >= slot);
}

static void take_lower(uint32_t *symbol, uint32_t other)
{
	if (!*symbol || other < *symbol)
		*symbol = other;
}

/* The lowest symbol of those that fill it; the first wish for a slot has it. */
static void fill_slot(struct plt *p, const GElf_Rela *rela)
{
	uint32_t symbol = (uint32_t)GELF_R_SYM(rela->r_info);
	bool chosen = is_chosen(p->machine, GELF_R_TYPE(rela->r_info));
	size_t i;

	if (!chosen && !(symbol && fills_a_slot(p->machine, GELF_R_TYPE(rela->r_info))))
		return;
	i = first_of_slot(p, rela->r_offset);
	if (i == p->n || p->wishes[i].slot != rela->r_offset)
		return;
	if (!chosen) {
		take_lower(&p->wishes[i].symbol, symbol);
	} else if (p->n_choosers < CHOOSERS_MAX) {
		GROW(p->choosers, p->n_choosers, p->choosers_cap);
		p->choosers[p->n_choosers++] =
			(struct chooser){.vaddr = (uint64_t)rela->r_addend, .wish = i};
	}
}

static void read_relocations(struct plt *p)
{
	uint32_t left = RELOCATIONS_MAX;
	struct elf_records r;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	GElf_Rela rela;

	while ((scn = elf_nextscn(p->from->elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_RELA ||
		    shdr.sh_link != elf_ndxscn(p->dynsym) ||
		    !elf_records__open(&r, p->from, scn, ELF_T_RELA, ELF_TABLE_MAX))
			continue;
		while (left && elf_records__next_rela(&r, &rela)) {
			left--;
			fill_slot(p, &rela);
		}
		elf_records__close(&r);
	}
}

static int by_vaddr(const void *pa, const void *pb)
{
	const struct chooser *a = pa, *b = pb;

	return CMP3(a->vaddr, b->vaddr);
}

static struct chooser *chooser_at(const struct plt *p, uint64_t vaddr)
{
	size_t first = FIRST_INDEX(i, p->n_choosers, p->choosers[i].vaddr >= vaddr);
	struct chooser *c = &p->choosers[first];

	return first < p->n_choosers && c->vaddr == vaddr ? c : NULL;
}

static void name_choosers(struct plt *p)
{
	struct chooser *c;
	struct elf_records r;
	GElf_Sym sym;

	if (!elf_records__open(&r, p->from, p->dynsym, ELF_T_SYM, ELF_TABLE_MAX))
		return;
	qsort(p->choosers, p->n_choosers, sizeof(*p->choosers), by_vaddr);
	for (uint32_t i = 0; elf_records__next_symbol(&r, &sym); i++) {
		c = sym.st_shndx != SHN_UNDEF && sym.st_name ? chooser_at(p, sym.st_value) : NULL;
		if (c && i)
			take_lower(&c->symbol, i);
	}
	elf_records__close(&r);
	for (size_t i = 0; i < p->n_choosers; i++) {
		struct wish *w = &p->wishes[p->choosers[i].wish];

		if (!w->symbol)
			w->symbol = chooser_at(p, p->choosers[i].vaddr)->symbol;
	}
}

static void offer(const struct plt *p, uint8_t table)
{
	struct elf_records r;
	GElf_Sym sym;

	if (!elf_records__open(&r, p->from, p->dynsym, ELF_T_SYM, ELF_TABLE_MAX))
		return;
	r.batch = r.size;
	for (size_t i = 0; i < p->n; i++) {
		const struct wish *w = &p->wishes[i];
		uint32_t symbol = p->wishes[first_of_slot(p, w->slot)].symbol;

		elf_records__seek(&r, symbol);
		if (symbol && elf_records__next_symbol(&r, &sym))
			asked__offer_one(p->asked, w->of,
					 (struct candidate){
						 .start = w->start,
						 .end = w->end,
						 .name = sym.st_name,
						 .table = table,
						 .prio = 1,
						 .plt = true,
					 });
	}
	elf_records__close(&r);
}

void elf_plt__offer(const struct elf_bytes *from, Elf_Scn *dynsym, uint8_t table,
		    struct asked *asked)
{
	static const char *const sections[] = {".plt", ".plt.sec", ".plt.got"};
	struct plt p = {.from = from, .dynsym = dynsym, .asked = asked};
	GElf_Ehdr ehdr;

	if (!gelf_getehdr(from->elf, &ehdr) || ehdr.e_ident[EI_CLASS] != ELFCLASS64 ||
	    ehdr.e_ident[EI_DATA] != ELFDATA2LSB ||
	    (ehdr.e_machine != EM_X86_64 && ehdr.e_machine != EM_AARCH64))
		return;
	p.machine = ehdr.e_machine;
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++)
		look_into(&p, elf_section__by_name(from->elf, sections[i]));
	if (p.n) {
		qsort(p.wishes, p.n, sizeof(*p.wishes), by_slot);
		read_relocations(&p);
		if (p.n_choosers)
			name_choosers(&p);
		offer(&p, table);
	}
	free(p.wishes);
	free(p.choosers);
}
