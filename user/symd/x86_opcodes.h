/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is known of each opcode's operands, in letters, by map (enum x86_map) and opcode. The
 * alphabets stand at the tables; x86_operand.c reads them.
 */
#ifndef PMUBPF_SYMD_X86_OPCODES_H
#define PMUBPF_SYMD_X86_OPCODES_H

#include <stdint.h>

struct x86_opcode {
	char size;    /* of what it has in memory; '.': nothing; '?': it is not known */
	char access;  /* what is done to that; 0: it is loaded */
	char written; /* registers that are overwritten; 0: none */
};

/* map: X86_MAP_ONE to X86_MAP_0F3A */
struct x86_opcode x86_opcode__of(uint8_t map, uint8_t opcode);

#endif
