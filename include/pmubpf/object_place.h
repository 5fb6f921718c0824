/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A place in an object of some type of a file, as a place of data in it (pmubpf/data_place.h): by
 * the number of the type's entry (symd/type_walk.h), and an offset. Or in a variable that lies in a
 * frame, by its entry. Who includes this brings __u64.
 */
#ifndef PMUBPF_OBJECT_PLACE_H
#define PMUBPF_OBJECT_PLACE_H

#include "pmubpf/data_place.h"

#define OBJECT_PLACE_MARK (DATA_PLACE_MARK | 1ULL << 62)
#define OBJECT_PLACE_VARIABLE (1ULL << 61) /* the entry is a variable's */
#define OBJECT_PLACE_ENTRY_BITS 32
#define OBJECT_PLACE_OFF_BITS 29
#define OBJECT_PLACE_ENTRY_MAX ((1ULL << OBJECT_PLACE_ENTRY_BITS) - 1)
#define OBJECT_PLACE_OFF_MAX ((1ULL << OBJECT_PLACE_OFF_BITS) - 1)

/* Neither is more than it may be at most. */
static inline __u64 object_place(__u64 entry, __u64 off)
{
	return OBJECT_PLACE_MARK | entry << OBJECT_PLACE_OFF_BITS | off;
}

static inline int is_object_place(__u64 place)
{
	return (place & OBJECT_PLACE_MARK) == OBJECT_PLACE_MARK;
}

static inline int is_variable_place(__u64 place)
{
	return is_object_place(place) && (place & OBJECT_PLACE_VARIABLE);
}

static inline __u64 object_place_entry(__u64 place)
{
	return place >> OBJECT_PLACE_OFF_BITS & OBJECT_PLACE_ENTRY_MAX;
}

static inline __u64 object_place_off(__u64 place)
{
	return place & OBJECT_PLACE_OFF_MAX;
}

#endif
