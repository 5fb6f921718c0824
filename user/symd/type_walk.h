/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* DWARF (2 to 5): how large types are, and which member lies at an offset. */
#ifndef PMUBPF_SYMD_TYPE_WALK_H
#define PMUBPF_SYMD_TYPE_WALK_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

enum { TYPE_WALK_DEPTH = 32 }; /* a type of a type of a type… */

/* What was looked at so far; begins as {0}. */
struct type_walk {
	uint64_t entries;
};

/* Counts one more entry. False: it is enough. */
bool type_walk__may_look(struct type_walk *w);

/* Of an entry, by which it is found again: where it is in .debug_info, or, marked, in .debug_types.
 * 32 bits; false: it is further back, or in another file. */
#define TYPE_WALK_IN_TYPES (1ULL << 31)
bool type_walk__number(Dwarf *dwarf, Dwarf_Die *die, uint64_t *ret);
bool type_walk__entry(Dwarf *dwarf, uint64_t number, Dwarf_Die *ret);

/* Where an entry only stands for a type that a unit of its own has, that one. */
bool type_walk__type_of(Dwarf_Die *die, Dwarf_Die *ret);
/* Takes off what changes nothing of how data lies. False: nothing is left. */
bool type_walk__peel(Dwarf_Die *type, bool typedefs);
/* The one by which objects are told apart: `const Body`, and what a container calls value_type, are
 * Body. What C calls a number, or a structure without a name, keeps its name. */
void type_walk__plain(Dwarf_Die *type);
/* Where a variable is, or a function's frame. */
bool type_walk__location(Dwarf_Die *die, unsigned attribute, Dwarf_Attribute *ret);
/* In bytes. 0: not known. */
uint64_t type_walk__size(struct type_walk *w, Dwarf_Die type);

/* The same, or UINT64_MAX, if it ends in an array of any length. */
uint64_t type_walk__extent(struct type_walk *w, Dwarf_Die type);
/* Whether that part lies at off in the whole, or is all of it. */
bool type_walk__holds(struct type_walk *w, Dwarf_Die whole, uint64_t off, Dwarf_Die part);

/* Of all dimensions of an array. 0: not known, or it has none. */
uint64_t type_walk__elements(struct type_walk *w, Dwarf_Die *array);
/* Or a reference, by its tag. */
bool type_walk__is_pointer(int tag);
/* With members, by its tag. */
bool type_walk__is_aggregate(int tag);
/* Does the entry, within an aggregate, stand for a part of its bytes? */
bool type_walk__is_part(Dwarf_Die *die);
/* Where a part of that type begins and ends, from where the whole does; UINT64_MAX: it has no end.
 * False: that isn't known, or it takes no room. */
bool type_walk__part_extent(struct type_walk *w, Dwarf_Die *part, Dwarf_Die type, uint64_t *from,
			    uint64_t *to);

/* DW_LANG_… of its unit; -1: it doesn't say. */
int type_walk__language(Dwarf_Die *die);
/* Of a member; "(anonymous)" if it has none. */
void type_walk__put_name(struct buf *b, Dwarf_Die *die);
/* What is known of a part by what it is in. */
struct type_walk_in {
	bool array;     /* one of C's */
	bool row;       /* an iterator, or a vector: a pointer leads to one of several */
	bool has_node;  /* a container, its iterator, or its node: */
	Dwarf_Die node; /* the type of its nodes, which begin with what a pointer leads to */
};

/* Goes down to what has no parts, and begins at off. */
bool type_walk__leaf(struct type_walk *w, Dwarf_Die *type, uint64_t off, struct type_walk_in *in);

/* What lies at off: "pos.x"; in parentheses where no single one does. */
void type_walk__put_member(struct type_walk *w, struct buf *b, Dwarf_Die type, uint64_t off);

#endif
