/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * DWARF (2 to 5): the variables and parameters of one function that lie in its frame, each with the
 * stretch of code in which it lies there.
 */
#ifndef PMUBPF_SYMD_FRAME_SLOTS_H
#define PMUBPF_SYMD_FRAME_SLOTS_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symd/type_walk.h"

/* By what DWARF says where one is. */
enum frame_by { FRAME_BY_CFA, FRAME_BY_SP, FRAME_BY_FP, N_FRAME_BYS };

/* A place in the frame, and where the registers point to there: all from the canonical frame
 * address. */
struct frame_place {
	int64_t at;
	int64_t by[N_FRAME_BYS]; /* FRAME_NOWHERE: not known */
};
#define FRAME_NOWHERE INT64_MIN

struct frame_slot {
	uint64_t lo, hi;
	/* which of its bytes lie there: all but for variables in several pieces */
	uint64_t first, size;    /* from, and up to */
	int64_t at;              /* where all of it would begin, from what `by` says */
	uint64_t variable, type; /* type_walk__number() */
	uint32_t depth; /* of the scope that it stands in: those of inlined functions are deeper */
	enum frame_by by;
	bool always; /* it is nowhere else in its scope: its address may be known to others */
};

struct insn_abi;

/* Begins as {.abi = …}. */
struct frame_slots {
	const struct insn_abi *abi;
	struct frame_slot *list;
	size_t n, cap;
	enum frame_by by; /* of the function's frame… */
	int64_t base;     /* …so far behind it; FRAME_NOWHERE: not known */
	bool elsewhere;   /* a variable that is always in the frame lies who knows where in it */
};

/* Takes another function at hand. */
void frame_slots__enter(struct frame_slots *s, Dwarf_Die *function);
/* Adds the variable if that is a place in the frame. False: it is none. */
bool frame_slots__add(struct frame_slots *s, const struct frame_slot *slot, const Dwarf_Op *ops,
		      size_t n);
/* Whether it lies at that place, where the code at vaddr is: then how far behind its beginning. */
bool frame_slot__holds(const struct frame_slot *slot, uint64_t vaddr,
		       const struct frame_place *place, uint64_t *ret_off);
/* Whether any that is always in the frame lies there, wherever the code is, or may do so. */
bool frame_slots__any(const struct frame_slots *s, const struct frame_place *place);
/* The innermost one that lies there with so many bytes. NULL: there is none, or there are
 * several. */
const struct frame_slot *frame_slots__find(const struct frame_slots *s, uint64_t vaddr,
					   const struct frame_place *place, uint64_t bytes);
void frame_slots__done(struct frame_slots *s);

#endif
