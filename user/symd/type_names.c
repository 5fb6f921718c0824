// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: entries don't know what they stand in. So of the unit whose types are asked for
 * all namespaces and classes are read once, each with the stretch of entries that lie in it.
 */
#include "symd/type_names.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/search.h"
#include "symd/short_names.h"

enum {
	TREE_DEPTH = 64,
	SCOPES_MAX = 1024 * 1024,
	READ_MAX_BYTES = 4096, /* of a name */
	NESTED_MAX = 64,       /* templates' arguments; deeper ones count as these */
};

#define HIDDEN "…"

struct type_scope {
	uint64_t from, to; /* offsets of entries */
	size_t in;         /* another one; one more than its number */
	Dwarf_Die die;
};

void type_names__done(struct type_names *names)
{
	free(names->scopes);
	*names = (struct type_names){0};
}

/* ---------------------------------------------------------------- scopes */

static bool is_scope(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_module || type_walk__is_aggregate(tag);
}

/* What stands in whole, which ends at `end`. */
static void read_scopes(struct type_names *names, struct type_walk *w, Dwarf_Die *whole,
			uint64_t end, size_t in, unsigned depth)
{
	Dwarf_Die die, next;
	bool more;

	if (depth > TREE_DEPTH || dwarf_child(whole, &die) != 0)
		return;
	do {
		more = type_walk__may_look(w) && names->n < SCOPES_MAX &&
		       dwarf_siblingof(&die, &next) == 0;
		if (is_scope(dwarf_tag(&die)) && dwarf_haschildren(&die) > 0) {
			const uint64_t to = more ? dwarf_dieoffset(&next) : end;

			GROW(names->scopes, names->n, names->cap);
			names->scopes[names->n++] =
				(struct type_scope){dwarf_dieoffset(&die), to, in, die};
			read_scopes(names, w, &die, to, names->n, depth + 1);
		}
		die = next;
	} while (more);
}

/* The innermost one that it stands in; NULL: there is none. */
static const struct type_scope *scope_of(struct type_names *names, struct type_walk *w,
					 Dwarf_Die *die)
{
	const uint64_t off = dwarf_dieoffset(die);
	Dwarf_Die unit;
	size_t at;

	if (!dwarf_diecu(die, &unit, NULL, NULL))
		return NULL;
	if (names->unit != unit.addr) {
		names->unit = unit.addr;
		names->n = 0;
		read_scopes(names, w, &unit, UINT64_MAX, 0, 0);
	}
	at = FIRST_INDEX(i, names->n, names->scopes[i].from >= off);
	while (at && off >= names->scopes[at - 1].to)
		at = names->scopes[at - 1].in;
	return at ? &names->scopes[at - 1] : NULL;
}

/* ---------------------------------------------------------------- names */

static void put_own(struct buf *b, Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);

	if (name && *name)
		buf__printf(b, "%.*s", READ_MAX_BYTES, name);
	else
		buf__puts(b, dwarf_tag(die) == DW_TAG_namespace ? "(anonymous namespace)" :
								  "(anonymous)");
}

/* A class may be declared in another one, and defined elsewhere. */
static void put_qualified(struct type_names *names, struct type_walk *w, struct buf *b,
			  Dwarf_Die *die, unsigned depth)
{
	Dwarf_Attribute attribute;
	Dwarf_Die declared = *die, outer;
	const struct type_scope *scope;

	dwarf_formref_die(dwarf_attr(die, DW_AT_specification, &attribute), &declared);
	scope = scope_of(names, w, &declared);
	if (scope && depth < TYPE_WALK_DEPTH) {
		outer = scope->die;
		put_qualified(names, w, b, &outer, depth + 1);
		buf__puts(b, "::");
	}
	put_own(b, die);
}

/* C has nothing that types stand in, and tags, which are no names of types. */
static bool is_c(Dwarf_Die *die)
{
	switch (type_walk__language(die)) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
		return true;
	default:
		return false;
	}
}

static const char *word_of(Dwarf_Die *type)
{
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

static void put_name(struct type_names *names, struct type_walk *w, struct buf *b, Dwarf_Die *type)
{
	_cleanup_(buf__done) struct buf name = {0}, shorter = {0};

	if (is_c(type)) {
		buf__puts(b, word_of(type));
		put_own(&shorter, type);
	} else {
		put_qualified(names, w, &name, type, 0);
		short_name__put(&shorter, name.data);
	}
	type_names__bound(b, shorter.data);
}

/* Container's `pointer`, say: what it is says more. */
static bool is_of_class(struct type_names *names, struct type_walk *w, Dwarf_Die *type)
{
	const struct type_scope *scope;
	Dwarf_Die in;

	if (dwarf_tag(type) != DW_TAG_typedef || is_c(type))
		return false;
	scope = scope_of(names, w, type);
	if (!scope)
		return false;
	in = scope->die;
	return type_walk__is_aggregate(dwarf_tag(&in));
}

/* What C puts behind a type for one that leads to it; NULL: it isn't such a one. */
static const char *behind(int tag)
{
	switch (tag) {
	case DW_TAG_array_type:
		return "[]";
	case DW_TAG_pointer_type:
		return "*";
	case DW_TAG_reference_type:
		return "&";
	case DW_TAG_rvalue_reference_type:
		return "&&";
	default:
		return NULL;
	}
}

/* An array of pointers to int is int *[]. */
void type_names__put(struct type_names *names, struct type_walk *w, struct buf *b, Dwarf_Die type)
{
	const char *layers[TYPE_WALK_DEPTH];
	bool any = true;
	int n = 0;

	for (int i = 0; i < TYPE_WALK_DEPTH && (any = type_walk__peel(&type, false)); i++) {
		layers[n] = behind(dwarf_tag(&type));
		if (layers[n])
			n++;
		else if (!is_of_class(names, w, &type))
			break;
		any = type_walk__type_of(&type, &type);
		if (!any)
			break;
	}
	if (!any) {
		buf__puts(b, "void");
	} else if (dwarf_tag(&type) == DW_TAG_subroutine_type) {
		buf__puts(b, "(function)");
	} else {
		put_name(names, w, b, &type);
	}
	for (int i = n; i-- > 0;) {
		if (*layers[i] != '[' && (i + 1 == n || *layers[i + 1] == '['))
			buf__putc(b, ' ');
		buf__puts(b, layers[i]);
	}
}

/* ---------------------------------------------------------------- how long they are */

static unsigned level(unsigned depth)
{
	return depth < NESTED_MAX ? depth : NESTED_MAX;
}

/* How deep it may go to fit; 0 may be too deep still. */
static unsigned depth_that_fits(const char *name)
{
	size_t bytes[NESTED_MAX + 1] = {0}, opened[NESTED_MAX + 2] = {0}, all = 0;
	unsigned depth = 0, fits = 0;

	for (size_t i = 0; name[i]; i++) {
		const bool bracket = name_is_bracket(name, i);

		if (bracket && name[i] == '>' && depth)
			depth--;
		bytes[level(depth)]++;
		if (bracket && name[i] == '<')
			opened[level(++depth)]++;
	}
	for (unsigned d = 0; d <= NESTED_MAX; d++) {
		all += bytes[d];
		if (all + opened[d + 1] * strlen(HIDDEN) > TYPE_NAME_MAX)
			break;
		fits = d;
	}
	return fits;
}

/* Of the bytes that characters of UTF-8 go on with. */
static bool goes_on(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

void type_names__bound(struct buf *b, const char *name)
{
	const size_t begin = b->len;
	unsigned depth = 0, most;
	size_t end;

	if (strlen(name) <= TYPE_NAME_MAX) {
		buf__puts(b, name);
		return;
	}
	most = depth_that_fits(name);
	for (size_t i = 0; name[i]; i++) {
		const bool bracket = name_is_bracket(name, i);

		if (bracket && name[i] == '>' && depth)
			depth--;
		if (depth <= most)
			buf__putc(b, name[i]);
		if (bracket && name[i] == '<' && depth++ == most)
			buf__puts(b, HIDDEN);
	}
	if (b->len - begin <= TYPE_NAME_MAX)
		return;
	for (end = begin + TYPE_NAME_MAX - strlen(HIDDEN); end > begin && goes_on(b->data[end]);)
		end--;
	b->len = end;
	buf__puts(b, HIDDEN);
}
