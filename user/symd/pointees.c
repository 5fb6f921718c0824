// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: a function's tree has thousands of entries, lists of locations have no end that
 * could be trusted, and a place is asked about several times. So a function's variables are read
 * once, with each stretch of code in which one is in a register, and all of it is counted.
 */
#include "symd/pointees.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/search.h"
#include "symd/array_pointers.h"
#include "symd/insn_abi.h"
#include "symd/pieces.h"
#include "symd/scope_of.h"

enum {
	TREE_DEPTH = 256,
	HELD_MAX = 256 * 1024,         /* of a function */
	STEPS_MAX = 256 * 1024 * 1024, /* among these, of a file; a second is about a billion… */
	FUNCTION_STEPS_MAX = 32 * 1024 * 1024, /* …and of a function, each time it is entered */
};

/* From lo on, and before hi, a register is a pointer to the type, and so much more. */
struct held {
	uint64_t lo, hi;
	uint64_t until; /* the last hi of all before it, and its own */
	struct pointee what;
	uint8_t reg;
};

struct call_site {
	uint64_t next; /* behind the call */
	Dwarf_Off callee;
};

struct pointees {
	Dwarf *dwarf;
	struct type_walk walk;
	uint64_t steps, most_steps;
	Dwarf_Off function; /* whose these are; 0: of none */
	Dwarf_Addr entry;   /* where it begins; 0: not known */
	struct held *list;  /* by register, then lo */
	size_t n, cap;
	size_t first[INSN_REGS + 1];
	struct call_site *sites; /* by address */
	size_t n_sites, cap_sites;
	uint64_t *ends; /* n of them, ascending */
	struct frame_slots slots;
	struct array_pointers arrays;
};

struct pointees *pointees__new(Dwarf *dwarf)
{
	struct pointees *p = xcalloc(1, sizeof(*p));
	enum insn_set set = INSN_X86_64;
	GElf_Ehdr header;

	p->dwarf = dwarf;
	if (gelf_getehdr(dwarf_getelf(dwarf), &header))
		insn_set__of(header.e_machine, header.e_ident[EI_CLASS] == ELFCLASS64, &set);
	p->slots.abi = insn_abi__of(set);
	return p;
}

struct pointees *pointees__free(struct pointees *p)
{
	if (!p)
		return NULL;
	free(p->list);
	free(p->sites);
	frame_slots__done(&p->slots);
	free(p->ends);
	free(p);
	return NULL;
}

static bool may_look(struct pointees *p)
{
	return type_walk__may_look(&p->walk) && p->n < HELD_MAX && p->slots.n < HELD_MAX &&
	       p->n_sites < HELD_MAX;
}

/* Whether the variable is in a register, or is one plus a number. */
static bool read_place(const struct insn_abi *abi, const Dwarf_Op *ops, size_t n, struct held *ret)
{
	uint8_t atom = n ? ops[0].atom : 0;
	uint64_t reg = UINT64_MAX;

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
	return insn_abi__register(abi, reg, &ret->reg);
}

/* A variable where its code is, as an entry says it. */
struct variable {
	Dwarf_Die die, type;
	unsigned depth;
	struct pointee what;
	bool is_pointer;
	bool always; /* has one place */
};

/* part: of the variable, that is all there is of it in that place. */
static bool add_slot(struct pointees *p, struct variable *v, const struct piece *part, uint64_t lo,
		     uint64_t hi)
{
	struct frame_slot slot = {
		.lo = lo,
		.hi = hi,
		.first = part->off,
		.size = type_walk__size(&p->walk, v->type),
		.depth = v->depth,
		.always = v->always,
	};

	if (part->size)
		slot.size = part->off + part->size;

	return slot.size && type_walk__number(p->dwarf, &v->die, &slot.variable) &&
	       type_walk__number(p->dwarf, &v->type, &slot.type) &&
	       frame_slots__add(&p->slots, &slot, part->ops, part->n);
}

static void add_held(struct pointees *p, const struct pointee *what, const struct piece *part,
		     uint64_t lo, uint64_t hi)
{
	struct held h = {.lo = lo, .hi = hi, .what = *what};

	if (read_place(p->slots.abi, part->ops, part->n, &h)) {
		GROW(p->list, p->n, p->cap);
		p->list[p->n++] = h;
	}
}

/* A register that holds a part is the member that lies there. */
static bool add_pieces(struct pointees *p, struct variable *v, const Dwarf_Op *ops, size_t n,
		       uint64_t lo, uint64_t hi)
{
	const uint64_t whole = type_walk__size(&p->walk, v->type);
	struct piece part = {0};
	struct pointee what;
	bool any = false;

	while (may_look(p) && piece__next(ops, n, &part)) {
		any = true;
		if (part.size > whole || part.off > whole - part.size)
			break;
		if (part.n && !add_slot(p, v, &part, lo, hi) && part.size == sizeof(void *) &&
		    pointees__in_type(p, &v->type, part.off, &what))
			add_held(p, &what, &part, lo, hi);
	}
	return any;
}

static void add(struct pointees *p, struct variable *v, const Dwarf_Op *ops, size_t n, uint64_t lo,
		uint64_t hi)
{
	const struct piece whole = {.ops = ops, .n = n};

	if (lo < hi && !add_pieces(p, v, ops, n, lo, hi) && !add_slot(p, v, &whole, lo, hi) &&
	    v->is_pointer)
		add_held(p, &v->what, &whole, lo, hi);
}

/* One that has one place is there in all of its scope. */
static void add_in_scope(struct pointees *p, struct variable *v, Dwarf_Die *scope,
			 const Dwarf_Op *ops, size_t n)
{
	Dwarf_Addr base, lo, hi;
	ptrdiff_t at = 0;

	while (may_look(p) && (at = dwarf_ranges(scope, at, &base, &lo, &hi)) > 0)
		add(p, v, ops, n, lo, hi);
}

/* A pointer, or what has no more than one: an iterator, say. */
static bool is_register(struct pointees *p, Dwarf_Die type)
{
	return type_walk__size(&p->walk, type) == sizeof(void *);
}

static void read_variable(struct pointees *p, Dwarf_Die *scope, Dwarf_Die *die, unsigned depth)
{
	struct variable v = {.die = *die, .depth = depth};
	Dwarf_Attribute attribute;
	Dwarf_Addr base, lo, hi;
	ptrdiff_t at = 0;
	Dwarf_Op *ops;
	size_t n;

	if (!type_walk__location(die, DW_AT_location, &attribute) ||
	    !type_walk__type_of(die, &v.type))
		return;
	v.is_pointer = is_register(p, v.type) && pointees__in_type(p, &v.type, 0, &v.what);
	while (may_look(p) &&
	       (at = dwarf_getlocations(&attribute, at, &base, &lo, &hi, &ops, &n)) > 0) {
		/* a parameter that is there before the first instruction, and nobody's then */
		if (lo == hi && !depth && lo == p->entry)
			hi++;
		v.always = lo == 0 && hi == UINT64_MAX;
		if (v.always)
			add_in_scope(p, &v, scope, ops, n);
		else
			add(p, &v, ops, n, lo, hi);
	}
}

static bool is_scope(int tag)
{
	return tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine ||
	       tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

/* DWARF 5's, or GNU's of before. */
static void read_site(struct pointees *p, Dwarf_Die *die)
{
	static const unsigned at[] = {DW_AT_call_return_pc, DW_AT_low_pc};
	static const unsigned origin[] = {DW_AT_call_origin, DW_AT_abstract_origin};
	const bool gnu = dwarf_tag(die) == DW_TAG_GNU_call_site;
	Dwarf_Attribute attribute;
	struct call_site site;
	Dwarf_Die callee;

	if (dwarf_formaddr(dwarf_attr(die, at[gnu], &attribute), &site.next) != 0 ||
	    !dwarf_formref_die(dwarf_attr(die, origin[gnu], &attribute), &callee))
		return;
	site.callee = dwarf_dieoffset(&callee);
	GROW(p->sites, p->n_sites, p->cap_sites);
	p->sites[p->n_sites++] = site;
}

static void read_scope(struct pointees *p, Dwarf_Die *scope, unsigned depth)
{
	Dwarf_Die die;

	if (depth > TREE_DEPTH || dwarf_child(scope, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_formal_parameter || tag == DW_TAG_variable)
			read_variable(p, scope, &die, depth);
		else if (tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site)
			read_site(p, &die);
		else if (is_scope(tag))
			read_scope(p, &die, depth + 1);
	} while (may_look(p) && dwarf_siblingof(&die, &die) == 0);
}

bool pointees__holds(struct pointees *p, const struct pointee *outer, const struct pointee *inner)
{
	int64_t off;
	Dwarf_Die a, b;

	if (__builtin_sub_overflow(outer->at, inner->at, &off) || off < 0 ||
	    !type_walk__entry(p->dwarf, outer->type, &a) ||
	    !type_walk__entry(p->dwarf, inner->type, &b))
		return false;
	return type_walk__holds(&p->walk, a, (uint64_t)off, b);
}

static bool as_node(struct pointees *p, const struct pointee *link, struct pointee *ret)
{
	Dwarf_Die node;

	*ret = (struct pointee){.at = link->at, .every = link->every};
	return link->node && type_walk__entry(p->dwarf, link->node, &node) &&
	       pointee__object(p->dwarf, &p->walk, node, ret);
}

/* What is no part of a node's base may be one of the node. */
static bool merge_node(struct pointees *p, struct pointee *best, const struct pointee *other)
{
	struct pointee whole;

	if (!(as_node(p, best, &whole) && pointees__holds(p, &whole, other)) &&
	    !(as_node(p, other, &whole) && pointees__holds(p, &whole, best)))
		return false;
	*best = whole;
	return true;
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
	if (pointees__holds(p, best, other))
		return true;
	if (!pointees__holds(p, other, best))
		return merge_node(p, best, other);
	*best = *other;
	return true;
}

static int compare_held(const void *pa, const void *pb)
{
	const struct held *a = pa, *b = pb;

	return a->reg != b->reg ? CMP3(a->reg, b->reg) : CMP3(a->lo, b->lo);
}

/* Of what begins with an address, or is one. */
static int compare_addresses(const void *pa, const void *pb)
{
	const uint64_t *a = pa, *b = pb;

	return CMP3(*a, *b);
}

static void read_ends(struct pointees *p)
{
	free(p->ends);
	p->ends = xcalloc(p->n, sizeof(*p->ends));
	for (size_t i = 0; i < p->n; i++)
		p->ends[i] = p->list[i].hi;
	if (p->n)
		qsort(p->ends, p->n, sizeof(*p->ends), compare_addresses);
}

static void read_function(struct pointees *p, Dwarf_Die *function)
{
	if (p->function == dwarf_dieoffset(function))
		return;
	p->n = p->n_sites = 0;
	p->function = dwarf_dieoffset(function);
	p->most_steps = p->steps < STEPS_MAX ? p->steps + FUNCTION_STEPS_MAX : 0;
	p->entry = scope_entry(function);
	frame_slots__enter(&p->slots, function);
	read_scope(p, function, 0);
	if (p->n)
		qsort(p->list, p->n, sizeof(*p->list), compare_held);
	if (p->n_sites)
		qsort(p->sites, p->n_sites, sizeof(*p->sites), compare_addresses);
	read_ends(p);
	for (size_t reg = 0, i = 0; reg <= INSN_REGS; reg++) {
		uint64_t until = 0;

		p->first[reg] = i;
		for (; i < p->n && p->list[i].reg == reg; i++) {
			if (until < p->list[i].hi)
				until = p->list[i].hi;
			p->list[i].until = until;
		}
	}
}

/* Where those of a register end that begin at vaddr or before. */
static size_t end_of(const struct pointees *p, unsigned reg, uint64_t vaddr)
{
	const size_t first = p->first[reg];

	return first + FIRST_INDEX(i, p->first[reg + 1] - first, p->list[first + i].lo > vaddr);
}

bool pointees__find(struct pointees *p, Dwarf_Die *function, uint64_t vaddr, unsigned reg,
		    struct pointee *ret)
{
	bool found = false;

	read_function(p, function);
	for (size_t i = end_of(p, reg, vaddr); i > p->first[reg] && ++p->steps < p->most_steps;
	     i--) {
		const struct held *h = &p->list[i - 1];

		if (vaddr >= h->until)
			break;
		if (vaddr >= h->hi)
			continue;
		if (!found)
			*ret = h->what;
		else if (!merge(p, ret, &h->what))
			return false;
		found = true;
	}
	return found;
}

bool pointees__callee(struct pointees *p, Dwarf_Die *caller, uint64_t vaddr, Dwarf_Die *ret)
{
	size_t at;

	read_function(p, caller);
	at = FIRST_INDEX(i, p->n_sites, p->sites[i].next >= vaddr);
	return at < p->n_sites && p->sites[at].next == vaddr &&
	       dwarf_offdie(p->dwarf, p->sites[at].callee, ret) &&
	       dwarf_tag(ret) == DW_TAG_subprogram;
}

/* A function with code has its parameters with it, else they are with its declaration. */
static bool first_parameter(struct pointees *p, Dwarf_Die *function, Dwarf_Die *ret)
{
	Dwarf_Attribute attribute;
	Dwarf_Die declared;

	if (dwarf_child(function, ret) != 0)
		return dwarf_formref_die(dwarf_attr(function, DW_AT_specification, &attribute),
					 &declared) &&
		       dwarf_child(&declared, ret) == 0 &&
		       dwarf_tag(ret) == DW_TAG_formal_parameter;
	do {
		if (dwarf_tag(ret) == DW_TAG_formal_parameter)
			return true;
	} while (may_look(p) && dwarf_siblingof(ret, ret) == 0);
	return false;
}

/* Where a function returns a structure, another argument may be before the first one. */
void pointees__call(struct pointees *p, Dwarf_Die *callee, struct call_facts *ret)
{
	Dwarf_Die type, to;

	*ret = (struct call_facts){.never = dwarf_hasattr_integrate(callee, DW_AT_noreturn)};
	if (type_walk__type_of(callee, &type)) {
		ret->returns = pointee__pointer(p->dwarf, &p->walk, type, &ret->returned);
		ret->fresh = type_walk__peel(&type, true) &&
			     dwarf_tag(&type) == DW_TAG_pointer_type &&
			     !type_walk__type_of(&type, &to);
		return;
	}
	ret->takes = first_parameter(p, callee, &to) && type_walk__type_of(&to, &type) &&
		     pointee__pointer(p->dwarf, &p->walk, type, &ret->taken);
}

/* What a list or a tree ends at is no node: so a pointer stays one to what nodes begin with. */
static void read_node(struct pointees *p, Dwarf_Die node, struct pointee *ret)
{
	struct pointee whole = {0};

	if (pointee__object(p->dwarf, &p->walk, node, &whole) && whole.type != ret->type &&
	    pointees__holds(p, &whole, ret))
		ret->node = whole.type;
}

void pointees__widen(struct pointees *p, struct pointee *where, uint64_t bytes)
{
	const int64_t size = (int64_t)where->size;
	struct pointee whole;

	if (!where->every && where->at >= 0 && where->at + (int64_t)bytes > size &&
	    as_node(p, where, &whole))
		*where = whole;
}

bool pointees__in_type(struct pointees *p, Dwarf_Die *type, uint64_t off, struct pointee *ret)
{
	struct type_walk_in in;
	Dwarf_Die leaf = *type;

	if (!type_walk__leaf(&p->walk, &leaf, off, &in) ||
	    !pointee__pointer(p->dwarf, &p->walk, leaf, ret))
		return false;
	ret->row = in.row && ret->aggregate;
	/* of words any pointer is one of several */
	if (ret->row)
		ret->every = ret->size;
	if (in.has_node && ret->aggregate)
		read_node(p, in.node, ret);
	return true;
}

static bool in_object(struct pointees *p, const struct pointee *pointer, struct pointee *ret)
{
	struct pointee where = *pointer;
	Dwarf_Die type;
	int64_t size;

	pointees__widen(p, &where, sizeof(void *));
	size = (int64_t)where.size;
	if (where.every % where.size)
		return array_pointers__find(&p->arrays, p->dwarf, &p->walk, where.type, where.at,
					    where.every, &type) &&
		       pointee__pointer(p->dwarf, &p->walk, type, ret);
	if (where.every || (where.row && !where.endless && (where.at < 0 || where.at >= size)))
		where.at = (where.at % size + size) % size;
	if (where.at < 0 || (where.at >= size && !where.endless) ||
	    !type_walk__entry(p->dwarf, where.type, &type) ||
	    !pointees__in_type(p, &type, (uint64_t)where.at, ret))
		return false;
	/* a link leads to another one of the same container */
	if (ret->type == where.type && !ret->node)
		ret->node = where.node;
	return true;
}

bool pointees__element(struct pointees *p, const struct pointee *where, struct pointee *ret)
{
	Dwarf_Die pointer;

	return where->every % where->size && where->at % (int64_t)sizeof(void *) == 0 &&
	       array_pointers__find(&p->arrays, p->dwarf, &p->walk, where->type, where->at,
				    where->every, &pointer) &&
	       pointee__object(p->dwarf, &p->walk, pointer, ret);
}

/* Of a tree's two links it doesn't matter which one it is. */
bool pointees__in_object(struct pointees *p, const struct pointee *pointer, struct pointee *ret)
{
	struct pointee one = *pointer, other = *pointer, of_other;

	if (!pointer->two)
		return in_object(p, pointer, ret);
	one.every = other.every = 0;
	one.two = other.two = false;
	other.at = (int64_t)((uint64_t)other.at + pointer->every);
	if (!in_object(p, &one, ret) || !in_object(p, &other, &of_other) ||
	    ret->type != of_other.type || ret->at != of_other.at)
		return false;
	ret->row &= of_other.row;
	if (!ret->row)
		ret->every = 0;
	if (ret->node != of_other.node)
		ret->node = 0;
	return true;
}

bool pointees__in_frame(struct pointees *p, Dwarf_Die *function, uint64_t vaddr,
			const struct frame_place *place, struct pointee *ret)
{
	bool found = false;

	read_function(p, function);
	for (size_t i = 0; i < p->slots.n && ++p->steps < p->most_steps; i++) {
		const struct frame_slot *s = &p->slots.list[i];
		struct pointee what;
		Dwarf_Die type;
		uint64_t off;

		if (!frame_slot__holds(s, vaddr, place, &off))
			continue;
		if (!type_walk__entry(p->dwarf, s->type, &type) ||
		    !pointees__in_type(p, &type, off, &what))
			return false;
		if (!found)
			*ret = what;
		else if (!merge(p, ret, &what))
			return false;
		found = true;
	}
	return found;
}

const struct frame_slot *pointees__variable(struct pointees *p, Dwarf_Die *function, uint64_t vaddr,
					    const struct frame_place *place, uint64_t bytes)
{
	read_function(p, function);
	p->steps += p->slots.n;
	return p->steps < p->most_steps ? frame_slots__find(&p->slots, vaddr, place, bytes) : NULL;
}

bool pointees__any_variable(struct pointees *p, Dwarf_Die *function,
			    const struct frame_place *place)
{
	read_function(p, function);
	p->steps += p->slots.n;
	return p->steps >= p->most_steps || frame_slots__any(&p->slots, place);
}

bool pointees__end(struct pointees *p, Dwarf_Die *function, uint64_t vaddr, uint64_t next)
{
	size_t first;

	read_function(p, function);
	first = FIRST_INDEX(i, p->n, p->ends[i] > vaddr);
	return first < p->n && p->ends[first] <= next;
}
