// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: a function's tree has thousands of entries, lists of locations have no end that
 * could be trusted, and a place is asked about several times. So a function's variables are read
 * once, with each stretch of code in which one is in a register, and all of it is counted.
 */
#include "symd/pointees.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/mem.h"

enum {
	TREE_DEPTH = 256,
	HELD_MAX = 256 * 1024, /* of a function */
	REGISTERS = 16,
};

/* From lo on, and before hi, a register is a pointer to the type, and so much more. */
struct held {
	uint64_t lo, hi;
	struct pointee what;
	uint8_t reg;
};

struct pointees {
	Dwarf *dwarf;
	struct type_walk walk;
	Dwarf_Off function; /* whose these are; 0: of none */
	struct held *list;
	size_t n, cap;
};

struct pointees *pointees__new(Dwarf *dwarf)
{
	struct pointees *p = xcalloc(1, sizeof(*p));

	p->dwarf = dwarf;
	return p;
}

struct pointees *pointees__free(struct pointees *p)
{
	if (!p)
		return NULL;
	free(p->list);
	free(p);
	return NULL;
}

static bool may_look(struct pointees *p)
{
	return type_walk__may_look(&p->walk) && p->n < HELD_MAX;
}

/* DWARF counts dx before cx and bx, and si before di, bp and sp. */
static bool register_of(uint64_t number, uint8_t *ret)
{
	static const uint8_t encoded[8] = {0, 2, 1, 3, 6, 7, 5, 4};

	if (number >= REGISTERS)
		return false;
	*ret = number < sizeof(encoded) ? encoded[number] : (uint8_t)number;
	return true;
}

/* Whether the variable is in a register, or is one plus a number. */
static bool read_place(const Dwarf_Op *ops, size_t n, struct held *ret)
{
	uint8_t atom = n ? ops[0].atom : 0;
	uint64_t reg = REGISTERS;

	ret->what.at = 0;
	if (n == 1 && atom >= DW_OP_reg0 && atom <= DW_OP_reg31)
		reg = atom - DW_OP_reg0;
	else if (n == 1 && atom == DW_OP_regx)
		reg = ops[0].number;
	else if (n != 2 || ops[1].atom != DW_OP_stack_value)
		return false;
	else if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31) {
		reg = atom - DW_OP_breg0;
		/* of INT64_MIN there is no negative */
		ret->what.at = (int64_t)(0 - (uint64_t)ops[0].number);
	}
	return register_of(reg, &ret->reg);
}

/* Bytes may be anything, and what isn't in .debug_info can't be found again by its offset. */
static bool read_object(struct pointees *p, Dwarf_Die type, struct pointee *ret)
{
	Dwarf_Die again, peeled;

	ret->type = dwarf_dieoffset(&type);
	if (!dwarf_offdie(p->dwarf, ret->type, &again) || again.addr != type.addr)
		return false;
	peeled = type;
	if (!type_walk__peel(&peeled, true))
		return false;
	ret->aggregate = type_walk__is_aggregate(dwarf_tag(&peeled));
	ret->size = type_walk__size(&p->walk, type);
	ret->endless = type_walk__extent(&p->walk, type) == UINT64_MAX;
	return ret->size && ret->size < INT32_MAX &&
	       (ret->size > 1 || dwarf_tag(&peeled) != DW_TAG_base_type);
}

/* Of a variable that is a pointer or a reference. */
static bool read_pointee(struct pointees *p, Dwarf_Die *variable, struct pointee *ret)
{
	Dwarf_Die type;
	int tag;

	if (!type_walk__type_of(variable, &type) || !type_walk__peel(&type, true))
		return false;
	tag = dwarf_tag(&type);
	return (tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
		tag == DW_TAG_rvalue_reference_type) &&
	       type_walk__type_of(&type, &type) && read_object(p, type, ret);
}

static void add(struct pointees *p, const struct held *h)
{
	GROW(p->list, p->n, p->cap);
	p->list[p->n++] = *h;
}

/* Wherever the scope is. */
static void add_in_scope(struct pointees *p, Dwarf_Die *scope, struct held h)
{
	Dwarf_Addr base;
	ptrdiff_t at = 0;

	while (may_look(p) && (at = dwarf_ranges(scope, at, &base, &h.lo, &h.hi)) > 0)
		add(p, &h);
}

static void read_variable(struct pointees *p, Dwarf_Die *scope, Dwarf_Die *variable)
{
	Dwarf_Attribute attribute;
	struct held h = {0};
	Dwarf_Addr base;
	ptrdiff_t at = 0;
	Dwarf_Op *ops;
	size_t n;

	if (!dwarf_attr(variable, DW_AT_location, &attribute) ||
	    !read_pointee(p, variable, &h.what))
		return;
	while (may_look(p) &&
	       (at = dwarf_getlocations(&attribute, at, &base, &h.lo, &h.hi, &ops, &n)) > 0) {
		if (!read_place(ops, n, &h))
			continue;
		if (h.lo == 0 && h.hi == UINT64_MAX)
			add_in_scope(p, scope, h);
		else if (h.lo < h.hi)
			add(p, &h);
	}
}

static bool is_scope(int tag)
{
	return tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine ||
	       tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

static void read_scope(struct pointees *p, Dwarf_Die *scope, unsigned depth)
{
	Dwarf_Die die;

	if (depth > TREE_DEPTH || dwarf_child(scope, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_formal_parameter || tag == DW_TAG_variable)
			read_variable(p, scope, &die);
		else if (is_scope(tag))
			read_scope(p, &die, depth + 1);
	} while (may_look(p) && dwarf_siblingof(&die, &die) == 0);
}

/* Whether the inner one lies in the outer one, or is the same: both by the same register. */
static bool holds(struct pointees *p, const struct pointee *outer, const struct pointee *inner)
{
	int64_t off;
	Dwarf_Die a, b;

	if (__builtin_sub_overflow(outer->at, inner->at, &off) || off < 0 ||
	    !dwarf_offdie(p->dwarf, outer->type, &a) || !dwarf_offdie(p->dwarf, inner->type, &b))
		return false;
	return type_walk__holds(&p->walk, a, (uint64_t)off, b);
}

/* Which of two says more. False: they contradict each other. */
static bool merge(struct pointees *p, struct pointee *best, const struct pointee *other)
{
	if (best->type == other->type && best->at == other->at)
		return true;
	if (best->aggregate != other->aggregate) {
		if (other->aggregate)
			*best = *other;
		return true;
	}
	if (holds(p, best, other))
		return true;
	if (!holds(p, other, best))
		return false;
	*best = *other;
	return true;
}

bool pointees__find(struct pointees *p, Dwarf_Die *function, uint64_t vaddr, unsigned reg,
		    struct pointee *ret)
{
	bool found = false;

	if (p->function != dwarf_dieoffset(function)) {
		p->n = 0;
		p->function = dwarf_dieoffset(function);
		read_scope(p, function, 0);
	}
	for (size_t i = 0; i < p->n && may_look(p); i++) {
		const struct held *h = &p->list[i];

		if (h->reg != reg || vaddr < h->lo || vaddr >= h->hi)
			continue;
		if (!found)
			*ret = h->what;
		else if (!merge(p, ret, &h->what))
			return false;
		found = true;
	}
	return found;
}
