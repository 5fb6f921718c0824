// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: types are a graph that the file made up. It may have circles, and members without
 * number; libdw follows circles of typedefs for ever. So the graph is walked here: each step down
 * is counted, and so is each entry that is looked at.
 */
#include "symd/type_walk.h"

#include <dwarf.h>
#include <string.h>

#include "base/mem.h"

enum {
	ENTRIES_MAX = 32 * 1024 * 1024, /* looked at; a second is about ten million */
	NAME_MAX_BYTES = 256,
};

bool type_walk__may_look(struct type_walk *w)
{
	return ++w->entries < ENTRIES_MAX;
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

bool type_walk__entry(Dwarf *dwarf, uint64_t number, Dwarf_Die *ret)
{
	Dwarf_Off off = number & ~TYPE_WALK_IN_TYPES;

	return number & TYPE_WALK_IN_TYPES ? dwarf_offdie_types(dwarf, off, ret) != NULL :
					     dwarf_offdie(dwarf, off, ret) != NULL;
}

bool type_walk__number(Dwarf *dwarf, Dwarf_Die *die, uint64_t *ret)
{
	Dwarf_Die again;

	*ret = dwarf_dieoffset(die);
	if (*ret >= TYPE_WALK_IN_TYPES)
		return false;
	if (type_walk__entry(dwarf, *ret, &again) && again.addr == die->addr)
		return true;
	*ret |= TYPE_WALK_IN_TYPES;
	return type_walk__entry(dwarf, *ret, &again) && again.addr == die->addr;
}

bool type_walk__type_of(Dwarf_Die *die, Dwarf_Die *ret)
{
	Dwarf_Attribute attribute;
	Dwarf_Die whole;

	if (!dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), ret))
		return false;
	if (dwarf_formref_die(dwarf_attr(ret, DW_AT_signature, &attribute), &whole))
		*ret = whole;
	return true;
}

static bool is_qualifier(int tag)
{
	return tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
	       tag == DW_TAG_restrict_type || tag == DW_TAG_atomic_type ||
	       tag == DW_TAG_immutable_type;
}

/* Takes off what changes nothing of how data lies. False: nothing is left. */
bool type_walk__peel(Dwarf_Die *type, bool typedefs)
{
	for (int i = 0; i < TYPE_WALK_DEPTH; i++) {
		int tag = dwarf_tag(type);

		if (!is_qualifier(tag) && !(typedefs && tag == DW_TAG_typedef))
			return true;
		if (!type_walk__type_of(type, type))
			return false;
	}
	return false;
}

bool type_walk__is_pointer(int tag)
{
	return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
	       tag == DW_TAG_rvalue_reference_type;
}

int type_walk__language(Dwarf_Die *die)
{
	Dwarf_Die unit;

	return dwarf_diecu(die, &unit, NULL, NULL) ? dwarf_srclang(&unit) : -1;
}

static bool is_cxx(Dwarf_Die *die)
{
	switch (type_walk__language(die)) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
		return true;
	default:
		return false;
	}
}

void type_walk__plain(Dwarf_Die *type)
{
	Dwarf_Die under;

	if (!type_walk__peel(type, false) || dwarf_tag(type) != DW_TAG_typedef)
		return;
	under = *type;
	if (type_walk__peel(&under, true) &&
	    (type_walk__is_aggregate(dwarf_tag(&under)) ? dwarf_diename(&under) != NULL :
							  is_cxx(&under)))
		*type = under;
}

/* Or pointers to the same. */
static bool is_same(Dwarf_Die a, Dwarf_Die b)
{
	for (int i = 0; i < TYPE_WALK_DEPTH; i++) {
		bool any = type_walk__peel(&a, true), other = type_walk__peel(&b, true);

		if (!any || !other || a.addr == b.addr)
			return any == other;
		if (!type_walk__is_pointer(dwarf_tag(&a)) || dwarf_tag(&a) != dwarf_tag(&b))
			return false;
		any = type_walk__type_of(&a, &a);
		other = type_walk__type_of(&b, &b);
		if (!any || !other) /* to void */
			return any == other;
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

uint64_t type_walk__elements(struct type_walk *w, Dwarf_Die *array)
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
	} while (type_walk__may_look(w) && dwarf_siblingof(&die, &die) == 0);
	return any ? all : 0;
}

/* libdw takes no location in a block since DWARF 4. Go writes them so; in a short one the same
 * bytes stand as in what it should be. */
bool type_walk__location(Dwarf_Die *die, unsigned attribute, Dwarf_Attribute *ret)
{
	Dwarf_Block block;

	if (!dwarf_attr(die, attribute, ret))
		return false;
	if (ret->form == DW_FORM_block1 && dwarf_formblock(ret, &block) == 0 && block.length < 128)
		ret->form = DW_FORM_exprloc;
	return true;
}

/* In bytes. 0: not known. */
uint64_t type_walk__size(struct type_walk *w, Dwarf_Die type)
{
	uint64_t times = 1, size;

	for (int i = 0;
	     i < TYPE_WALK_DEPTH && type_walk__may_look(w) && type_walk__peel(&type, true); i++) {
		int tag = dwarf_tag(&type);

		if (number_of(&type, DW_AT_byte_size, &size))
			return __builtin_mul_overflow(times, size, &size) ? 0 : size;
		if (type_walk__is_pointer(tag))
			return __builtin_mul_overflow(times, sizeof(uint64_t), &size) ? 0 : size;
		if (tag != DW_TAG_array_type ||
		    __builtin_mul_overflow(times, type_walk__elements(w, &type), &times) ||
		    !type_walk__type_of(&type, &type))
			return 0;
	}
	return 0;
}

/* ---------------------------------------------------------------- members */

void type_walk__put_name(struct buf *b, Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);

	buf__printf(b, "%.*s", NAME_MAX_BYTES, name && *name ? name : "(anonymous)");
}

bool type_walk__is_part(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return (tag == DW_TAG_member || tag == DW_TAG_inheritance) &&
	       !dwarf_hasattr(die, DW_AT_external) && !dwarf_hasattr(die, DW_AT_declaration);
}

bool type_walk__is_aggregate(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
	       tag == DW_TAG_union_type || tag == DW_TAG_interface_type;
}

/* A class without data has a size, and as a base takes no room. */
static bool is_empty(struct type_walk *w, Dwarf_Die type, unsigned depth)
{
	Dwarf_Die die, base;

	if (depth > TYPE_WALK_DEPTH || !type_walk__peel(&type, true) ||
	    !type_walk__is_aggregate(dwarf_tag(&type)))
		return false;
	if (dwarf_child(&type, &die) != 0)
		return !dwarf_hasattr(&type, DW_AT_declaration);
	do {
		if (type_walk__is_part(&die) &&
		    !(dwarf_tag(&die) == DW_TAG_inheritance && type_walk__type_of(&die, &base) &&
		      is_empty(w, base, depth + 1)))
			return false;
	} while (type_walk__may_look(w) && dwarf_siblingof(&die, &die) == 0);
	return true;
}

/* data[] at the end of a structure. */
static bool is_endless(struct type_walk *w, Dwarf_Die type)
{
	Dwarf_Die element;

	return type_walk__peel(&type, true) && dwarf_tag(&type) == DW_TAG_array_type &&
	       !type_walk__elements(w, &type) && type_walk__type_of(&type, &element) &&
	       type_walk__size(w, element);
}

bool type_walk__part_extent(struct type_walk *w, Dwarf_Die *part, Dwarf_Die type, uint64_t *from,
			    uint64_t *to)
{
	Dwarf_Attribute attribute;
	uint64_t bits, at;
	Dwarf_Op *ops;
	size_t n;

	if (dwarf_tag(part) == DW_TAG_inheritance && is_empty(w, type, 0))
		return false;
	if (number_of(part, DW_AT_data_bit_offset, &at)) {
		if (!number_of(part, DW_AT_bit_size, &bits) || bits > UINT32_MAX ||
		    at > UINT64_MAX / 2)
			return false;
		*from = at / 8;
		*to = (at + bits + 7) / 8;
		return *to > *from;
	}
	*from = 0; /* of a union, say */
	if (dwarf_attr(part, DW_AT_data_member_location, &attribute) &&
	    dwarf_formudata(&attribute, from) != 0) {
		/* as DWARF 2 had it */
		if (dwarf_getlocation(&attribute, &ops, &n) != 0 || n != 1 ||
		    ops[0].atom != DW_OP_plus_uconst)
			return false;
		*from = ops[0].number;
	}
	if (is_endless(w, type)) {
		*to = UINT64_MAX;
		return true;
	}
	return !__builtin_add_overflow(*from, type_walk__size(w, type), to) && *to > *from;
}

uint64_t type_walk__extent(struct type_walk *w, Dwarf_Die type)
{
	Dwarf_Die peeled = type, die, member;

	if (type_walk__peel(&peeled, true) && type_walk__is_aggregate(dwarf_tag(&peeled)) &&
	    dwarf_child(&peeled, &die) == 0) {
		do {
			if (type_walk__is_part(&die) && type_walk__type_of(&die, &member) &&
			    is_endless(w, member))
				return UINT64_MAX;
		} while (type_walk__may_look(w) && dwarf_siblingof(&die, &die) == 0);
	}
	return type_walk__size(w, type);
}

/* Of templates with arguments, or without. */
static bool is_called(Dwarf_Die *type, const char *const *names, size_t n)
{
	const char *name = dwarf_diename(type);

	for (size_t i = 0; name && i < n; i++) {
		size_t len = strlen(names[i]);

		if (!strncmp(name, names[i], len) && (!name[len] || name[len] == '<'))
			return true;
	}
	return false;
}

/* Where containers of libstdc++ have what they contain: bytes, of a class with its type. */
static bool is_storage(Dwarf_Die *type)
{
	static const char *const names[] = {"__aligned_membuf", "__aligned_buffer"};

	return is_called(type, names, ARRAY_SIZE(names));
}

/* Of libstdc++, and of libc++. */
static bool is_row(Dwarf_Die *type)
{
	static const char *const names[] = {"__normal_iterator", "_Vector_impl_data",
					    "_Deque_iterator",   "__wrap_iter",
					    "__vector_base",     "__split_buffer",
					    "__deque_iterator"};

	return is_called(type, names, ARRAY_SIZE(names));
}

static bool stored_type(struct type_walk *w, Dwarf_Die *storage, uint64_t off, Dwarf_Die *ret)
{
	Dwarf_Die die;
	uint64_t size;

	if (!is_storage(storage) || dwarf_child(storage, &die) != 0)
		return false;
	do {
		if (dwarf_tag(&die) != DW_TAG_template_type_parameter)
			continue;
		if (!type_walk__type_of(&die, ret))
			return false;
		size = type_walk__size(w, *ret);
		return off < size && size <= type_walk__size(w, *storage);
	} while (type_walk__may_look(w) && dwarf_siblingof(&die, &die) == 0);
	return false;
}

struct holder {
	Dwarf_Die member, type;
	uint64_t from;
};

/* A base that is virtual lies where the data says. */
static bool is_somewhere(Dwarf_Die *part)
{
	return dwarf_tag(part) == DW_TAG_inheritance && dwarf_hasattr(part, DW_AT_virtuality);
}

/* A base that stands in another unit only (clang leaves out what has virtual functions elsewhere):
 * nobody knows which bytes are its. */
static bool is_declared(Dwarf_Die *part, Dwarf_Die type)
{
	return dwarf_tag(part) == DW_TAG_inheritance && type_walk__peel(&type, true) &&
	       dwarf_hasattr(&type, DW_AT_declaration);
}

static unsigned find_holder(struct type_walk *w, Dwarf_Die *whole, uint64_t off, struct holder *ret,
			    unsigned depth);

/* What a class has no data for may be the place of a member of one that is derived from it. */
static bool has_data(struct type_walk *w, Dwarf_Die base, uint64_t off, unsigned depth)
{
	struct holder h;

	return !type_walk__peel(&base, true) || !type_walk__is_aggregate(dwarf_tag(&base)) ||
	       find_holder(w, &base, off, &h, depth + 1);
}

/* A part that holds the offset, and how many there are. */
static unsigned find_holder(struct type_walk *w, Dwarf_Die *whole, uint64_t off, struct holder *ret,
			    unsigned depth)
{
	bool somewhere = false;
	uint64_t from, to;
	Dwarf_Die die, type;
	unsigned n = 0;

	if (depth > TYPE_WALK_DEPTH || dwarf_child(whole, &die) != 0)
		return 0;
	do {
		somewhere |= is_somewhere(&die);
		/* an enumeration of Rust: which one it is stands in the data */
		if (dwarf_tag(&die) == DW_TAG_variant_part)
			n += 2;
		if (!type_walk__is_part(&die) || !type_walk__type_of(&die, &type))
			continue;
		if (!type_walk__part_extent(w, &die, type, &from, &to)) {
			somewhere |= is_declared(&die, type);
			continue;
		}
		if (off < from || off >= to)
			continue;
		/* takes room and has no data, of std::optional, say */
		if (is_empty(w, type, 0))
			continue;
		if (dwarf_tag(&die) == DW_TAG_inheritance && !has_data(w, type, off - from, depth))
			continue;
		*ret = (struct holder){die, type, from};
		n++;
	} while (type_walk__may_look(w) && dwarf_siblingof(&die, &die) == 0);
	return n || !somewhere ? n : 2;
}

/* Anonymous ones and base classes have their members' names. */
static void put_member(struct buf *path, const struct holder *h)
{
	Dwarf_Die member = h->member;

	if (dwarf_tag(&member) == DW_TAG_inheritance || !dwarf_diename(&member))
		return;
	if (path->len)
		buf__putc(path, '.');
	type_walk__put_name(path, &member);
}

/* False: no further down. */
static bool step_into(struct type_walk *w, Dwarf_Die *type, uint64_t *off, struct buf *path)
{
	int tag = dwarf_tag(type);
	struct holder h = {0};
	uint64_t size;
	unsigned n;

	if (tag == DW_TAG_array_type) {
		if (!type_walk__type_of(type, type))
			return false;
		size = type_walk__size(w, *type);
		if (size && path->len)
			buf__puts(path, "[]");
		*off = size ? *off % size : 0;
		return size != 0;
	}
	if (!type_walk__is_aggregate(tag))
		return false;
	if (stored_type(w, type, *off, &h.type)) {
		*type = h.type;
		return true;
	}
	n = find_holder(w, type, *off, &h, 0);
	if (n != 1) {
		buf__printf(path, "%s%s", path->len ? "." : "", n ? "(several)" : "(padding)");
		return false;
	}
	put_member(path, &h);
	*off -= h.from;
	*type = h.type;
	return true;
}

bool type_walk__holds(struct type_walk *w, Dwarf_Die whole, uint64_t off, Dwarf_Die part)
{
	struct buf path = {0};
	bool holds = false;

	if (!type_walk__peel(&part, true))
		return false;
	for (int i = 0; i < TYPE_WALK_DEPTH && !holds && type_walk__peel(&whole, true); i++) {
		holds = off == 0 && is_same(whole, part);
		if (!holds && !step_into(w, &whole, &off, &path))
			break;
	}
	buf__done(&path);
	return holds;
}

/* Links lead to what nodes are derived from; containers and iterators of libstdc++ say what these
 * are, by a type of their own, which may be a pointer to it, and iterators of libc++ by their
 * template's argument. */
static bool node_type(struct type_walk *w, Dwarf_Die *in, Dwarf_Die *ret)
{
	static const char *const nodes[] = {"_Rb_tree_node",  "_List_node",  "_Hash_node",
					    "_Fwd_list_node", "__tree_node", "__hash_node"};
	static const char *const users[] = {"_Rb_tree",
					    "_Rb_tree_iterator",
					    "_Rb_tree_const_iterator",
					    "_List_base",
					    "list",
					    "_List_iterator",
					    "_List_const_iterator",
					    "_Hashtable",
					    "__tree_iterator",
					    "__tree_const_iterator",
					    "__hash_iterator",
					    "__hash_const_iterator"};
	static const char *const types[] = {"_Link_type", "_Node", "__node_type", "_NodePtr"};
	Dwarf_Die die;

	*ret = *in;
	if (is_called(in, nodes, ARRAY_SIZE(nodes)))
		return true;
	if (!is_called(in, users, ARRAY_SIZE(users)) || dwarf_child(in, &die) != 0)
		return false;
	do {
		if ((dwarf_tag(&die) != DW_TAG_typedef &&
		     dwarf_tag(&die) != DW_TAG_template_type_parameter) ||
		    !is_called(&die, types, ARRAY_SIZE(types)))
			continue;
		return type_walk__type_of(&die, ret) && type_walk__peel(ret, true) &&
		       (dwarf_tag(ret) != DW_TAG_pointer_type ||
			(type_walk__type_of(ret, ret) && type_walk__peel(ret, true))) &&
		       is_called(ret, nodes, ARRAY_SIZE(nodes));
	} while (type_walk__may_look(w) && dwarf_siblingof(&die, &die) == 0);
	return false;
}

bool type_walk__leaf(struct type_walk *w, Dwarf_Die *type, uint64_t off, struct type_walk_in *in)
{
	struct buf path = {0};
	bool leaf = false;

	*in = (struct type_walk_in){.row = false};
	for (int i = 0; i < TYPE_WALK_DEPTH && !leaf && type_walk__peel(type, true); i++) {
		leaf = !type_walk__is_aggregate(dwarf_tag(type)) &&
		       dwarf_tag(type) != DW_TAG_array_type;
		in->array |= dwarf_tag(type) == DW_TAG_array_type;
		in->row |= is_row(type);
		if (!leaf && !in->has_node)
			in->has_node = node_type(w, type, &in->node);
		if (!leaf && !step_into(w, type, &off, &path))
			break;
	}
	buf__done(&path);
	return leaf && off == 0;
}

void type_walk__put_member(struct type_walk *w, struct buf *b, Dwarf_Die type, uint64_t off)
{
	for (int i = 0; i < TYPE_WALK_DEPTH && type_walk__peel(&type, true); i++) {
		if (!step_into(w, &type, &off, b))
			break;
	}
}
