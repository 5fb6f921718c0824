// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which variable of a frame lies at a place, by operations of DWARF put together by hand. */
#include <criterion/criterion.h>
#include <dwarf.h>

#include "base/mem.h"
#include "symd/frame_slots.h"
#include "symd/insn_abi.h"

enum { OUTER = 1, INNER, TWIN, BY_SP, BY_BP };

static const struct frame_place nowhere = {
	.by = {0, FRAME_NOWHERE, FRAME_NOWHERE},
};

static struct frame_slots slots;

static bool add(Dwarf_Off variable, uint32_t depth, uint8_t atom, int64_t number)
{
	const struct frame_slot slot = {.lo = 0x100,
					.hi = 0x200,
					.size = 16,
					.variable = variable,
					.depth = depth};
	const Dwarf_Op op = {.atom = atom, .number = (uint64_t)number};

	return frame_slots__add(&slots, &slot, &op, 1);
}

/* As if the function's frame began at its canonical address. */
static void init(void)
{
	slots = (struct frame_slots){.abi = insn_abi__of(INSN_X86_64), .by = FRAME_BY_CFA};
}

static void done(void)
{
	frame_slots__done(&slots);
}

static Dwarf_Off at(uint64_t vaddr, int64_t where, int64_t sp, int64_t bp, uint64_t bytes)
{
	const struct frame_place place = {.at = where, .by = {0, sp, bp}};
	const struct frame_slot *found = frame_slots__find(&slots, vaddr, &place, bytes);

	return found ? found->variable : 0;
}

Test(frame_slots, where_one_lies, .init = init, .fini = done)
{
	cr_assert(add(OUTER, 0, DW_OP_fbreg, -32));
	cr_expect_eq(at(0x100, -32, FRAME_NOWHERE, FRAME_NOWHERE, 8), OUTER, "it begins there");
	cr_expect_eq(at(0x1ff, -17, FRAME_NOWHERE, FRAME_NOWHERE, 1), OUTER, "its last byte");
	cr_expect_eq(at(0x100, -16, FRAME_NOWHERE, FRAME_NOWHERE, 1), 0, "behind it");
	cr_expect_eq(at(0x100, -33, FRAME_NOWHERE, FRAME_NOWHERE, 1), 0, "before it");
	cr_expect_eq(at(0x100, -24, FRAME_NOWHERE, FRAME_NOWHERE, 16), 0, "out of it");
	cr_expect_eq(at(0xff, -32, FRAME_NOWHERE, FRAME_NOWHERE, 8), 0, "not yet there");
	cr_expect_eq(at(0x200, -32, FRAME_NOWHERE, FRAME_NOWHERE, 8), 0, "not there any more");
}

/* Go says so of the first argument. */
Test(frame_slots, where_the_frame_begins, .init = init, .fini = done)
{
	cr_assert(add(OUTER, 0, DW_OP_call_frame_cfa, 0));
	cr_expect_eq(at(0x100, 0, FRAME_NOWHERE, FRAME_NOWHERE, 8), OUTER);
	cr_expect_eq(at(0x100, -8, FRAME_NOWHERE, FRAME_NOWHERE, 8), 0, "below it");
}

/* Bytes 8 to 16 of one that is in several pieces; where it is said to be they begin. */
Test(frame_slots, a_piece_of_one, .init = init, .fini = done)
{
	const struct frame_slot slot = {.lo = 0x100,
					.hi = 0x200,
					.first = 8,
					.size = 16,
					.variable = OUTER};
	const struct frame_place first = {.at = -32, .by = {0}}, before = {.at = -33, .by = {0}},
				 behind = {.at = -24, .by = {0}};
	const Dwarf_Op op = {.atom = DW_OP_fbreg, .number = (uint64_t)-32};
	uint64_t off;

	cr_assert(frame_slots__add(&slots, &slot, &op, 1));
	cr_assert(frame_slot__holds(&slots.list[0], 0x100, &first, &off));
	cr_expect_eq(off, 8);
	cr_expect(!frame_slot__holds(&slots.list[0], 0x100, &before, &off));
	cr_expect(!frame_slot__holds(&slots.list[0], 0x100, &behind, &off));
}

Test(frame_slots, the_innermost_one, .init = init, .fini = done)
{
	cr_assert(add(INNER, 2, DW_OP_fbreg, -32));
	cr_assert(add(OUTER, 0, DW_OP_fbreg, -32));
	cr_expect_eq(at(0x100, -32, FRAME_NOWHERE, FRAME_NOWHERE, 8), INNER);
	cr_assert(add(TWIN, 2, DW_OP_fbreg, -40));
	cr_expect_eq(at(0x100, -32, FRAME_NOWHERE, FRAME_NOWHERE, 8), 0, "which of two?");
	cr_expect_eq(at(0x100, -40, FRAME_NOWHERE, FRAME_NOWHERE, 8), TWIN);
}

Test(frame_slots, by_registers, .init = init, .fini = done)
{
	cr_assert(add(BY_SP, 0, DW_OP_breg7, 8));
	cr_assert(add(BY_BP, 0, DW_OP_breg6, -16));
	cr_expect_eq(at(0x100, -92, -100, FRAME_NOWHERE, 8), BY_SP);
	cr_expect_eq(at(0x100, -32, FRAME_NOWHERE, -16, 8), BY_BP);
	cr_expect_eq(at(0x100, -92, FRAME_NOWHERE, FRAME_NOWHERE, 8), 0, "where is the register?");
	cr_expect_not(add(OUTER, 0, DW_OP_breg3, 0), "another register is no frame");
	cr_expect_not(add(OUTER, 0, DW_OP_addr, 0x1000));
	slots.by = FRAME_BY_SP;
	cr_assert(add(OUTER, 0, DW_OP_fbreg, 64));
	cr_expect_eq(at(0x100, -36, -100, FRAME_NOWHERE, 8), OUTER, "as clang has it");
	slots.base = FRAME_NOWHERE;
	cr_expect_not(add(OUTER, 0, DW_OP_fbreg, 64), "a frame that nobody knows");
}

Test(frame_slots, far_away, .init = init, .fini = done)
{
	uint64_t off;
	struct frame_place place = nowhere;

	cr_assert(add(OUTER, 0, DW_OP_fbreg, INT64_MAX));
	cr_assert(add(INNER, 0, DW_OP_breg7, INT64_MIN));
	place.by[FRAME_BY_SP] = -8;
	for (size_t i = 0; i < slots.n; i++)
		cr_expect_not(frame_slot__holds(&slots.list[i], 0x100, &place, &off));
}

static bool add_always(uint8_t atom, int64_t number, uint8_t last)
{
	const struct frame_slot slot = {.lo = 0x100, .hi = 0x200, .size = 16, .always = true};
	const Dwarf_Op ops[] = {{.atom = atom, .number = (uint64_t)number}, {.atom = last}};

	return frame_slots__add(&slots, &slot, ops, last ? 2 : 1);
}

static bool any(int64_t where, int64_t sp)
{
	const struct frame_place place = {.at = where, .by = {0, sp, FRAME_NOWHERE}};

	return frame_slots__any(&slots, &place);
}

/* Others may store to one that has one place. */
Test(frame_slots, any_that_others_may_know, .init = init, .fini = done)
{
	cr_assert(add(OUTER, 0, DW_OP_fbreg, -64));
	cr_expect_not(any(-64, -100), "it is in a register, too");
	cr_assert(add_always(DW_OP_fbreg, -32, 0));
	cr_expect(any(-32, -100));
	cr_expect_not(any(-48, -100));
	cr_expect_not(add_always(DW_OP_addr, 0x1000, 0));
	cr_expect_not(add_always(DW_OP_breg3, 0, DW_OP_stack_value));
	cr_expect_not(add_always(DW_OP_fbreg, -8, DW_OP_deref));
	cr_expect_not(any(-48, -100), "elsewhere, or no place");
	cr_assert(add_always(DW_OP_breg7, 8, 0));
	cr_expect(any(-92, -100));
	cr_expect_not(any(-48, -100));
	cr_expect(any(-48, FRAME_NOWHERE), "where is the register?");
	cr_expect_not(add_always(DW_OP_breg3, 16, 0));
	cr_expect(any(-48, -100), "where is that one?");
}
