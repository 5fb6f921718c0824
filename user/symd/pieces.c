// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/pieces.h"

#include <dwarf.h>

/* In bytes; 0: it isn't the end of a piece, or of none that is whole bytes. */
static uint64_t size_of(const Dwarf_Op *op)
{
	if (op->atom == DW_OP_piece)
		return op->number;
	return op->atom == DW_OP_bit_piece && !op->number2 && op->number % 8 == 0 ? op->number / 8 :
										    0;
}

bool piece__next(const Dwarf_Op *ops, size_t n, struct piece *ret)
{
	const Dwarf_Op *from = ret->ops ? ret->ops + ret->n + 1 : ops;
	uint64_t off;

	if (__builtin_add_overflow(ret->off, ret->size, &off))
		return false;
	for (const Dwarf_Op *op = from; op < ops + n; op++) {
		if (op->atom != DW_OP_piece && op->atom != DW_OP_bit_piece)
			continue;
		*ret = (struct piece){from, (size_t)(op - from), off, size_of(op)};
		return ret->size;
	}
	return false;
}
