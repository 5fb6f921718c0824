/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An instruction, as far as data is concerned, whatever the architecture: which memory it reads and
 * writes, and which registers it overwrites, so that who looks back from a later instruction knows
 * whether what it was addressed by is still there; and where the program goes on.
 */
#ifndef PMUBPF_SYMD_INSN_DATA_H
#define PMUBPF_SYMD_INSN_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whose instructions. */
enum insn_set { INSN_X86_64, INSN_ARM64, INSN_RISCV64 };

enum {
	/* general registers have their encoded numbers; arm64's stack pointer is 31, riscv64's x0
	 * is 0 */
	INSN_REGS = 32,
	INSN_IP = 32, /* as a base: the address of the next instruction */
	INSN_NONE = 0xff,
	INSN_LONGEST = 15,
};

enum { INSN_LOAD = 1, INSN_STORE = 2 };

/* Which bits of the index count. */
enum insn_extend { INSN_WHOLE, INSN_UNSIGNED_32, INSN_SIGNED_32 };

/* base + index * scale + disp, plus the base of fs or gs if segment is 0x64 or 0x65. */
struct insn_memory {
	uint8_t base, index, scale, segment;
	uint8_t access; /* INSN_LOAD, INSN_STORE, or both */
	uint8_t extend; /* enum insn_extend */
	bool loose;     /* where it is depends on more: vectors of indices, bit numbers, repeats */
	uint16_t size;  /* bytes */
	int32_t disp;
};

/* The register is what it was, plus a number. */
struct insn_step {
	uint8_t reg; /* INSN_NONE: there is none */
	int32_t added;
};

enum { INSN_OPERANDS = 2 };

enum insn_flow {
	INSN_GOES_ON,
	INSN_CALLS,
	INSN_BRANCHES, /* perhaps */
	INSN_JUMPS,
	INSN_ENDS, /* a return, or whatever nothing comes after */
};

struct insn_data {
	uint32_t len;
	uint8_t n; /* memory operands: what is explicit comes first */
	bool repeats;
	struct insn_memory mem[INSN_OPERANDS];
	uint32_t written; /* registers, by bit: perhaps more than are, never less */
	struct insn_step steps[INSN_OPERANDS]; /* of those that are written */
	uint8_t flow;                          /* enum insn_flow */
	bool padding;                          /* it only takes room */
	bool has_target; /* of calls, branches and jumps: the code says it… */
	int64_t target;  /* …so far from the instruction's own beginning */
};

/* Adds what is at a register and a distance; there is room. */
static inline struct insn_memory *insn_data__add(struct insn_data *o, unsigned base, unsigned size,
						 uint8_t access, int32_t disp)
{
	struct insn_memory *m = &o->mem[o->n++];

	*m = (struct insn_memory){
		.base = (uint8_t)base,
		.index = INSN_NONE,
		.scale = 1,
		.access = access,
		.size = (uint16_t)size,
		.disp = disp,
	};
	return m;
}

/* Of a file for that machine (ELF's e_machine); false: its instructions aren't known. */
bool insn_set__of(unsigned machine, bool is_64, enum insn_set *ret);
/* False: it isn't an instruction (len 0), or one of which only the length and where the program
 * goes on are known. */
bool insn_data__read(enum insn_set set, const uint8_t *bytes, size_t len, struct insn_data *ret);
/* Its length and where the program goes on, and perhaps no more: that is quicker. */
void insn_data__read_flow(enum insn_set set, const uint8_t *bytes, size_t len,
			  struct insn_data *ret);

#endif
