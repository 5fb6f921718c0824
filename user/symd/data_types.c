// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/data_types.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/mem.h"
#include "symd/addr_ranges.h"
#include "symd/data_layout.h"
#include "symd/scope_of.h"
#include "symd/type_names.h"
#include "symd/type_walk.h"

enum {
	TREE_DEPTH = 256, /* of scopes */
	VARIABLES_MAX = 1024 * 1024,
};

struct data_types {
	Dwarf *dwarf;
	struct addr_ranges variables; /* what: offset of the variable's entry */
	struct type_walk walk;
	struct type_names names;
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
	type_names__done(&t->names);
	free(t);
	return NULL;
}

static bool may_look(struct data_types *t)
{
	return type_walk__may_look(&t->walk) && t->variables.n < VARIABLES_MAX;
}

/* ---------------------------------------------------------------- variables */

static bool address_of(Dwarf_Die *variable, uint64_t *ret)
{
	Dwarf_Attribute attribute, address;
	Dwarf_Addr addr;
	Dwarf_Op *ops;
	size_t n;

	if (!type_walk__location(variable, DW_AT_location, &attribute) ||
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

	if (!address_of(variable, &addr) || !addr || !type_walk__type_of(variable, &type))
		return;
	size = type_walk__size(&t->walk, type);
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

bool data_types__find(struct data_types *t, uint64_t vaddr, struct data_part *ret)
{
	const struct addr_range *found = find_variable(t, vaddr);
	Dwarf_Die variable, type;
	uint64_t off;

	buf__clear(&ret->type);
	buf__clear(&ret->member);
	if (!found || !dwarf_offdie(t->dwarf, found->what, &variable) ||
	    !type_walk__type_of(&variable, &type))
		return false;
	off = vaddr - found->lo;
	ret->variable = dwarf_diename(&variable);
	ret->function = NULL;
	type_names__put(&t->names, &t->walk, &ret->type, type);
	type_walk__put_member(&t->walk, &ret->member, type, off);
	return true;
}

/* Of an entry that is a type, or a variable of one. */
static bool object_type(struct data_types *t, uint64_t entry, Dwarf_Die *ret, struct data_part *of)
{
	Dwarf_Die function;
	int tag;

	if (!type_walk__entry(t->dwarf, entry, ret))
		return false;
	tag = dwarf_tag(ret);
	if (tag != DW_TAG_variable && tag != DW_TAG_formal_parameter)
		return true;
	if (of) {
		of->variable = dwarf_diename(ret);
		of->function = scope_of(&t->walk, ret, &function) ? scope_name(&function) : NULL;
	}
	return type_walk__type_of(ret, ret);
}

bool data_types__object(struct data_types *t, uint64_t entry, uint64_t off, struct data_part *ret)
{
	Dwarf_Die type;

	buf__clear(&ret->type);
	buf__clear(&ret->member);
	ret->variable = ret->function = NULL;
	if (!object_type(t, entry, &type, ret) || off >= type_walk__extent(&t->walk, type))
		return false;
	type_names__put(&t->names, &t->walk, &ret->type, type);
	type_walk__put_member(&t->walk, &ret->member, type, off);
	return true;
}

/* Of an array, how its elements do. */
static bool put_layout(struct data_types *t, Dwarf_Die type, struct buf *ret)
{
	for (int i = 0; i < TYPE_WALK_DEPTH && type_walk__peel(&type, true); i++) {
		if (dwarf_tag(&type) != DW_TAG_array_type)
			return data_layout__put(&t->walk, &t->names, type, ret);
		if (!type_walk__type_of(&type, &type))
			return false;
	}
	return false;
}

bool data_types__layout(struct data_types *t, uint64_t vaddr, struct buf *ret)
{
	const struct addr_range *found = find_variable(t, vaddr);
	Dwarf_Die variable, type;

	return found && dwarf_offdie(t->dwarf, found->what, &variable) &&
	       type_walk__type_of(&variable, &type) && put_layout(t, type, ret);
}

bool data_types__object_layout(struct data_types *t, uint64_t entry, struct buf *ret)
{
	Dwarf_Die type;

	return object_type(t, entry, &type, NULL) && put_layout(t, type, ret);
}

bool data_types__variable(struct data_types *t, uint64_t vaddr, Dwarf_Die *ret, uint64_t *ret_off)
{
	const struct addr_range *found = find_variable(t, vaddr);
	Dwarf_Die variable;

	if (!found || !dwarf_offdie(t->dwarf, found->what, &variable))
		return false;
	*ret_off = vaddr - found->lo;
	return type_walk__type_of(&variable, ret);
}
