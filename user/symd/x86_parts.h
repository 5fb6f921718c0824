/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The parts of an x86-64 instruction, as Intel's manual (volume 2, chapter 2) lays them out:
 *
 * 	[prefixes] [REX | VEX | EVEX] opcode [ModRM [SIB] [displacement]] [immediate]
 *
 * What they mean is for x86_insn.h (stacks) and x86_operand.h (memory) to say.
 */
#ifndef PMUBPF_SYMD_X86_PARTS_H
#define PMUBPF_SYMD_X86_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	X86_AX = 0,
	X86_SP = 4,
	X86_BP = 5,
	X86_DI = 7,
	X86_REX_B = 1,
	X86_REX_X = 2,
	X86_REX_R = 4,
	X86_REX_W = 8,
	X86_LONGEST = 15,
};

enum x86_map { X86_MAP_ONE, X86_MAP_0F, X86_MAP_0F38, X86_MAP_0F3A, X86_MAP_NONE };
enum x86_coding { X86_LEGACY, X86_VEX, X86_EVEX };

struct x86_parts {
	uint32_t len;
	uint8_t map; /* enum x86_map, or what VEX and EVEX say beyond it */
	uint8_t coding;
	uint8_t opcode;
	uint8_t rex;       /* of VEX and EVEX, too */
	uint8_t mandatory; /* which of the opcode's meanings: 0, 1 (66), 2 (f3), 3 (f2) */
	uint8_t segment;   /* 0x64, 0x65, or 0 */
	uint8_t vector;    /* its length: 0, 1, 2 for 16, 32, 64 bytes */
	uint8_t third;     /* the register that VEX names besides */
	bool has_rex, narrow, short_address, rep, locked, broadcast;
	bool has_modrm;
	uint8_t mod, reg, rm; /* reg with its fourth bit, rm without */
	bool has_base, has_index, rip;
	uint8_t base, index, scale; /* base: of mod 3, the register itself */
	uint8_t disp_bytes;
	int32_t disp;
	int64_t imm;
};

/* False: it isn't an instruction, or the bytes are too few. */
bool x86_parts__read(const uint8_t *bytes, size_t len, struct x86_parts *ret);

#endif
