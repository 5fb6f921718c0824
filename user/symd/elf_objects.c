// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/elf_objects.h"

#include <elf.h>
#include <linux/types.h>
#include <stdlib.h>

#include "base/mem.h"
#include "pmubpf/object_place.h"
#include "symd/code_values.h"
#include "symd/insn_abi.h"

struct elf_objects {
	struct elf_file *elf;
	struct debug_info *info; /* NULL: there is none */
	struct code_values_fns fns;
	const struct insn_abi *abi;
	uint64_t start, end; /* of the function at hand; 0: none */
	uint8_t *bytes;
	struct code_values *values; /* of it; NULL: nothing is known */
};

static bool held(void *ctx, size_t off, unsigned reg, struct pointee *ret)
{
	const struct elf_objects *o = ctx;

	return debug_info__pointee(o->info, o->start + off, reg, ret);
}

static bool ends(void *ctx, size_t off, size_t next)
{
	const struct elf_objects *o = ctx;

	return debug_info__pointees_end(o->info, o->start + off, o->start + next);
}

static bool in_object(void *ctx, const struct pointee *where, struct pointee *ret)
{
	const struct elf_objects *o = ctx;

	return pointees__in_object(debug_info__pointees(o->info), where, ret);
}

static bool in_frame(void *ctx, size_t off, const struct frame_place *place, struct pointee *ret)
{
	const struct elf_objects *o = ctx;

	return debug_info__in_frame(o->info, o->start + off, place, ret);
}

static bool any_variable(void *ctx, size_t off, const struct frame_place *place)
{
	const struct elf_objects *o = ctx;

	return debug_info__any_variable(o->info, o->start + off, place);
}

static bool at_address(void *ctx, int64_t off, struct pointee *ret)
{
	const struct elf_objects *o = ctx;

	return debug_info__at_address(o->info, o->start + (uint64_t)off, ret);
}

static void call(void *ctx, size_t next, int64_t called, struct call_facts *ret)
{
	const struct elf_objects *o = ctx;

	debug_info__call(o->info, o->start + next, called ? o->start + (uint64_t)called : 0, ret);
}

static bool holds(void *ctx, const struct pointee *outer, const struct pointee *inner)
{
	const struct elf_objects *o = ctx;

	return pointees__holds(debug_info__pointees(o->info), outer, inner);
}

struct elf_objects *elf_objects__new(struct elf_file *elf)
{
	struct elf_objects *o = xcalloc(1, sizeof(*o));

	o->elf = elf;
	o->fns = (struct code_values_fns){
		.held = held,
		.ends = ends,
		.in_object = in_object,
		.in_frame = in_frame,
		.any_variable = any_variable,
		.at_address = at_address,
		.call = call,
		.holds = holds,
		.ctx = o,
	};
	if (insn_set__of(elf_file__machine(elf), elf_file__is_64(elf), &o->fns.set))
		o->info = elf_file__debug_info(elf);
	o->abi = insn_abi__of(o->fns.set);
	return o;
}

static void leave_function(struct elf_objects *o)
{
	o->values = code_values__free(o->values);
	free(o->bytes);
	o->bytes = NULL;
	o->start = o->end = 0;
}

struct elf_objects *elf_objects__free(struct elf_objects *o)
{
	if (!o)
		return NULL;
	leave_function(o);
	free(o);
	return NULL;
}

/* Looked through once, for places come sorted. */
static void enter_function(struct elf_objects *o, uint64_t vaddr)
{
	struct call_facts facts;
	uint64_t start, end, size;

	if (vaddr - o->start < o->end - o->start)
		return;
	leave_function(o);
	if (!elf_file__code(o->elf, vaddr, &start, &end, &o->fns.go) ||
	    vaddr - start >= ELF_FUNCTION_MAX)
		return;
	size = end - start < ELF_FUNCTION_MAX ? end - start : ELF_FUNCTION_MAX;
	o->bytes = xcalloc(1, size);
	size = elf_file__read(o->elf, start, o->bytes, size);
	o->start = start;
	o->end = start + size;
	o->fns.vaddr = start;
	o->fns.entry = o->fns.go || debug_info__is_entry(o->info, start);
	debug_info__call(o->info, start, start, &facts);
	o->fns.returns = facts.returns && !o->fns.go;
	o->fns.returned = facts.returned;
	o->values = code_values__new(o->bytes, size, &o->fns);
}

static struct code_value value_of(const struct elf_objects *o, uint64_t vaddr, uint8_t reg)
{
	struct code_value v = {.kind = CODE_VALUE_ANY, .to = {.every = 1}};

	if (reg == INSN_NONE)
		v.kind = CODE_VALUE_NUMBER, v.to.every = 0;
	else if (reg < o->abi->n_regs && o->values)
		code_values__at(o->values, vaddr - o->start, reg, &v);
	else if (reg < o->abi->n_regs && debug_info__pointee(o->info, vaddr, reg, &v.to))
		v.kind = CODE_VALUE_POINTER;
	return code_value__checked(v);
}

/* Whether that can be in the object, or in one of several side by side: then how far these are from
 * each other. by: the register that points there. */
static bool may_hold(const struct code_value *by, const struct code_value *where, uint16_t bytes,
		     uint32_t *ret_every)
{
	const struct pointee *p = &where->to;
	const int64_t size = (int64_t)p->size;
	const bool inside = p->at >= 0 && (p->endless || p->at + bytes <= size);

	*ret_every = 0;
	if (!p->aggregate) { /* any number of them */
		*ret_every = (uint32_t)size;
		return p->every || p->at >= 0 || p->row;
	}
	if (!p->every && (inside || !p->row))
		return inside;
	if (p->every % p->size == 0 && (p->row || p->size > sizeof(void *)))
		*ret_every = (uint32_t)size;
	else if (by->to.every)
		return false;
	return *ret_every || p->endless || (p->at >= -size && p->at < size);
}

static bool put_object(const struct code_value *by, uint8_t reg, const struct code_value *where,
		       int64_t undone, struct pmb_operand *ret)
{
	if (by->kind != CODE_VALUE_POINTER || where->kind != CODE_VALUE_POINTER ||
	    !may_hold(by, where, ret->size, &ret->every))
		return false;
	ret->object = reg;
	ret->type = (uint32_t)where->to.type;
	ret->start = undone - by->to.at;
	return true;
}

/* Where in the object, or in any of several side by side, without what the registers are then. */
static void put_offset(const struct code_value *where, struct pmb_operand *ret)
{
	const int64_t size = (int64_t)where->to.size;
	int64_t at = where->to.at;

	if (ret->every && (where->to.every % where->to.size || ret->every != where->to.size))
		return;
	if (ret->every)
		at = (at % size + size) % size;
	if ((!ret->every && where->to.every) || at < 0 || at > (int64_t)OBJECT_PLACE_OFF_MAX)
		return;
	ret->flags |= PMB_OPERAND_AT;
	ret->at = (uint32_t)at;
}

/* A register that points into the frame where the sample was taken, from the canonical frame
 * address. */
static uint8_t frame_register(const struct elf_objects *o, uint64_t sampled, int64_t *ret_from)
{
	const uint8_t regs[] = {o->abi->sp, o->abi->fp};
	struct code_value v;

	for (size_t i = 0; i < ARRAY_SIZE(regs); i++) {
		v = value_of(o, sampled, regs[i]);
		*ret_from = v.to.at;
		if (v.kind == CODE_VALUE_FRAME && !v.to.every)
			return regs[i];
	}
	return INSN_NONE;
}

/* A place that differs by an index is taken for that of where the index begins: whether it is in
 * the variable, each sample's address tells. */
static void put_variable(struct elf_objects *o, uint64_t vaddr, uint64_t sampled,
			 const struct code_value *where, struct pmb_operand *ret)
{
	const struct frame_slot *slot;
	struct frame_place place;
	int64_t from, at;
	uint8_t reg;

	if (where->kind != CODE_VALUE_FRAME || sampled >= o->end)
		return;
	reg = frame_register(o, sampled, &from);
	place = code_values__frame(o->values, vaddr - o->start, where->to.at);
	slot = debug_info__frame_variable(o->info, vaddr, &place, ret->size);
	if (reg == INSN_NONE || !slot)
		return;
	ret->flags |= PMB_OPERAND_VARIABLE;
	ret->object = reg;
	ret->type = (uint32_t)slot->variable;
	ret->start = place.by[slot->by] + slot->at - from;
	at = where->to.at - place.by[slot->by] - slot->at;
	if (!where->to.every && at >= 0 && at <= (int64_t)OBJECT_PLACE_OFF_MAX) {
		ret->flags |= PMB_OPERAND_AT;
		ret->at = (uint32_t)at;
	}
}

/* By the pointer that the base was made of, where it differs by an index: of what hasn't one of its
 * own and a displacement in one instruction. */
static bool put_origin(const struct elf_objects *o, uint64_t vaddr, uint64_t sampled, uint8_t base,
		       const struct code_value *where, struct pmb_operand *ret)
{
	struct code_value origin;
	uint8_t reg;

	return o->values && vaddr <= sampled && sampled < o->end &&
	       code_values__origin(o->values, vaddr - o->start, sampled - o->start, base, &reg,
				   &origin) &&
	       put_object(&origin, reg, where, 0, ret);
}

/* One of the pointers in an object's array, where nobody knows how far the object is. */
static bool put_element(const struct elf_objects *o, uint8_t base, const struct code_value *by,
			const struct code_value *where, int64_t undone, struct pmb_operand *ret)
{
	struct code_value element = {.kind = CODE_VALUE_POINTER};

	return by->to.every && where->kind == CODE_VALUE_POINTER && where->to.aggregate &&
	       pointees__element(debug_info__pointees(o->info), &where->to, &element.to) &&
	       put_object(by, base, &element, undone, ret);
}

/* gcc calls an index base at times. */
void elf_objects__find(struct elf_objects *o, uint64_t vaddr, uint64_t sampled,
		       const struct insn_memory *m, struct pmb_operand *ret)
{
	const int64_t of_base = ret->start;
	struct code_value base, index, where;

	if (!o->info || (ret->flags & PMB_OPERAND_LOOSE) || m->segment)
		return;
	enter_function(o, vaddr);
	base = value_of(o, vaddr, m->base);
	index = value_of(o, vaddr, m->index);
	if (m->extend)
		index = code_value__half(&index);
	where = code_value__sum(&base, &index, m->scale, m->disp);
	if (where.kind == CODE_VALUE_POINTER)
		pointees__widen(debug_info__pointees(o->info), &where.to, m->size);
	if (put_object(&base, m->base, &where, of_base, ret) ||
	    (m->scale == 1 &&
	     put_object(&index, m->index, &where, ret->disp - m->disp - of_base, ret)) ||
	    put_origin(o, vaddr, sampled, m->base, &where, ret) ||
	    put_element(o, m->base, &base, &where, of_base, ret))
		put_offset(&where, ret);
	else
		put_variable(o, vaddr, sampled, &where, ret);
	if (ret->flags & PMB_OPERAND_LOST && !(ret->flags & PMB_OPERAND_VARIABLE))
		ret->object = PMB_REG_NONE;
}

bool elf_objects__describe(struct elf_objects *o, uint64_t vaddr)
{
	return o->info && debug_info__describes(o->info, vaddr);
}
