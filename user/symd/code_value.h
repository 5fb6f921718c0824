/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What may be in a register: a pointer into an object of a type, a place in the frame, a multiple
 * of a number. Pure. */
#ifndef PMUBPF_SYMD_CODE_VALUE_H
#define PMUBPF_SYMD_CODE_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "symd/pointees.h"

enum code_value_kind {
	CODE_VALUE_NONE,    /* nothing came there yet */
	CODE_VALUE_NUMBER,  /* at, plus any multiple of every; or if two, just once, or not */
	CODE_VALUE_POINTER, /* so much behind where an object of the type begins */
	CODE_VALUE_FRESH,   /* the same of what a call gave: its number stands for the type */
	CODE_VALUE_FRAME,   /* behind the canonical frame address */
	CODE_VALUE_ADDRESS, /* in the file, behind where the function begins */
	CODE_VALUE_ANY,
};

struct code_value {
	enum code_value_kind kind;
	struct pointee to; /* at, every, two; of a pointer the rest, too */
	/* Of a number, or ANY: a name of what nobody knows, of which it is so many times more.
	 * Within straight code the same name is the same number; 0: it has none. */
	uint64_t name;
	int64_t times;
};

/* Whether an object of a type has one of the other's at `at`. */
struct code_value_types {
	bool (*holds)(void *ctx, const struct pointee *outer, const struct pointee *inner);
	void *ctx;
};

struct code_value code_value__any(void);
struct code_value code_value__number(int64_t value, uint64_t every);
/* Nothing is known of what is further away than any object is large. */
struct code_value code_value__checked(struct code_value v);
/* Nobody knows what it is, and it is called so. */
struct code_value code_value__named(uint64_t name);
/* Or a number more than that. */
bool code_value__is_unknown(const struct code_value *v);
/* Where names mean nothing any more. */
struct code_value code_value__unnamed(struct code_value v);
/* Of which only lower bits count. */
struct code_value code_value__half(const struct code_value *v);
struct code_value code_value__times(const struct code_value *v, int64_t by);
/* a + b * scale + more. */
struct code_value code_value__sum(const struct code_value *a, const struct code_value *b,
				  unsigned scale, int64_t more);
/* a - b */
struct code_value code_value__difference(const struct code_value *a, const struct code_value *b);
/* One value, added to itself: v * times + more. Also of what nobody knows it is a multiple. */
struct code_value code_value__twice(const struct code_value *v, unsigned times, int64_t more);
/* What is both of them, where ways meet. True if there is something new in it. */
bool code_value__join(struct code_value *to, const struct code_value *from,
		      const struct code_value_types *types);

#endif
