/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What functions of interpreters say of themselves: bytes of programs, which nobody looks into here
 * (the helper does, in the end). The same function has the same number in all processes.
 */
#ifndef PMUBPF_MODEL_OBJECTS_H
#define PMUBPF_MODEL_OBJECTS_H

#include <stddef.h>
#include <stdint.h>

enum {
	OBJECT_BOUNDARY = 0,         /* between frames of two native ones: no function */
	OBJECT_UNKNOWN = UINT32_MAX, /* it never came */
	OBJECT_NO_ROOM = UINT32_MAX - 1,
	/* No function: positions of those that follow are frames of the stack, from 1 on. */
	OBJECT_IN_STACK = UINT32_MAX - 2,
};

/* A frame's place: which object, and where in it (pmubpf/python.h; 0: not known, or nobody asked).
 */
enum { OBJECT_POSITION_BITS = 16 };
static inline uint64_t placed_object(uint32_t number, uint32_t position)
{
	return (uint64_t)number << OBJECT_POSITION_BITS | position;
}
static inline uint32_t object_number(uint64_t place)
{
	return (uint32_t)(place >> OBJECT_POSITION_BITS);
}
static inline uint32_t object_position(uint64_t place)
{
	return place & ((1 << OBJECT_POSITION_BITS) - 1);
}

struct objects;

/* limit: bytes of memory; 0: any. */
struct objects *objects__new(size_t limit);
struct objects *objects__free(struct objects *o); /* NULL is fine; returns NULL */
/* Their number, or OBJECT_NO_ROOM. */
uint32_t objects__add(struct objects *o, const void *data, size_t size);
/* NULL: none has that number. */
const void *objects__get(const struct objects *o, uint32_t number, size_t *ret_size);

#endif
