// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: types are a graph that the file made up. It may have circles, and members without
 * number; libdw follows circles of typedefs for ever. So the graph is walked here: each step down
 * is counted, and so is each entry that is looked at.
 */
#include "symd/data_types.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "symd/addr_ranges.h"

enum {
	TREE_DEPTH = 256, /* of scopes */
	TYPE_DEPTH = 32,  /* a type of a type of a type… */
	VARIABLES_MAX = 1024 * 1024,
	ENTRIES_MAX = 32 * 1024 * 1024, /* looked at; a second is about ten million */
	NAME_MAX_BYTES = 256,
};

struct data_types {
	Dwarf *dwarf;
	struct addr_ranges variables; /* what: offset of the variable's entry */
	uint64_t entries;
	bool read, read_functions;
};

void data_part__done(struct data_part *p)
{
	buf__done(&p->type);
	buf__done(&p->member);
}

struct data_types *data_types__new(Dwarf *dwarf)
{
	struct data_types *t = xcalloc(1, sizeof(*t));

	t->dwarf = dwarf;
	return t;
}

struct data_types *data_types__free(struct data_types *t)
{
	if (!t)
		return NULL;
	addr_ranges__done(&t->variables);
	free(t);
	return NULL;
}

static bool may_look(struct data_types *t)
{
	return ++t->entries < ENTRIES_MAX && t->variables.n < VARIABLES_MAX;
}

static bool number_of(Dwarf_Die *die, unsigned name, uint64_t *ret)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (dwarf_formudata(dwarf_attr_integrate(die, name, &attribute), &value) != 0)
		return false;
	*ret = value;
	return true;
}

static bool type_of(Dwarf_Die *die, Dwarf_Die *ret)
{
	Dwarf_Attribute attribute;

	return dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), ret) != NULL;
}

static bool is_qualifier(int tag)
{
	return tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
	       tag == DW_TAG_restrict_type || tag == DW_TAG_atomic_type ||
	       tag == DW_TAG_immutable_type;
}

/* Takes off what changes nothing of how data lies. False: nothing is left. */
static bool peel(Dwarf_Die *type, bool typedefs)
{
	for (int i = 0; i < TYPE_DEPTH; i++) {
		int tag = dwarf_tag(type);

		if (!is_qualifier(tag) && !(typedefs && tag == DW_TAG_typedef))
			return true;
		if (!type_of(type, type))
			return false;
	}
	return false;
}

/* One dimension. 0: not known. */
static uint64_t count_of(Dwarf_Die *range)
{
	uint64_t n, lower = 0;

	if (number_of(range, DW_AT_count, &n))
		return n;
	number_of(range, DW_AT_lower_bound, &lower);
	return number_of(range, DW_AT_upper_bound, &n) && n >= lower ? n - lower + 1 : 0;
}

/* Of all dimensions. 0: not known, or it has none. */
static uint64_t elements_of(struct data_types *t, Dwarf_Die *array)
{
	uint64_t all = 1;
	bool any = false;
	Dwarf_Die die;

	if (dwarf_child(array, &die) != 0)
		return 0;
	do {
		if (dwarf_tag(&die) != DW_TAG_subrange_type)
			continue;
		if (__builtin_mul_overflow(all, count_of(&die), &all))
			return 0;
		any = true;
	} while (may_look(t) && dwarf_siblingof(&die, &die) == 0);
	return any ? all : 0;
}

/* In bytes. 0: not known. */
static uint64_t size_of(struct data_types *t, Dwarf_Die type)
{
	uint64_t times = 1, size;

	for (int i = 0; i < TYPE_DEPTH && may_look(t) && peel(&type, true); i++) {
		int tag = dwarf_tag(&type);

		if (number_of(&type, DW_AT_byte_size, &size))
			return __builtin_mul_overflow(times, size, &size) ? 0 : size;
		if (tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
		    tag == DW_TAG_rvalue_reference_type)
			return __builtin_mul_overflow(times, sizeof(uint64_t), &size) ? 0 : size;
		if (tag != DW_TAG_array_type ||
		    __builtin_mul_overflow(times, elements_of(t, &type), &times) ||
		    !type_of(&type, &type))
			return 0;
	}
	return 0;
}

/* ---------------------------------------------------------------- variables */

static bool address_of(Dwarf_Die *variable, uint64_t *ret)
{
	Dwarf_Attribute attribute, address;
	Dwarf_Addr addr;
	Dwarf_Op *ops;
	size_t n;

	if (!dwarf_attr(variable, DW_AT_location, &attribute) ||
	    dwarf_getlocation(&attribute, &ops, &n) != 0 || n != 1)
		return false;
	*ret = ops[0].number;
	if (ops[0].atom == DW_OP_addr)
		return true;
	if (ops[0].atom != DW_OP_addrx ||
	    dwarf_getlocation_attr(&attribute, &ops[0], &address) != 0 ||
	    dwarf_formaddr(&address, &addr) != 0)
		return false;
	*ret = addr;
	return true;
}

static void add_variable(struct data_types *t, Dwarf_Die *variable)
{
	uint64_t addr, size;
	Dwarf_Die type;

	if (!address_of(variable, &addr) || !addr || !type_of(variable, &type))
		return;
	size = size_of(t, type);
	if (size && addr + size > addr)
		addr_ranges__add(&t->variables, addr, addr + size, dwarf_dieoffset(variable));
}

/* In which static variables stand. */
static bool is_function(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
	       tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block;
}

/* functions: the variables that stand in them, and no others. */
static void read_scope(struct data_types *t, Dwarf_Die *scope, bool functions, bool inside,
		       unsigned depth)
{
	Dwarf_Die die;

	if (depth > TREE_DEPTH || dwarf_child(scope, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_variable && inside == functions)
			add_variable(t, &die);
		else if (tag == DW_TAG_namespace || tag == DW_TAG_module)
			read_scope(t, &die, functions, inside, depth + 1);
		else if (functions && is_function(tag))
			read_scope(t, &die, functions, true, depth + 1);
	} while (may_look(t) && dwarf_siblingof(&die, &die) == 0);
}

static void read_units(struct data_types *t, bool functions)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;

	while (may_look(t) && dwarf_get_units(t->dwarf, cu, &cu, NULL, &type, &die, NULL) == 0) {
		if (type == DW_UT_compile || type == DW_UT_partial)
			read_scope(t, &die, functions, false, 0);
	}
	addr_ranges__sort(&t->variables);
}

/* Most are global; functions are looked through when something isn't. */
static const struct addr_range *find_variable(struct data_types *t, uint64_t vaddr)
{
	const struct addr_range *found;

	if (!t->read)
		read_units(t, false);
	t->read = true;
	found = addr_ranges__find(&t->variables, vaddr);
	if (found || t->read_functions)
		return found;
	t->read_functions = true;
	read_units(t, true);
	return addr_ranges__find(&t->variables, vaddr);
}

/* ---------------------------------------------------------------- types */

static void put_name(struct buf *b, Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);

	buf__printf(b, "%.*s", NAME_MAX_BYTES, name && *name ? name : "(anonymous)");
}

/* C's tags are no names of types. */
static const char *word_of(Dwarf_Die *type)
{
	Dwarf_Die unit;

	switch (dwarf_diecu(type, &unit, NULL, NULL) ? dwarf_srclang(&unit) : -1) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
		break;
	default:
		return "";
	}
	switch (dwarf_tag(type)) {
	case DW_TAG_structure_type:
		return "struct ";
	case DW_TAG_union_type:
		return "union ";
	case DW_TAG_enumeration_type:
		return "enum ";
	default:
		return "";
	}
}

/* An array of pointers to int is int *[]. */
static void put_type(struct buf *b, Dwarf_Die type)
{
	bool array[TYPE_DEPTH];
	bool any = true;
	int n = 0, tag;

	while (any && (any = peel(&type, false)) && n < TYPE_DEPTH) {
		tag = dwarf_tag(&type);
		if (tag != DW_TAG_array_type && tag != DW_TAG_pointer_type)
			break;
		array[n++] = tag == DW_TAG_array_type;
		any = type_of(&type, &type);
	}
	if (!any) {
		buf__puts(b, "void");
	} else if (dwarf_tag(&type) == DW_TAG_subroutine_type) {
		buf__puts(b, "(function)");
	} else {
		buf__puts(b, word_of(&type));
		put_name(b, &type);
	}
	for (int i = n; i-- > 0;)
		buf__puts(b, array[i] ? "[]" : i + 1 < n && !array[i + 1] ? "*" : " *");
}

/* ---------------------------------------------------------------- members */

/* Where a member begins and ends, from where the whole does. */
static bool extent_of(struct data_types *t, Dwarf_Die *member, Dwarf_Die type, uint64_t *from,
		      uint64_t *to)
{
	Dwarf_Attribute attribute;
	uint64_t bits, at;
	Dwarf_Op *ops;
	size_t n;

	if (number_of(member, DW_AT_data_bit_offset, &at)) {
		if (!number_of(member, DW_AT_bit_size, &bits) || bits > UINT32_MAX ||
		    at > UINT64_MAX / 2)
			return false;
		*from = at / 8;
		*to = (at + bits + 7) / 8;
		return true;
	}
	*from = 0; /* of a union, say */
	if (dwarf_attr(member, DW_AT_data_member_location, &attribute) &&
	    dwarf_formudata(&attribute, from) != 0) {
		/* as DWARF 2 had it */
		if (dwarf_getlocation(&attribute, &ops, &n) != 0 || n != 1 ||
		    ops[0].atom != DW_OP_plus_uconst)
			return false;
		*from = ops[0].number;
	}
	return !__builtin_add_overflow(*from, size_of(t, type), to) && *to > *from;
}

struct holder {
	Dwarf_Die member, type;
	uint64_t from;
	unsigned n; /* that hold the offset */
};

static bool is_part(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return (tag == DW_TAG_member || tag == DW_TAG_inheritance) &&
	       !dwarf_hasattr(die, DW_AT_external) && !dwarf_hasattr(die, DW_AT_declaration);
}

static void find_holder(struct data_types *t, Dwarf_Die *whole, uint64_t off, struct holder *ret)
{
	Dwarf_Die die, type;
	uint64_t from, to;

	ret->n = 0;
	if (dwarf_child(whole, &die) != 0)
		return;
	do {
		/* an enumeration of Rust: which one it is stands in the data */
		if (dwarf_tag(&die) == DW_TAG_variant_part)
			ret->n += 2;
		if (!is_part(&die) || !type_of(&die, &type) ||
		    !extent_of(t, &die, type, &from, &to) || off < from || off >= to)
			continue;
		ret->member = die;
		ret->type = type;
		ret->from = from;
		ret->n++;
	} while (may_look(t) && dwarf_siblingof(&die, &die) == 0);
}

static bool is_aggregate(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
	       tag == DW_TAG_union_type || tag == DW_TAG_interface_type;
}

/* Anonymous ones and base classes have their members' names. */
static void put_member(struct buf *path, const struct holder *h)
{
	Dwarf_Die member = h->member;

	if (dwarf_tag(&member) == DW_TAG_inheritance || !dwarf_diename(&member))
		return;
	if (path->len)
		buf__putc(path, '.');
	put_name(path, &member);
}

/* False: no further down. */
static bool step_into(struct data_types *t, Dwarf_Die *type, uint64_t *off, struct buf *path)
{
	int tag = dwarf_tag(type);
	struct holder h;
	uint64_t size;

	if (tag == DW_TAG_array_type) {
		if (!type_of(type, type))
			return false;
		size = size_of(t, *type);
		if (size && path->len)
			buf__puts(path, "[]");
		*off = size ? *off % size : 0;
		return size != 0;
	}
	if (!is_aggregate(tag))
		return false;
	find_holder(t, type, *off, &h);
	if (h.n != 1) {
		buf__printf(path, "%s%s", path->len ? "." : "", h.n ? "(several)" : "(padding)");
		return false;
	}
	put_member(path, &h);
	*off -= h.from;
	*type = h.type;
	return true;
}

bool data_types__find(struct data_types *t, uint64_t vaddr, struct data_part *ret)
{
	const struct addr_range *found = find_variable(t, vaddr);
	Dwarf_Die variable, type;
	uint64_t off;

	buf__clear(&ret->type);
	buf__clear(&ret->member);
	if (!found || !dwarf_offdie(t->dwarf, found->what, &variable) || !type_of(&variable, &type))
		return false;
	off = vaddr - found->lo;
	ret->variable = dwarf_diename(&variable);
	put_type(&ret->type, type);
	for (int i = 0; i < TYPE_DEPTH && peel(&type, true); i++) {
		if (!step_into(t, &type, &off, &ret->member))
			break;
	}
	return true;
}
