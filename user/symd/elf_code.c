// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/elf_code.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "symd/elf_symbols.h"

enum {
	PARTS_MAX = 64,
	CODE_BYTES = 4 << 20, /* in memory at a time */
	/* Smaller ones aren't worth looking through all the code for what calls them. */
	SWEEP_FROM = 4096,
};

struct parts {
	struct cfi_code of[PARTS_MAX];
	size_t n;
	uint64_t size;
};

static int by_offset(const void *pa, const void *pb)
{
	const struct cfi_code *a = pa, *b = pb;

	return CMP3(a->file_off, b->file_off);
}

static void parts__add(struct parts *p, const struct cfi_code *segment, uint64_t from, uint64_t to)
{
	if (from >= to || p->n >= PARTS_MAX || to - from > CODE_FRAMES_MAX - p->size)
		return;
	p->size += to - from;
	p->of[p->n++] = (struct cfi_code){
		.file_off = from,
		.vaddr = segment->vaddr + (from - segment->file_off),
		.size = to - from,
	};
}

/* What of a section lies in executable segments. */
static void add_section(const struct elf_code *c, const GElf_Shdr *shdr, struct parts *p)
{
	uint64_t end = shdr->sh_offset + shdr->sh_size;

	if (shdr->sh_type != SHT_PROGBITS || !(shdr->sh_flags & SHF_EXECINSTR) ||
	    end < shdr->sh_offset)
		return;
	for (size_t i = 0; i < c->n_code; i++) {
		const struct cfi_code *code = &c->code[i];
		uint64_t from = shdr->sh_offset > code->file_off ? shdr->sh_offset : code->file_off;
		uint64_t to = code->file_off + code->size;

		parts__add(p, code, from, end < to ? end : to);
	}
}

/* Sorted, disjoint: of two that claim the same bytes, the first has them. */
static void find_parts(const struct elf_code *c, struct parts *p)
{
	Elf_Scn *scn = NULL;
	uint64_t done = 0;
	GElf_Shdr shdr;
	size_t n = 0;

	while (c->sane && (scn = elf_nextscn(c->elf, scn))) {
		if (gelf_getshdr(scn, &shdr))
			add_section(c, &shdr, p);
	}
	for (size_t i = 0; i < c->n_code && !c->sane; i++)
		parts__add(p, &c->code[i], c->code[i].file_off,
			   c->code[i].file_off + c->code[i].size);
	qsort(p->of, p->n, sizeof(p->of[0]), by_offset);
	for (size_t i = 0; i < p->n; i++) {
		if (p->of[i].file_off < done)
			continue;
		done = p->of[i].file_off + p->of[i].size;
		p->of[n++] = p->of[i];
	}
	p->n = n;
}

static void page_in_parts(struct elf_code *c, const struct parts *p)
{
	c->parts = xcalloc(p->n + 1, sizeof(*c->parts));
	for (size_t i = 0; i < p->n; i++) {
		const struct cfi_code *part = &p->of[i];
		struct paged *paged = &c->parts[c->n_parts];

		if (!paged__open(paged, c->fd, part->file_off, part->size, CODE_BYTES / p->n))
			continue;
		c->n_parts++;
		code_frames__add(c->frames, paged->data, paged, part);
	}
}

static void add_symbols(struct elf_code *c, uint32_t type)
{
	struct elf_bytes from = {.elf = c->elf, .fd = c->fd};
	struct elf_records records;
	GElf_Sym sym;

	if (!elf_records__open(&records, &from, elf_section__by_type(c->elf, type), ELF_T_SYM,
			       ELF_TABLE_MAX))
		return;
	elf_records__seek(&records, 1);
	for (size_t i = 1; i < ELF_SYMBOLS_MAX && elf_records__next_symbol(&records, &sym); i++) {
		unsigned kind = GELF_ST_TYPE(sym.st_info);

		if (sym.st_value && sym.st_shndx != SHN_UNDEF &&
		    (kind == STT_FUNC || kind == STT_GNU_IFUNC))
			code_frames__start(c->frames, sym.st_value);
	}
	elf_records__close(&records);
}

static void load(struct elf_code *c)
{
	struct parts parts = {.n = 0};
	GElf_Ehdr ehdr;

	c->frames = code_frames__new();
	find_parts(c, &parts);
	page_in_parts(c, &parts);
	add_symbols(c, SHT_SYMTAB);
	add_symbols(c, SHT_DYNSYM);
	if (gelf_getehdr(c->elf, &ehdr))
		code_frames__start(c->frames, ehdr.e_entry);
}

void elf_code__fill(void *code, uint64_t file_off, uint64_t end, const struct pmb_unwind_rule *gap,
		    cfi_row_fn row, void *ctx)
{
	struct elf_code *c = code;

	if (!c->frames)
		load(c);
	if (end - file_off >= SWEEP_FROM && !c->swept) {
		code_frames__sweep(c->frames);
		c->swept = true;
	}
	code_frames__emit(c->frames, file_off, end, gap, row, ctx);
}

static uint64_t vaddr_of(const struct elf_code *c, uint64_t file_off)
{
	for (size_t i = 0; i < c->n_code; i++) {
		if (file_off - c->code[i].file_off < c->code[i].size)
			return c->code[i].vaddr + (file_off - c->code[i].file_off);
	}
	return 0;
}

void elf_code__fill_small(void *code, uint64_t file_off, uint64_t end,
			  const struct pmb_unwind_rule *gap, cfi_row_fn row, void *ctx)
{
	struct elf_code *c = code;
	struct cfi_code at = {file_off, vaddr_of(c, file_off), end - file_off};
	uint8_t bytes[CFI_PADDING_MAX];
	struct code_frames *frames;
	size_t padding;

	if (!at.vaddr || at.size > sizeof(bytes) ||
	    pread(c->fd, bytes, at.size, (off_t)file_off) != (ssize_t)at.size)
		return;
	padding = code_frames__padding(bytes, at.size);
	if (padding == at.size)
		return;
	frames = code_frames__new();
	code_frames__add(frames, bytes, NULL, &at);
	code_frames__start(frames, at.vaddr + padding);
	code_frames__emit(frames, file_off + padding, end, gap, row, ctx);
	code_frames__free(frames);
}

void elf_code__rest(struct elf_code *c)
{
	for (size_t i = 0; i < c->n_parts; i++)
		paged__rest(&c->parts[i]);
}

void elf_code__done(struct elf_code *c)
{
	c->frames = code_frames__free(c->frames);
	for (size_t i = 0; i < c->n_parts; i++)
		paged__close(&c->parts[i]);
	free(c->parts);
	c->parts = NULL;
	c->n_parts = 0;
}
