/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What registers are at each instruction of a function: pointers into objects of a type, places in
 * the frame, multiples of numbers. Followed along all ways that the code takes, from what DWARF
 * says of some of them at some places, and of members that are pointers.
 */
#ifndef PMUBPF_SYMD_CODE_VALUES_H
#define PMUBPF_SYMD_CODE_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symd/pointees.h"

enum code_value_kind {
	CODE_VALUE_NONE,    /* nothing came there yet */
	CODE_VALUE_NUMBER,  /* at, plus any multiple of every */
	CODE_VALUE_POINTER, /* so much behind where an object of the type begins */
	CODE_VALUE_FRAME,   /* behind the canonical frame address */
	CODE_VALUE_ANY,
};

struct code_value {
	enum code_value_kind kind;
	struct pointee to; /* at, every; of a pointer the rest, too */
};

/* Who knows more of pointers. off is that of an instruction in the function. */
struct code_values_fns {
	/* Which pointer is in the register there. */
	bool (*held)(void *ctx, size_t off, unsigned reg, struct pointee *ret);
	/* Whether that may be so no more where the next instruction is. */
	bool (*ends)(void *ctx, size_t off, size_t next);
	/* Which pointer lies there: in an object… */
	bool (*in_object)(void *ctx, const struct pointee *where, struct pointee *ret);
	/* …in the frame… */
	bool (*in_frame)(void *ctx, size_t off, const struct frame_place *place,
			 struct pointee *ret);
	/* …at an address, that is so far from the function. */
	bool (*at_address)(void *ctx, int64_t off, struct pointee *ret);
	/* Which one the function returns that begins there. */
	bool (*returned)(void *ctx, int64_t off, struct pointee *ret);
	void *ctx;
};

struct code_values;

/* Both borrowed. NULL: too much code, or it doesn't come to an end. */
struct code_values *code_values__new(const uint8_t *bytes, size_t len,
				     const struct code_values_fns *fns);
struct code_values *code_values__free(struct code_values *c); /* NULL is fine; returns NULL */
/* Before the instruction at off. */
void code_values__at(const struct code_values *c, size_t off, unsigned reg, struct code_value *ret);

/* So far from the canonical frame address, before the instruction at off. */
struct frame_place code_values__frame(const struct code_values *c, size_t off, int64_t at);

/* Pure: a + b * scale + more. */
struct code_value code_value__sum(const struct code_value *a, const struct code_value *b,
				  unsigned scale, int64_t more);

#endif
