// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Go's own linker gives the table a section of its own. The C linker, which makes
 * position-independent programs with C in them, puts it into .data.rel.ro, where it is found by its
 * first bytes; and where the functions begin is a word of it that stands among the relocations
 * then.
 */
#include "symd/elf_go.h"

#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "symd/elf_symbols.h"
#include "symd/turn.h"

enum {
	WINDOW_BYTES = 1 << 14,
	TABLE_ALIGNMENT = 8,
	TEXT_AT = 24, /* the word in the table's head */
	PLACES_MAX = 16,
	SECTION_MAX = 128 * 1024 * 1024, /* that is looked through: a file may claim any size */
};

/* What a relocation puts to vaddr; 0: nothing. */
static uint64_t relocated(const struct go_pcln *g, Elf *elf, uint64_t vaddr)
{
	Elf64_Rela relocations[WINDOW_BYTES / sizeof(Elf64_Rela)];
	Elf_Scn *scn = elf_section__by_name(elf, ".rela.dyn");
	GElf_Shdr shdr;

	if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_RELA)
		return 0;
	for (uint64_t at = 0; at < shdr.sh_size && at < SECTION_MAX; at += sizeof(relocations)) {
		ssize_t got = pread(g->table.fd, relocations, sizeof(relocations),
				    (off_t)(shdr.sh_offset + at));

		for (size_t i = 0; got > 0 && i < (size_t)got / sizeof(*relocations); i++) {
			if (relocations[i].r_offset == vaddr)
				return (uint64_t)relocations[i].r_addend;
		}
		if (got < (ssize_t)sizeof(relocations))
			break;
	}
	return 0;
}

/* The table is at that offset of the section. */
static bool open_at(struct go_pcln *g, Elf *elf, const GElf_Shdr *shdr, uint64_t off)
{
	Elf_Scn *scn = elf_section__by_name(elf, ".text");
	GElf_Shdr text;

	g->table.file_off = shdr->sh_offset + off;
	g->table.size = shdr->sh_size - off;
	g->text = relocated(g, elf, shdr->sh_addr + off + TEXT_AT);
	if (!g->text && gelf_getshdr(scn, &text))
		g->text = text.sh_addr;
	return go_pcln__open(g);
}

static bool search(struct go_pcln *g, Elf *elf, const GElf_Shdr *shdr)
{
	uint8_t bytes[WINDOW_BYTES];
	unsigned places = 0;

	for (uint64_t at = 0; at < shdr->sh_size && at < SECTION_MAX; at += sizeof(bytes)) {
		ssize_t got =
			pread(g->table.fd, bytes, sizeof(bytes), (off_t)(shdr->sh_offset + at));

		for (size_t i = 0; got > 0 && i + TABLE_ALIGNMENT <= (size_t)got;
		     i += TABLE_ALIGNMENT) {
			if (!go_table_begins(bytes + i))
				continue;
			if (open_at(g, elf, shdr, at + i))
				return true;
			if (++places == PLACES_MAX)
				return false;
		}
		if (got < (ssize_t)sizeof(bytes))
			break;
	}
	return false;
}

bool elf_go__open(struct go_pcln *g, Elf *elf, int fd, const struct cfi_code *code, size_t n_code)
{
	static const char *const own[] = {".gopclntab", ".data.rel.ro.gopclntab"};
	GElf_Shdr shdr;

	*g = (struct go_pcln){.table.fd = fd, .code = code, .n_code = n_code};
	for (size_t i = 0; i < ARRAY_SIZE(own); i++) {
		Elf_Scn *scn = elf_section__by_name(elf, own[i]);

		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_PROGBITS)
			return open_at(g, elf, &shdr, 0);
	}
	return gelf_getshdr(elf_section__by_name(elf, ".data.rel.ro"), &shdr) &&
	       shdr.sh_type == SHT_PROGBITS && search(g, elf, &shdr);
}

bool elf_go__find(struct go_pcln *g, uint64_t vaddr, struct elf_name *ret)
{
	struct go_table *t = &g->table;
	uint32_t i = go_table__find(t, vaddr), more;

	*ret = (struct elf_name){0};
	if (i == t->n_funcs || !go_table__place(t, i, &ret->start, &more) ||
	    !go_table__place(t, i + 1, &ret->end, &more) || vaddr < ret->start)
		return false;
	ret->name = go_table__name(t, i, &ret->len);
	return ret->name;
}

bool elf_go__each(struct go_pcln *g, const char *text, size_t len, elf_function_fn fn, void *ctx)
{
	struct go_table *t = &g->table;
	const uint64_t until = turn__end();
	struct elf_symbol symbol = {.rank = ELF_RANK_FUNCTION, .has_size = true};
	uint32_t more;

	for (uint32_t i = 0; i < t->n_funcs; i++) {
		const char *name;
		size_t n;

		if (turn__is_over(until))
			return false;
		if (!go_table__place(t, i, &symbol.start, &more) ||
		    !go_table__place(t, i + 1, &symbol.end, &more) || symbol.end <= symbol.start)
			continue;
		name = go_table__name(t, i, &n);
		if (name && n && (!text || memmem(name, n, text, len)) &&
		    !fn(ctx, &symbol, name, n))
			return false;
	}
	return true;
}
