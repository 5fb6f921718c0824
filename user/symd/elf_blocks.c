// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/elf_blocks.h"

#include <stdlib.h>

#include "base/mem.h"
#include "symd/code_blocks.h"

struct elf_blocks {
	uint64_t start, size; /* of the function, as far as it was read */
	struct code_blocks code;
	uint8_t bytes[CODE_BLOCKS_BYTES];
};

static bool is_near(uint64_t start, uint64_t end, uint64_t vaddr)
{
	return start <= vaddr && vaddr < end && vaddr - start < CODE_BLOCKS_BYTES;
}

/* The table for unwinding is quicker to ask than symbols. */
static bool find_extent(struct elf_file *elf, uint64_t vaddr, uint64_t *start, uint64_t *end)
{
	struct elf_name symbol;

	if (elf_file__function(elf, vaddr, start, end) && is_near(*start, *end, vaddr))
		return true;
	if (!elf_file__find(elf, vaddr, &symbol))
		return false;
	*start = symbol.start;
	*end = symbol.end;
	return is_near(*start, *end, vaddr);
}

static struct elf_block block_at(const struct elf_blocks *b, uint64_t vaddr)
{
	return (struct elf_block){code_blocks__class(&b->code, vaddr - b->start),
				  code_blocks__insn(&b->code, vaddr - b->start)};
}

struct elf_block elf_blocks__at(struct elf_blocks **b, struct elf_file *elf, uint64_t vaddr)
{
	uint64_t start, end;
	enum insn_set set;

	if (*b && vaddr - (*b)->start < (*b)->size)
		return block_at(*b, vaddr);
	if (!insn_set__of(elf_file__machine(elf), elf_file__is_64(elf), &set) ||
	    !find_extent(elf, vaddr, &start, &end))
		return (struct elf_block){0};
	if (!*b)
		*b = xcalloc(1, sizeof(**b));
	(*b)->start = start;
	(*b)->size =
		elf_file__read(elf, start, (*b)->bytes,
			       end - start < CODE_BLOCKS_BYTES ? end - start : CODE_BLOCKS_BYTES);
	code_blocks__find(&(*b)->code, set, (*b)->bytes, (*b)->size);
	return block_at(*b, vaddr);
}

struct elf_blocks *elf_blocks__free(struct elf_blocks *b)
{
	free(b);
	return NULL;
}
