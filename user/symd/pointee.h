/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* DWARF (2 to 5): what a pointer leads to. */
#ifndef PMUBPF_SYMD_POINTEE_H
#define PMUBPF_SYMD_POINTEE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "symd/type_walk.h"

struct pointee {
	uint64_t type;  /* of the object: type_walk__number() */
	uint64_t size;  /* in bytes */
	int64_t at;     /* the pointer points so far behind where the object begins… */
	uint64_t every; /* …plus any multiple of this… */
	bool two;       /* …or just once, or not */
	bool aggregate; /* it has members… */
	bool endless;   /* …and the last one is an array of any length */
	bool row;       /* it is one of several side by side */
	/* The type of a container's node that begins with it, if what is behind it is asked for;
	 * 0: of none. */
	uint64_t node;
};

/* Of a pointer to that type. False: to bytes, which may be anything, or nobody knows. */
bool pointee__object(Dwarf *dwarf, struct type_walk *walk, Dwarf_Die type, struct pointee *ret);
/* Of a pointer or a reference. */
bool pointee__pointer(Dwarf *dwarf, struct type_walk *walk, Dwarf_Die type, struct pointee *ret);

#endif
