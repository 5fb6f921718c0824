// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Compilers put constants of an index into the displacement: of p->children[i - 1] it lies before
 * the array, or into the index, of which nothing is known then: of all before it. So all elements
 * that such steps may lead to count: two arrays of different pointers say nothing, nor does one of
 * pointers if numbers lie there, or behind it.
 */
#include "symd/array_pointers.h"

#include <dwarf.h>

enum { MOST = 256 }; /* elements looked at */

/* What is smaller than a word isn't what such an index leads to. */
static bool may_be_words(struct type_walk *walk, Dwarf_Die type, uint64_t least)
{
	const uint64_t size = type_walk__size(walk, type);

	return !size || size >= least;
}

/* Whatever it is that lies there. */
static bool may_have_arrays(struct type_walk *walk, Dwarf_Die type)
{
	return dwarf_tag(&type) == DW_TAG_union_type &&
	       may_be_words(walk, type, sizeof(void *) + 1);
}

/* What it leads to. False: bytes, or nobody knows. */
static bool led_to(Dwarf *dwarf, Dwarf_Die pointer, uint64_t *ret)
{
	Dwarf_Die to;

	if (!type_walk__type_of(&pointer, &to))
		return false;
	type_walk__plain(&to);
	return type_walk__number(dwarf, &to, ret);
}

static bool find(Dwarf *dwarf, struct type_walk *walk, Dwarf_Die object, int64_t at, uint64_t every,
		 Dwarf_Die *ret)
{
	const bool endless = type_walk__extent(walk, object) == UINT64_MAX;
	const uint64_t size = type_walk__size(walk, object) + (endless ? every : 0);
	const int64_t step = (int64_t)every;
	struct type_walk_in in;
	uint64_t all = 0, to;

	if (every % sizeof(void *) || size / every > MOST)
		return false;
	for (uint64_t off = (uint64_t)((at % step + step) % step); off < size; off += every) {
		/* …but the last one, of which there may be any number */
		const bool before = (int64_t)off < at && off + every < size;
		Dwarf_Die leaf = object;

		if (!type_walk__leaf(walk, &leaf, off, &in)) {
			if (!before && may_have_arrays(walk, leaf))
				return false;
			continue;
		}
		if (!in.array || !may_be_words(walk, leaf, sizeof(void *)))
			continue;
		if (!type_walk__is_pointer(dwarf_tag(&leaf))) {
			if (!before)
				return false;
			continue;
		}
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
	const size_t i = (type + every + (uint64_t)at) % ARRAY_POINTERS_KNOWN;
	Dwarf_Die object;

	if (!a->known[i].asked || a->known[i].type != type || a->known[i].at != at ||
	    a->known[i].every != every) {
		a->known[i].asked = true;
		a->known[i].type = type;
		a->known[i].at = at;
		a->known[i].every = every;
		a->known[i].found = type_walk__entry(dwarf, type, &object) &&
				    find(dwarf, walk, object, at, every, &a->known[i].pointer);
	}
	*ret = a->known[i].pointer;
	return a->known[i].found;
}
