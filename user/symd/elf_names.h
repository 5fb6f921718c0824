/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The names of addresses in an ELF file. Each set of addresses that is asked for goes through its
 * symbol tables once (or, where symbols have no sizes, three times), so memory is that of the
 * addresses.
 */
#ifndef PMUBPF_SYMD_ELF_NAMES_H
#define PMUBPF_SYMD_ELF_NAMES_H

#include "base/buf.h"
#include "symd/elf_symbols.h"

struct go_pcln;

struct elf_function {
	uint64_t start, end;
	bool chooses; /* an IFUNC */
};

/* Functions of a name, as elf_names__named() tells them. */
struct elf_named {
	const char *name; /* borrowed */
	size_t len;
	uint32_t n;
	struct elf_function found;
};

struct elf_names {
	struct elf_symbols tables[2];
	size_t n_tables;
	struct elf_bytes stubs; /* of whom they are; elf NULL: they aren't looked at */
	uint8_t stub_names;     /* the table that has their names */
	struct asked asked;
	struct buf scratch;
	struct elf_named *named; /* borrowed; elf_names__look_for() */
	size_t n_named;
	size_t n_open; /* symbols without a size, in the pass that was made last */
	/* Go's own table of functions, where these are looked for by their names and there is no
	 * .symtab; borrowed, NULL: none */
	struct go_pcln *go;
};

/* Ways to fill it, each at most once: a .symtab, a .dynsym; the latter names stubs, too, if
 * with_stubs. */
void elf_names__add_symtab(struct elf_names *n, const struct elf_bytes *from, Elf_Scn *scn);
void elf_names__add_dynsym(struct elf_names *n, const struct elf_bytes *from, Elf_Scn *scn,
			   bool with_stubs);
void elf_names__done(struct elf_names *n);

/* Looks for the first addresses, ASKED_MAX at most; what was asked before is forgotten. */
void elf_names__ask(struct elf_names *n, const uint64_t *addrs, size_t n_addrs);
/* Was it asked for? */
bool elf_names__asked(const struct elf_names *n, uint64_t addr);

/* Looks for all of these names in one go; they are known from then on, until others are, or none
 * (n 0). */
void elf_names__look_for(struct elf_names *n, struct elf_named *list, size_t n_list);
/* How many functions of different addresses have the name; ret is the first of them. */
uint32_t elf_names__named(struct elf_names *n, const char *name, size_t len,
			  struct elf_function *ret);

/* All functions whose linker's name has the text in it (NULL: all), until fn says that it is
 * enough. False: not all of them. */
typedef bool (*elf_function_fn)(void *ctx, const struct elf_symbol *symbol, const char *name,
				size_t len);
bool elf_names__each(struct elf_names *n, const char *text, size_t len, elf_function_fn fn,
		     void *ctx);

struct elf_name {
	const char *name; /* not NUL-terminated */
	size_t len;
	bool plt; /* not the function itself: the stub that calls it, to be shown as name@plt */
	uint64_t start, end; /* what it covers, as far as the file says */
};
/* Of an address that was asked for; valid until the next call. False: it has none. */
bool elf_names__find(struct elf_names *n, uint64_t addr, struct elf_name *ret);

#endif
