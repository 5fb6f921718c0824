/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An instruction, as far as probes are concerned, whatever the architecture: what the kernel makes
 * of one on it, and whether it leaves the function that it stands in.
 */
#ifndef PMUBPF_SYMD_PROBED_INSN_H
#define PMUBPF_SYMD_PROBED_INSN_H

#include "symd/insn_data.h"

enum probed_kind {
	PROBED_GOES_ON,
	PROBED_LEADS, /* a jump that says where it leads: inside, or out */
	PROBED_RETURNS,
	PROBED_LEAVES, /* a jump that doesn't say so, in the place of a call and a return */
};

enum { PROBED_SOMETIMES = 0xff };

struct probed_insn {
	uint32_t len;
	uint8_t kind; /* enum probed_kind */
	/* of LEADS: 0: each time; 1 + CONDITION: where that holds, of the flags; PROBED_SOMETIMES:
	 * on something else */
	uint8_t when;
	bool front;      /* stands first because it has to, or is there to be patched */
	bool emulated;   /* the kernel carries it out itself */
	bool unprobed;   /* the kernel refuses a probe on it, or it would do harm */
	bool trap;       /* there is nothing to be probed */
	bool stays;      /* goes on, and the stack pointer is what it was, as far as is known */
	uint64_t target; /* of LEADS */
	uint64_t reads;  /* where it reads data that lies amid the code; 0: nowhere */
};

/* What is remembered of the instructions before; zeroes at a function's beginning. */
struct probed_before {
	size_t number;            /* of the next one */
	size_t picked[INSN_REGS]; /* 1 + when a register got an address of a table; 0: never */
	bool exclusive;           /* amid what mustn't be disturbed */
};

/* The instruction at vaddr, whose bytes these are. False: it isn't one, or not known well
 * enough. */
bool probed_insn__read(enum insn_set set, const uint8_t *bytes, size_t len, uint64_t vaddr,
		       struct probed_before *before, struct probed_insn *ret);

/* A jump by a table of places inside of the function, not in the place of a call: reg got its
 * address lately from a table. Taken for that, an exit is not seen, and its windows are abandoned;
 * the other way around they would end early, and nobody could tell. */
static inline bool probed_before__is_by_table(const struct probed_before *before, unsigned reg)
{
	enum { LATELY = 4 }; /* instructions between what picks an address and the jump there */
	const size_t when = before->picked[reg % INSN_REGS];

	return when && before->number + 1 - when <= LATELY;
}

/* Of one architecture; see above. */
bool x86_probed__read(const uint8_t *bytes, size_t len, uint64_t vaddr,
		      struct probed_before *before, struct probed_insn *ret);

bool arm64_probed__read(const uint8_t *bytes, size_t len, uint64_t vaddr,
			struct probed_before *before, struct probed_insn *ret);

/* Whether the registers that hold a call's first n arguments are left alone. */
bool probed_insn__keeps_arguments(enum insn_set set, const uint8_t *bytes, size_t len, unsigned n);

#endif
