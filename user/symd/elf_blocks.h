/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The class of the basic block at a place in a file (code_blocks.h). The function that was looked
 * at last is kept: places come in order. */
#ifndef PMUBPF_SYMD_ELF_BLOCKS_H
#define PMUBPF_SYMD_ELF_BLOCKS_H

#include <stdint.h>

#include "pmubpf/block_class.h"
#include "symd/elf_file.h"

struct elf_blocks; /* NULL: nothing was looked at yet */

struct elf_block {
	enum pmb_block_class class, insn; /* of the block, of the instruction itself */
};

/* PMB_BLOCK_NONE: of another machine, in no function that the file tells of, or too far from where
 * it begins. */
struct elf_block elf_blocks__at(struct elf_blocks **b, struct elf_file *elf, uint64_t vaddr);
/* Before another file's turn. NULL is fine; returns NULL. */
struct elf_blocks *elf_blocks__free(struct elf_blocks *b);

#endif
