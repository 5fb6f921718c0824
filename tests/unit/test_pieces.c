// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <dwarf.h>

#include "base/mem.h"
#include "symd/pieces.h"

Test(pieces, one_after_the_other)
{
	static const Dwarf_Op ops[] = {
		{.atom = DW_OP_reg5},
		{.atom = DW_OP_piece, .number = 8}, /* in a register */
		{.atom = DW_OP_piece, .number = 4}, /* nowhere */
		{.atom = DW_OP_breg3},
		{.atom = DW_OP_stack_value},
		{.atom = DW_OP_bit_piece, .number = 32}, /* a value */
		{.atom = DW_OP_reg4},                    /* what has no end is none */
	};
	struct piece p = {0};

	cr_assert(piece__next(ops, ARRAY_SIZE(ops), &p));
	cr_expect(p.ops == ops && p.n == 1 && p.off == 0 && p.size == 8);
	cr_assert(piece__next(ops, ARRAY_SIZE(ops), &p));
	cr_expect(p.n == 0 && p.off == 8 && p.size == 4);
	cr_assert(piece__next(ops, ARRAY_SIZE(ops), &p));
	cr_expect(p.ops == ops + 3 && p.n == 2 && p.off == 12 && p.size == 4);
	cr_expect(!piece__next(ops, ARRAY_SIZE(ops), &p));
}

Test(pieces, that_are_none)
{
	static const Dwarf_Op whole = {.atom = DW_OP_reg5};
	static const Dwarf_Op bits = {.atom = DW_OP_bit_piece, .number = 5};
	static const Dwarf_Op huge[] = {{.atom = DW_OP_piece, .number = UINT64_MAX},
					{.atom = DW_OP_piece, .number = 8},
					{.atom = DW_OP_piece, .number = 8}};
	struct piece p = {0};

	cr_expect(!piece__next(&whole, 1, &p));
	cr_expect(!piece__next(NULL, 0, &p));
	p = (struct piece){0};
	cr_expect(!piece__next(&bits, 1, &p), "of bits");
	p = (struct piece){0};
	cr_assert(piece__next(huge, ARRAY_SIZE(huge), &p));
	cr_assert(piece__next(huge, ARRAY_SIZE(huge), &p));
	cr_expect(!piece__next(huge, ARRAY_SIZE(huge), &p), "beyond what counts");
}
