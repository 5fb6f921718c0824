/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reading symbol tables and other sections out of an Elf handle, each size checked first. */
#ifndef PMUBPF_SYMD_ELF_SYMBOLS_H
#define PMUBPF_SYMD_ELF_SYMBOLS_H

#include <gelf.h>
#include <stdbool.h>

#include "symd/symtab.h"

enum {
	ELF_TABLE_MAX = 1 << 30, /* bytes of a symbol or string table */
	ELF_NOTE_MAX = 1 << 20,  /* bytes of notes, a debug link, section names */
};

/* NULL: not a readable ELF file. fd is borrowed for as long as the Elf is used. */
Elf *elf_begin_file(int fd);

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

/*
 * Adds the code symbols of section scn to t; their names stay in elf. code_fd: -1 for a .symtab, where symbols without
 * a size reach to the next one. For .dynsym it is the file: the functions between two exported symbols are missing
 * there, so what has no size (musl's memcpy) ends where its code does.
 */
void elf_symbols__read(Elf *elf, Elf_Scn *scn, int code_fd, struct symtab *t);

#endif
