/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A place in an object of some type of a file, as a place of data in it (pmubpf/data_place.h): by
 * where in .debug_info the type's entry is, and an offset. Who includes this brings __u64.
 */
#ifndef PMUBPF_OBJECT_PLACE_H
#define PMUBPF_OBJECT_PLACE_H

#include "pmubpf/data_place.h"

#define OBJECT_PLACE_MARK (DATA_PLACE_MARK | 1ULL << 62)
#define OBJECT_PLACE_BITS 31 /* of each of the two */
#define OBJECT_PLACE_MASK ((1ULL << OBJECT_PLACE_BITS) - 1)

/* type and off have OBJECT_PLACE_BITS at most. */
static inline __u64 object_place(__u64 type, __u64 off)
{
	return OBJECT_PLACE_MARK | type << OBJECT_PLACE_BITS | off;
}

static inline int is_object_place(__u64 place)
{
	return (place & OBJECT_PLACE_MARK) == OBJECT_PLACE_MARK;
}

static inline __u64 object_place_type(__u64 place)
{
	return place >> OBJECT_PLACE_BITS & OBJECT_PLACE_MASK;
}

static inline __u64 object_place_off(__u64 place)
{
	return place & OBJECT_PLACE_MASK;
}

#endif
