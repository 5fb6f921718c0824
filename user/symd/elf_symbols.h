/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reading symbol tables and other sections out of an Elf handle, each size checked first. */
#ifndef PMUBPF_SYMD_ELF_SYMBOLS_H
#define PMUBPF_SYMD_ELF_SYMBOLS_H

#include <gelf.h>
#include <stdbool.h>

#include "symd/asked.h"
#include "symd/elf_bytes.h"

enum {
	ELF_TABLE_MAX = 1 << 30,            /* bytes of a symbol or string table */
	ELF_NOTE_MAX = 1 << 20,             /* bytes of notes, a debug link, section names */
	ELF_SYMBOLS_MAX = 16 * 1024 * 1024, /* of one table; those behind are left out */
};

/* NULL: not a readable ELF file. fd is borrowed for as long as the Elf is used. */
Elf *elf_begin_file(int fd);
Elf *elf_begin_memory(void *bytes, size_t len); /* bytes are borrowed, too */

/* The first section of that type (with contents in this file), or NULL. */
Elf_Scn *elf_section__by_type(Elf *elf, uint32_t type);
/* The first section of that name, or NULL. Only for files that passed elf_sections__sane(). */
Elf_Scn *elf_section__by_name(Elf *elf, const char *name);
/* Contents, uncompressed in the file and at most max bytes, or NULL. Owned by the Elf. */
Elf_Data *elf_section__data(Elf_Scn *scn, uint64_t max);

/*
 * Are notes small, and section names small and uncompressed? libelf and libdwelf read both as large
 * as the file claims them to be, and inflate names without a bound.
 */
bool elf_sections__sane(Elf *elf);

/* A code symbol: all but what its name says. */
struct elf_symbol {
	uint64_t start,
		end;   /* of an open one, and of one that needs_extent, the furthest it may reach */
	uint32_t name; /* an offset in the strings */
	uint32_t rank; /* the part that the name has no say in */
	uint16_t section;
	bool has_size;
	bool is_open;      /* its size isn't known: it ends where the next one starts */
	bool needs_extent; /* elf_symbols__extent() says how long it is */
	bool chooses;      /* which function bears the name, at a program's start */
};

/* A symbol table of an ELF file. */
struct elf_symbols {
	struct elf_bytes from;
	Elf_Scn *scn;
	unsigned machine;
	bool is_whole;
	struct code_sections *sections;
	struct elf_strings strings;
	size_t n_extents;
};

/*
 * is_whole: a .symtab, where symbols without a size reach to the next one. In a .dynsym the
 * functions between two exported symbols are missing, so what has no size (musl's memcpy) ends
 * where its code does. False: nothing usable; elf_symbols__close() is to be called all the same.
 */
bool elf_symbols__open(struct elf_symbols *s, const struct elf_bytes *from, Elf_Scn *scn,
		       bool is_whole);
void elf_symbols__close(struct elf_symbols *s);

/* The first symbol of that name that is meant, whatever it is of: its number in the table; 0: there
 * is none among the first million. */
uint32_t elf_symbol__number(const struct elf_bytes *from, Elf_Scn *scn, const char *name,
			    size_t name_len, bool (*is_meant)(const GElf_Sym *sym), GElf_Sym *ret);

/* A bit of rank: it is a function, not a label. */
enum { ELF_RANK_FUNCTION = 512 };
/* Without its version; valid until the next call. NULL: it isn't to be shown. */
const char *elf_symbols__name(struct elf_symbols *s, uint64_t name, size_t *ret_len);

/* All code symbols, in the file's order. */
typedef void (*elf_symbol_fn)(void *ctx, const struct elf_symbol *symbol);
void elf_symbols__each(struct elf_symbols *s, elf_symbol_fn fn, void *ctx);
/* Bytes of a function that has no size, by its code; 1: can't be told. */
uint64_t elf_symbols__extent(struct elf_symbols *s, const struct elf_symbol *symbol);
/* Completes c by its name. False: it isn't to be shown. */
bool elf_symbols__rank(struct elf_symbols *s, struct candidate *c);

#endif
