/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What one instruction makes of what registers are before it: what code_values.h goes through a
 * function with. */
#ifndef PMUBPF_SYMD_CODE_EFFECTS_H
#define PMUBPF_SYMD_CODE_EFFECTS_H

#include "symd/code_steps.h"
#include "symd/code_values.h"
#include "symd/insn_abi.h"

/* A pointer, or a number, that a compiler put into the frame, where no variable lies, for lack of
 * registers. */
struct code_spill {
	int64_t at; /* from the canonical frame address */
	struct code_value value;
};

enum { CODE_SPILLS = 12 };

struct code_state {
	struct code_value regs[INSN_REGS];     /* as many as the architecture has */
	struct code_spill spills[CODE_SPILLS]; /* of kind NONE: none */
};

/* What a call gives, by what it is used for: a variable, a member, an argument. */
struct code_site {
	struct call_facts facts;
	bool used, several;
	struct pointee to;
};

/* What is known of the function. */
struct code_effects {
	const uint8_t *bytes;
	const struct code_values_fns *fns;
	const struct insn_abi *abi;
	struct code_site *sites; /* by steps' numbers, from 1 on */
	size_t n_sites, cap_sites;
	/* In the frame, where something else is stored than the variable there is declared to point
	 * to. */
	int64_t *recast;
	size_t n_recast, cap_recast;
	/* Where pointers to one of several numbers are stored, side by side. */
	int64_t *rows;
	size_t n_rows, cap_rows;
};

/* Before the instruction. */
void code_effects__run(const struct code_effects *e, struct code_state *s,
		       const struct code_step *insn);
/* What a register is there, also by the variable that is in it. */
struct code_value code_effects__value(const struct code_effects *e, const struct code_state *s,
				      size_t off, unsigned reg);
/* Whether it is a pointer to one of several of that type. */
bool code_effects__is_row(const struct code_value *v, const struct pointee *of);
/* A variable says more where nothing else is known, or of a class if a base of it is known. */
struct code_value code_effects__kept(const struct code_effects *e, const struct code_state *s,
				     size_t off, unsigned reg);
/* What a call gave is of the type that it is used for. */
struct code_value code_effects__typed(const struct code_effects *e, struct code_value v);
struct code_value code_effects__address(const struct code_effects *e, const struct code_state *s,
					const struct code_step *insn, const struct insn_memory *m);
struct code_value code_effects__loaded(const struct code_effects *e, const struct code_state *s,
				       const struct code_step *insn, const struct insn_memory *m);
struct frame_place code_effects__frame(const struct code_effects *e, const struct code_state *s,
				       size_t off, int64_t at);
/* Which pointer a variable of the frame is declared as. */
bool code_effects__declared(const struct code_effects *e, const struct code_state *s, size_t off,
			    const struct code_value *where, struct pointee *ret);
/* A variable that is a pointer to a number says less than where that lies in, if it is known. */
bool code_effects__lies_in(const struct pointee *number, const struct code_value *in);
/* Registers, by bit; of an instruction that isn't known all of them. */
uint32_t code_effects__written(const struct code_effects *e, const struct code_step *insn);
/* Names what nobody knows, by where the instruction is before which it is so: what was written
 * right before has got no name yet. */
void code_effects__name(struct code_state *s, unsigned n_regs, uint64_t at);
void code_effects__forget(const struct code_effects *e, struct code_state *s, uint32_t regs);

#endif
