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

#include "symd/code_value.h"
#include "symd/insn_data.h"

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
	/* Whether a variable lies there all the time, be it a pointer or not: others may store
	 * there. */
	bool (*any_variable)(void *ctx, size_t off, const struct frame_place *place);
	/* …at an address, that is so far from the function. */
	bool (*at_address)(void *ctx, int64_t off, struct pointee *ret);
	/* What is known of the call behind which that instruction is; of a function that begins at
	 * `called`; 0: nobody knows of which. */
	void (*call)(void *ctx, size_t next, int64_t called, struct call_facts *ret);
	/* As code_value_types has it. */
	bool (*holds)(void *ctx, const struct pointee *outer, const struct pointee *inner);
	void *ctx;
	enum insn_set set;
	uint64_t vaddr; /* where the function lies in the file */
	bool entry; /* the code is entered there, with a frame of which nothing is taken yet: it is
		     * no part that the compiler put elsewhere */
	bool returns; /* a pointer, to `returned` */
	struct pointee returned;
	bool go; /* a call leaves nothing in registers, and what it takes is where DWARF says */
};

struct code_values;

/* Both borrowed. NULL: too much code, or it doesn't come to an end. */
struct code_values *code_values__new(const uint8_t *bytes, size_t len,
				     const struct code_values_fns *fns);
struct code_values *code_values__free(struct code_values *c); /* NULL is fine; returns NULL */
/* Before the instruction at off. */
void code_values__at(struct code_values *c, size_t off, unsigned reg, struct code_value *ret);
/* Of a register that is another one plus something, before the instruction at off: which one, that
 * points into an object, and stays as it is up to the instruction at `until`; and what that is. */
bool code_values__origin(struct code_values *c, size_t off, size_t until, unsigned reg,
			 uint8_t *ret_reg, struct code_value *ret);
/* So far from the canonical frame address, before the instruction at off. */
struct frame_place code_values__frame(struct code_values *c, size_t off, int64_t at);

#endif
