/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* DWARF: which pointer lies in the arrays of an object, where an index leads: p->children[i], of
 * which nobody knows where the array begins. */
#ifndef PMUBPF_SYMD_ARRAY_POINTERS_H
#define PMUBPF_SYMD_ARRAY_POINTERS_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "symd/type_walk.h"

enum { ARRAY_POINTERS_KNOWN = 256 };

/* Begins as {0}. */
struct array_pointers {
	struct {
		uint64_t type, every;
		int64_t at;
		Dwarf_Die pointer;
		bool asked, found;
	} known[ARRAY_POINTERS_KNOWN]; /* the same is asked again and again */
};

/* At `at` plus any multiple of every, in an object of that type: the pointers' type, if all that
 * may be meant lead to one. False: they don't, there are none, or numbers may be meant. */
bool array_pointers__find(struct array_pointers *a, Dwarf *dwarf, struct type_walk *walk,
			  uint64_t type, int64_t at, uint64_t every, Dwarf_Die *ret);

#endif
