/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The conditional jumps of a function, and which of them may be probed: those that are surely
 * instructions, and that the kernel carries out itself. Or its instructions of a class, at which
 * nothing is changed: breakpoints of the CPU's are for these. Pure; x86-64.
 */
#ifndef PMUBPF_SYMD_CODE_BRANCHES_H
#define PMUBPF_SYMD_CODE_BRANCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmubpf/block_class.h"
#include "symd/protocol.h"

struct code_branch {
	uint32_t at;       /* from the function's beginning */
	uint8_t condition; /* as the opcode has it, 0 to 15; of others than jcc 0 */
	uint8_t why;       /* enum symd_branch_why */
};

struct code_branches {
	struct code_branch of[SYMD_BRANCHES_MAX]; /* ascending */
	uint32_t n;
	uint32_t n_all; /* with those that found no room */
};

/* Whether somebody else (the compiler) says that an instruction begins there. */
typedef bool (*code_begins_fn)(void *ctx, uint64_t vaddr);

/*
 * In the bytes of a function at vaddr; class: PMB_BLOCK_NONE for conditional jumps. An instruction
 * is one for sure that is reached from the function's beginning through jumps that say where they
 * lead, or from a place where `begins` says that one begins (NULL: nobody says). False: they lead
 * amid instructions, so which these are isn't known; of a class there is what was read in a row
 * then.
 */
bool code_branches__find(const uint8_t *code, size_t len, uint64_t vaddr,
			 enum pmb_block_class class, code_begins_fn begins, void *ctx,
			 struct code_branches *ret);

#endif
