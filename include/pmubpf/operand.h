/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the helper knows of a place in a file's code: which memory the instruction addresses that an
 * overflow there is about, from the registers that the overflow brought. Who includes this brings
 * uint8_t and so on.
 */
#ifndef PMUBPF_OPERAND_H
#define PMUBPF_OPERAND_H

/* Where the instruction lies that an overflow is about. */
enum pmb_skid {
	PMB_SKID_NONE,  /* it is about no data */
	PMB_SKID_EXACT, /* where it interrupted: faults */
	/* the same, and the address is that of a word that it touches: arm64's watchpoints */
	PMB_SKID_BEFORE,
	PMB_SKID_AFTER, /* just before, and such an address: traps, as x86's watchpoints */
	PMB_SKID_SOME,  /* before, and nobody knows how far: clocks, counters */
	PMB_SKID_NEAR,  /* the same, of a sample with an address, which tells one of several */
	PMB_N_SKIDS,
};

/* What came of looking for it. */
enum pmb_finding {
	PMB_PLACE_FOUND,
	PMB_PLACE_BLOCKED,    /* a call, a return, a jump or the function's beginning is before */
	PMB_PLACE_TARGET,     /* a jump leads to there: what was before isn't known */
	PMB_PLACE_FAR,        /* not within so many instructions */
	PMB_PLACE_NO_OPERAND, /* the instruction addresses no memory */
	PMB_PLACE_UNKNOWN,    /* code that can't be read or decoded */
	PMB_N_FINDINGS,
};

enum {
	/* Registers, by their encoded numbers; then what isn't one of them. */
	PMB_REG_IP = 32,
	PMB_REG_FS = 33,
	PMB_REG_NONE = 0xff,
	PMB_PLACE_OPERANDS = 24,
};

enum {
	PMB_OPERAND_LOAD = 1,
	PMB_OPERAND_STORE = 2,
	PMB_OPERAND_LOST = 4,      /* a register of it was overwritten since */
	PMB_OPERAND_LOOSE = 8,     /* where it is depends on more than that */
	PMB_OPERAND_VARIABLE = 16, /* the object is one in the frame */
	PMB_OPERAND_AT = 32,       /* where in it is known without the registers */
	/* of the index only the lower half counts */
	PMB_OPERAND_UNSIGNED_32 = 64,
	PMB_OPERAND_SIGNED_32 = 128,
};

/*
 * base + index * scale + segment + disp; IP is where the overflow interrupted. What is addressed
 * may lie in an object of a known type, which begins at `object` + start; or, if `every` isn't 0,
 * in one of many that lie there so far from each other. Of a variable in the frame its own entry
 * stands for the type's. With AT the type is known though `object` may be none, and `at` is where
 * in it.
 */
struct pmb_operand {
	uint8_t base, index, scale, segment; /* scale: a power of two; segment: FS or NONE */
	uint8_t flags;
	uint8_t object; /* a register, or NONE: the type isn't known */
	uint16_t size;
	uint8_t which;        /* of its instruction's operands… */
	int32_t insn;         /* …which lies so far from the place */
	uint32_t type, every; /* type: where its entry is in .debug_info */
	uint32_t at;
	int64_t disp, start;
};

/* Whether the file's debug information is of that code: without it no type is known. */
enum pmb_described {
	PMB_DESCRIBED_NOT_ASKED,
	PMB_DESCRIBED_NOT,
	PMB_DESCRIBED,
	PMB_N_DESCRIBED,
};

struct pmb_place {
	uint8_t finding;
	uint8_t n;
	uint8_t len;       /* of the instruction at the place; 0: not known */
	uint8_t described; /* enum pmb_described */
	struct pmb_operand operands[PMB_PLACE_OPERANDS];
};

/* As far as there are operands. */
#define PMB_PLACE_BYTES(place) \
	(offsetof(struct pmb_place, operands) + (place)->n * sizeof((place)->operands[0]))

#endif
