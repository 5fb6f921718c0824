/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The basic blocks of a function's code, and the class of each. A block begins where a jump of the
 * function leads to and behind each jump; calls don't end it. What leads there from elsewhere
 * (tables of addresses) mostly leads behind a jump, too. Pure.
 */
#ifndef PMUBPF_SYMD_CODE_BLOCKS_H
#define PMUBPF_SYMD_CODE_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "pmubpf/block_class.h"
#include "symd/insn_data.h"

enum {
	CODE_BLOCKS_BYTES = 256 * 1024, /* of a function */
	CODE_BLOCK_INSNS = 64,          /* longer blocks are taken in pieces of so many */
};

struct code_blocks {
	enum insn_set set;
	size_t len;
	const uint8_t *bytes; /* borrowed */
	/* Where instructions begin, and blocks: bits, by byte. */
	uint8_t insns[CODE_BLOCKS_BYTES / 8], blocks[CODE_BLOCKS_BYTES / 8];
};

/* bytes: from the function's beginning on; of more than CODE_BLOCKS_BYTES the first. */
void code_blocks__find(struct code_blocks *b, enum insn_set set, const uint8_t *bytes, size_t len);
/* Of the block that holds the instruction at that place; PMB_BLOCK_NONE: none begins there. */
enum pmb_block_class code_blocks__class(const struct code_blocks *b, size_t at);
/* Of that instruction alone. */
enum pmb_block_class code_blocks__insn(const struct code_blocks *b, size_t at);

#endif
