/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An x86-64 instruction, as far as data is concerned: which memory it reads and writes, and which
 * registers it overwrites, so that who looks back from a later instruction knows whether what it
 * was addressed by is still there.
 */
#ifndef PMUBPF_SYMD_X86_OPERAND_H
#define PMUBPF_SYMD_X86_OPERAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/* general registers have their encoded numbers: ax cx dx bx sp bp si di r8… */
	X86_REGS = 16,
	X86_IP = 16, /* as a base: the address of the next instruction */
	X86_NONE = 0xff,
};

enum { X86_LOAD = 1, X86_STORE = 2 };

/* base + index * scale + disp, plus the base of fs or gs if segment is 0x64 or 0x65. */
struct x86_memory {
	uint8_t base, index, scale, segment;
	uint8_t access; /* X86_LOAD, X86_STORE, or both */
	bool loose;     /* where it is depends on more: vectors of indices, bit numbers, repeats */
	uint16_t size;  /* bytes */
	int32_t disp;
};

/* The register is what it was, plus a number. */
struct x86_step {
	uint8_t reg; /* X86_NONE: there is none */
	int32_t added;
};

enum { X86_OPERANDS = 2 };

struct x86_operand {
	uint32_t len;
	uint8_t n; /* memory operands: what is explicit comes first */
	bool repeats;
	struct x86_memory mem[X86_OPERANDS];
	uint16_t written; /* registers, by bit: perhaps more than are, never less */
	struct x86_step steps[X86_OPERANDS]; /* of those that are written */
};

/* False: it isn't an instruction (len 0), or one of which only the length is known. */
bool x86_operand__read(const uint8_t *bytes, size_t len, struct x86_operand *ret);

#endif
