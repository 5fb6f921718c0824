/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Address ranges with names, which may nest and overlap, made into a table where each address has
 * one answer: O(log n) to ask, and nothing a hostile file contains makes asking slower.
 *
 * Which range wins an address: the higher prio; then the one that starts last (the innermost); then
 * the shorter name, the name that sorts first, so that aliases are chosen the same way every time.
 */
#ifndef PMUBPF_SYMD_SYMTAB_H
#define PMUBPF_SYMD_SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol {
	uint64_t start;
	uint64_t end;     /* exclusive */
	const char *name; /* borrowed, not NUL-terminated */
	uint32_t len;
	uint32_t prio;
};

struct segment {
	uint64_t start;
	uint64_t end;
	const char *name;
	uint32_t len;
};

struct symtab {
	struct symbol *symbols;
	size_t n_symbols, cap_symbols;
	struct segment *segments; /* after symtab__finish: sorted, disjoint */
	size_t n_segments, cap_segments;
};

enum { SYMTAB_MAX = 16 * 1024 * 1024 };

/* False if the table is full. Empty ranges and empty names are left out. */
bool symtab__add(struct symtab *t, const struct symbol *s);
void symtab__finish(struct symtab *t); /* once, after the last add */
const struct segment *symtab__find(const struct symtab *t, uint64_t addr); /* NULL: none */
void symtab__done(struct symtab *t);

#endif
