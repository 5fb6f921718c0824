/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Functions in machine code, for tests of what their registers and frames hold. */
#ifndef TESTS_UNIT_CODE_VALUES_BY_HAND_H
#define TESTS_UNIT_CODE_VALUES_BY_HAND_H

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "symd/code_values.h"

/* di points to a node of 32 bytes, whose member
 * at 8 points to another one, and so does that at 16 where it is one of the two; so does what lies
 * at the frame's -24. What lies at its -32 points to a number, which a node begins with; at its -48
 * lies a variable that is no pointer. */

enum { AX, CX, DX, BX, SP, BP, SI, DI };
enum { NODE = 7, SIZE = 32, LINK = 8, SLOT = -24, WORD = 11, OF_WORD = -32, NO_POINTER = -48 };

#define CODE(text) (const uint8_t *)(text), sizeof(text) - 1

static inline bool node(struct pointee *ret)
{
	*ret = (struct pointee){.type = NODE, .size = SIZE, .aggregate = true};
	return true;
}

/* As a parameter, until the code has begun. */
static inline bool held(void *ctx, size_t off, unsigned reg, struct pointee *ret)
{
	(void)ctx;
	return off == 0 && reg == DI && node(ret);
}

static size_t gone_over; /* instructions, one by one */

static inline bool ends(void *ctx, size_t off, size_t next)
{
	(void)ctx;
	(void)next;
	gone_over++;
	return off == 0;
}

static inline bool in_object(void *ctx, const struct pointee *where, struct pointee *ret)
{
	(void)ctx;
	const bool one = where->at == LINK && !where->every;
	const bool both = where->at == LINK && where->every == 8 && where->two;

	return where->type == NODE && (one || both) && node(ret);
}

static inline bool in_frame(void *ctx, size_t off, const struct frame_place *place,
			    struct pointee *ret)
{
	(void)ctx;
	(void)off;
	*ret = (struct pointee){.type = WORD, .size = 8};
	return place->at == OF_WORD || (place->at == SLOT && node(ret));
}

static inline bool any_variable(void *ctx, size_t off, const struct frame_place *place)
{
	(void)ctx;
	(void)off;
	return place->at == NO_POINTER || place->at == OF_WORD;
}

static inline bool at_address(void *ctx, int64_t off, struct pointee *ret)
{
	(void)ctx;
	return (off == 0x107 || off == 0x108) && node(ret);
}

enum { DERIVED = 9, FUNCTION = 0x100 };

/* By how far behind the call the function begins: it returns a node, doesn't return, returns what
 * it is used for, takes a node. */
static inline void call(void *ctx, size_t next, int64_t called, struct call_facts *ret)
{
	(void)ctx;
	(void)next;
	*ret = (struct call_facts){.never = called == FUNCTION + 1,
				   .fresh = called == FUNCTION + 2};
	if (called == FUNCTION)
		ret->returns = node(&ret->returned);
	if (called == FUNCTION + 3)
		ret->takes = node(&ret->taken);
}

/* A node is the first part of what is derived from it, and a number that of a node. */
static inline bool holds(void *ctx, const struct pointee *outer, const struct pointee *inner)
{
	(void)ctx;
	return outer->at == inner->at && (outer->type == inner->type || outer->type == DERIVED ||
					  (outer->type == NODE && inner->type == WORD));
}

static inline struct code_values_fns fns_of(enum insn_set set, bool go)
{
	return (struct code_values_fns){
		.held = held,
		.ends = ends,
		.in_object = in_object,
		.in_frame = in_frame,
		.any_variable = any_variable,
		.at_address = at_address,
		.call = call,
		.holds = holds,
		.entry = true,
		.set = set,
		.go = go,
	};
}

#endif
