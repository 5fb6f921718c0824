/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * DWARF (2 to 5): of which type the variable at an address is, and which member of it lies there.
 * Variables that have an address of their own: global ones, and static ones of functions.
 */
#ifndef PMUBPF_SYMD_DATA_TYPES_H
#define PMUBPF_SYMD_DATA_TYPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* Texts of the caller's. Begins as {0}. */
struct data_part {
	const char *variable; /* borrowed from the Dwarf; NULL: it has no name */
	const char *function; /* the same, in whose frame it lies; NULL: in none */
	struct buf type;      /* "struct node", "int[]", "app::node" */
	/* From the type on: "pos.x", "slots[].count". Empty: it has none. In parentheses where no
	 * single one lies there: "(padding)", "either.(several)". */
	struct buf member;
};
void data_part__done(struct data_part *p);

struct data_types;

struct data_types *data_types__new(Dwarf *dwarf);          /* borrowed, and must live longer */
struct data_types *data_types__free(struct data_types *t); /* NULL is fine; returns NULL */
/* False: no variable is known there, or its type isn't. */
bool data_types__find(struct data_types *t, uint64_t vaddr, struct data_part *ret);
/* Only its type, and where in it. */
bool data_types__variable(struct data_types *t, uint64_t vaddr, Dwarf_Die *ret, uint64_t *ret_off);
/* Of an object, by its type's entry, or of a variable, by its own, and an offset in it. False: that
 * isn't in it. */
bool data_types__object(struct data_types *t, uint64_t entry, uint64_t off, struct data_part *ret);
/* How the type lies that the variable there is of, or its elements are of: appends it as
 * data_layout__put() does. False: it isn't known, or has no members. */
bool data_types__layout(struct data_types *t, uint64_t vaddr, struct buf *ret);
/* The same of an object or a variable, by such an entry. */
bool data_types__object_layout(struct data_types *t, uint64_t entry, struct buf *ret);

#endif
