// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Entries don't know what they stand in. A tree is stored from its root on: of entries side by
 * side, it is the last one that begins before.
 */
#include "symd/scope_of.h"

#include <dwarf.h>

#include "base/mem.h"

enum { TREE_DEPTH = 256 };

static bool is_function(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

/* Among those in *at, which becomes it. False: there is none. */
static bool step_down(struct type_walk *w, Dwarf_Off off, Dwarf_Die *at)
{
	bool found = false;
	Dwarf_Die die;

	if (dwarf_child(at, &die) != 0)
		return false;
	do {
		if (dwarf_dieoffset(&die) >= off)
			break;
		*at = die;
		found = true;
	} while (type_walk__may_look(w) && dwarf_siblingof(&die, &die) == 0);
	return found;
}

bool scope_of(struct type_walk *w, Dwarf_Die *die, Dwarf_Die *ret)
{
	Dwarf_Off off = dwarf_dieoffset(die);
	bool found = false;
	Dwarf_Die at;

	if (!dwarf_diecu(die, &at, NULL, NULL))
		return false;
	for (int i = 0; i < TREE_DEPTH && step_down(w, off, &at); i++) {
		if (!is_function(&at))
			continue;
		*ret = at;
		found = true;
	}
	return found;
}

const char *scope_name(Dwarf_Die *function)
{
	static const unsigned attributes[] = {DW_AT_linkage_name, DW_AT_MIPS_linkage_name,
					      DW_AT_name};
	Dwarf_Attribute attribute;

	for (size_t i = 0; i < ARRAY_SIZE(attributes); i++) {
		const char *name =
			dwarf_formstring(dwarf_attr_integrate(function, attributes[i], &attribute));

		if (name && *name)
			return name;
	}
	return NULL;
}

/* Of several parts the one where it is entered comes first. */
uint64_t scope_entry(Dwarf_Die *function)
{
	Dwarf_Addr base, entry, end;

	if (dwarf_entrypc(function, &entry) == 0 ||
	    dwarf_ranges(function, 0, &base, &entry, &end) > 0)
		return entry;
	return 0;
}
