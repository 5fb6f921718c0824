// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * gcc says where variables are from the canonical frame address, clang from a register: the frame
 * pointer, or the stack pointer as it is at the place.
 */
#include "symd/frame_slots.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/mem.h"
#include "symd/insn_abi.h"

static bool by_register(const struct frame_slots *s, uint64_t number, enum frame_by *ret)
{
	uint8_t reg;

	if (!insn_abi__register(s->abi, number, &reg))
		return false;
	*ret = reg == s->abi->sp ? FRAME_BY_SP : FRAME_BY_FP;
	return reg == s->abi->sp || reg == s->abi->fp;
}

void frame_slots__enter(struct frame_slots *s, Dwarf_Die *function)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t n;

	s->n = 0;
	s->elsewhere = false;
	s->base = FRAME_NOWHERE;
	if (!type_walk__location(function, DW_AT_frame_base, &attribute) ||
	    dwarf_getlocation(&attribute, &ops, &n) != 0 || n != 1)
		return;
	s->by = FRAME_BY_CFA;
	if (ops[0].atom == DW_OP_call_frame_cfa || by_register(s, ops[0].atom - DW_OP_reg0, &s->by))
		s->base = 0;
}

/* By a register that isn't followed as one of the frame, say, of a frame that is realigned. */
static bool may_be_in_frame(const Dwarf_Op *ops, size_t n)
{
	return n &&
	       (ops[0].atom == DW_OP_fbreg || ops[0].atom == DW_OP_bregx ||
		(ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31)) &&
	       ops[n - 1].atom != DW_OP_stack_value && ops[n - 1].atom != DW_OP_deref;
}

static bool add(struct frame_slots *s, const struct frame_slot *slot, const Dwarf_Op *ops, size_t n)
{
	struct frame_slot new = *slot;

	if (n != 1)
		return false;
	new.at = (int64_t)(ops[0].number - slot->first);
	new.by = s->by;
	/* as Go has what is where the frame begins */
	if (ops[0].atom == DW_OP_call_frame_cfa) {
		new.at = (int64_t)(0 - slot->first);
		new.by = FRAME_BY_CFA;
	} else if (ops[0].atom == DW_OP_fbreg ?
			   s->base == FRAME_NOWHERE :
			   !by_register(s, ops[0].atom - DW_OP_breg0, &new.by)) {
		return false;
	}
	GROW(s->list, s->n, s->cap);
	s->list[s->n++] = new;
	return true;
}

bool frame_slots__add(struct frame_slots *s, const struct frame_slot *slot, const Dwarf_Op *ops,
		      size_t n)
{
	const bool added = add(s, slot, ops, n);

	s->elsewhere |= !added && slot->always && may_be_in_frame(ops, n);
	return added;
}

static bool covers(const struct frame_slot *slot, const struct frame_place *place,
		   uint64_t *ret_off)
{
	int64_t by = place->by[slot->by], from;

	if (by == FRAME_NOWHERE || __builtin_add_overflow(by, slot->at, &from) || place->at < from)
		return false;
	*ret_off = (uint64_t)place->at - (uint64_t)from;
	return *ret_off >= slot->first && *ret_off < slot->size;
}

bool frame_slot__holds(const struct frame_slot *slot, uint64_t vaddr,
		       const struct frame_place *place, uint64_t *ret_off)
{
	return vaddr >= slot->lo && vaddr < slot->hi && covers(slot, place, ret_off);
}

bool frame_slots__any(const struct frame_slots *s, const struct frame_place *place)
{
	uint64_t off;

	for (size_t i = 0; i < s->n; i++) {
		const struct frame_slot *slot = &s->list[i];

		if (slot->always &&
		    (place->by[slot->by] == FRAME_NOWHERE || covers(slot, place, &off)))
			return true;
	}
	return s->elsewhere;
}

const struct frame_slot *frame_slots__find(const struct frame_slots *s, uint64_t vaddr,
					   const struct frame_place *place, uint64_t bytes)
{
	const struct frame_slot *best = NULL;
	bool several = false;
	uint64_t off;

	for (size_t i = 0; i < s->n; i++) {
		const struct frame_slot *slot = &s->list[i];

		if (!frame_slot__holds(slot, vaddr, place, &off) || bytes > slot->size - off ||
		    (best && slot->depth < best->depth))
			continue;
		several = best && slot->depth == best->depth;
		best = slot;
	}
	return several ? NULL : best;
}

void frame_slots__done(struct frame_slots *s)
{
	free(s->list);
	*s = (struct frame_slots){.abi = s->abi};
}
