// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Compilers put constants of an index into the displacement: of p->children[i - 1] it lies before
 * the array. So all elements that such steps may lead to count, and two arrays of different
 * pointers say nothing.
 */
#include "symd/array_pointers.h"

enum { MOST = 256 }; /* elements looked at */

/* What it leads to. False: bytes, or nobody knows. */
static bool led_to(Dwarf *dwarf, Dwarf_Die pointer, uint64_t *ret)
{
	Dwarf_Die to;

	if (!type_walk__type_of(&pointer, &to))
		return false;
	type_walk__plain(&to);
	return type_walk__number(dwarf, &to, ret);
}

static bool find(Dwarf *dwarf, struct type_walk *walk, Dwarf_Die object, uint64_t first,
		 uint64_t every, Dwarf_Die *ret)
{
	const bool endless = type_walk__extent(walk, object) == UINT64_MAX;
	const uint64_t size = type_walk__size(walk, object) + (endless ? every : 0);
	struct type_walk_in in;
	uint64_t all = 0, to;

	if (every % sizeof(void *) || size / every > MOST)
		return false;
	for (uint64_t off = first; off < size; off += every) {
		Dwarf_Die leaf = object;

		if (!type_walk__leaf(walk, &leaf, off, &in) || !in.array ||
		    !type_walk__is_pointer(dwarf_tag(&leaf)))
			continue;
		if (!led_to(dwarf, leaf, &to) || (all && to != all))
			return false;
		all = to;
		*ret = leaf;
	}
	return all;
}

bool array_pointers__find(struct array_pointers *a, Dwarf *dwarf, struct type_walk *walk,
			  uint64_t type, int64_t at, uint64_t every, Dwarf_Die *ret)
{
	const size_t i = (type + every) % ARRAY_POINTERS_KNOWN;
	const int64_t step = (int64_t)every;
	Dwarf_Die object;

	if (!a->known[i].asked || a->known[i].type != type || a->known[i].at != at ||
	    a->known[i].every != every) {
		a->known[i].asked = true;
		a->known[i].type = type;
		a->known[i].at = at;
		a->known[i].every = every;
		a->known[i].found = type_walk__entry(dwarf, type, &object) &&
				    find(dwarf, walk, object, (uint64_t)((at % step + step) % step),
					 every, &a->known[i].pointer);
	}
	*ret = a->known[i].pointer;
	return a->known[i].found;
}
