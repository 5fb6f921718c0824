// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * By the top-level classes of the Arm architecture reference manual (C4.1, "A64 instruction set
 * encoding"). The hard thing is register 31: of what is addressed by, and of sums with numbers, the
 * stack pointer, else nothing at all.
 */
#include "symd/arm64_operand.h"

#include "base/mem.h"
#include "symd/insn_bits.h"

enum { SP = 31, LR = 30, INSN_BYTES = 4 };

#define BIT(reg) (1U << (reg))
/* of a register that isn't the stack pointer */
#define WRITES(reg) ((reg) == SP ? 0 : BIT(reg))

static int32_t signed_field(uint32_t w, unsigned high, unsigned low)
{
	return (int32_t)(w << (31 - high)) >> (31 - high + low);
}

static uint8_t rd(uint32_t w)
{
	return (uint8_t)(w & 31);
}

static uint8_t rn(uint32_t w)
{
	return (uint8_t)field(w, 9, 5);
}

static struct insn_memory *add(struct insn_data *o, uint32_t w, unsigned size, uint8_t access,
			       int32_t disp)
{
	return insn_data__add(o, rn(w), size, access, disp);
}

static void step(struct insn_data *o, uint8_t reg, int32_t added)
{
	o->steps[0] = (struct insn_step){reg, added};
	o->written |= BIT(reg);
}

/* ---------------------------------------------------------------- loads and stores */

/* Of one register, or of a vector's; 0: it isn't one. */
struct access {
	unsigned size;
	uint8_t access; /* 0: a prefetch */
	bool general;
};

static struct access access_of(uint32_t w)
{
	const unsigned size = field(w, 31, 30), opc = field(w, 23, 22);

	if (bit(w, 26)) {
		if (opc >= 2 && size)
			return (struct access){0};
		return (struct access){opc >= 2 ? 16 : 1U << size, opc & 1 ? INSN_LOAD : INSN_STORE,
				       false};
	}
	if (size == 3 && opc == 2)
		return (struct access){8, 0, false};
	if (opc == 3 && size >= 2)
		return (struct access){0};
	return (struct access){1U << size, opc ? INSN_LOAD : INSN_STORE, true};
}

/* before: the address is that of before the number is added. */
static bool read_single(uint32_t w, struct insn_data *o, int32_t disp, bool before, bool writes)
{
	const struct access a = access_of(w);

	if (!a.size || (!a.access && writes))
		return false;
	if (!a.access)
		return true;
	add(o, w, a.size, a.access, before ? 0 : disp);
	if (a.general && a.access == INSN_LOAD)
		o->written |= WRITES(rd(w));
	if (writes)
		step(o, rn(w), disp);
	return true;
}

static bool read_indexed(uint32_t w, struct insn_data *o)
{
	const unsigned option = field(w, 15, 13);
	const struct access a = access_of(w);
	const uint8_t index = (uint8_t)field(w, 20, 16);
	struct insn_memory *m;

	if (!(option & 2) || !read_single(w, o, 0, false, false))
		return false;
	if (!o->n)
		return true;
	m = &o->mem[0];
	m->scale = bit(w, 12) ? (uint8_t)a.size : 1;
	m->index = index == 31 ? INSN_NONE : index;
	if (m->index == INSN_NONE)
		m->scale = 1;
	else
		m->extend = option == 2 ? INSN_UNSIGNED_32 :
			    option == 6 ? INSN_SIGNED_32 :
					  INSN_WHOLE;
	return true;
}

/* ldadd and its like, swp, ldapr. */
static bool read_atomic(uint32_t w, struct insn_data *o)
{
	const unsigned op = field(w, 15, 12);
	const bool release_only = op == 12; /* ldapr */

	if (bit(w, 26) || (op > 8 && !release_only))
		return false;
	add(o, w, 1U << field(w, 31, 30), release_only ? INSN_LOAD : INSN_LOAD | INSN_STORE, 0);
	o->written |= WRITES(rd(w));
	return true;
}

/* ldraa, ldrab: the address is what remains of the pointer when its signature is off. */
static bool read_signed_pointer(uint32_t w, struct insn_data *o)
{
	if (field(w, 31, 30) != 3 || bit(w, 26))
		return false;
	add(o, w, 8, INSN_LOAD, (int32_t)((bit(w, 22) ? ~511U : 0) | field(w, 20, 12)) * 8)->loose =
		true;
	o->written |= WRITES(rd(w)) | (bit(w, 11) ? BIT(rn(w)) : 0);
	return true;
}

static bool read_register(uint32_t w, struct insn_data *o)
{
	const unsigned form = field(w, 11, 10);

	if (bit(w, 24))
		return access_of(w).size &&
		       read_single(w, o, (int32_t)(field(w, 21, 10) * access_of(w).size), false,
				   false);
	if (!bit(w, 21))
		return read_single(w, o, signed_field(w, 20, 12), form == 1, form & 1);
	if (form == 2)
		return read_indexed(w, o);
	return form == 0 ? read_atomic(w, o) : read_signed_pointer(w, o);
}

static bool read_pair(uint32_t w, struct insn_data *o)
{
	const unsigned opc = field(w, 31, 30), mode = field(w, 24, 23);
	const bool vector = bit(w, 26), load = bit(w, 22), tags = !vector && opc == 1 && !load;
	const unsigned size = vector ? 4U << opc : opc == 2 || tags ? 8 : 4;
	const int32_t disp = signed_field(w, 21, 15) * (int32_t)(tags ? 16 : size);

	if (opc == 3 || (tags && mode == 0))
		return false;
	add(o, w, 2 * size, load ? INSN_LOAD : INSN_STORE, mode == 1 ? 0 : disp);
	if (load && !vector)
		o->written |= WRITES(rd(w)) | WRITES(field(w, 14, 10));
	if (mode & 1)
		step(o, rn(w), disp);
	return true;
}

static bool read_literal(uint32_t w, struct insn_data *o)
{
	const unsigned opc = field(w, 31, 30);
	const bool vector = bit(w, 26);
	struct insn_memory *m;

	if (opc == 3)
		return !vector; /* a prefetch */
	m = add(o, w,
		vector   ? 4U << opc :
		opc == 1 ? 8 :
			   4,
		INSN_LOAD, signed_field(w, 23, 5) * 4 - INSN_BYTES);
	m->base = INSN_IP;
	if (!vector)
		o->written |= WRITES(rd(w));
	return true;
}

/* Exclusive, ordered, and compare-and-swap. */
static bool read_exclusive(uint32_t w, struct insn_data *o)
{
	const unsigned size = 1U << field(w, 31, 30), status = field(w, 20, 16);
	const bool ordered = bit(w, 23), load = bit(w, 22), pair = bit(w, 21);

	if (pair && (ordered || !bit(w, 31))) { /* cas, casp */
		const bool two = !ordered;

		if (field(w, 14, 10) != 31)
			return false;
		add(o, w, two ? 8U << bit(w, 30) : size, INSN_LOAD | INSN_STORE, 0);
		o->written |= WRITES(status) | (two ? WRITES((status + 1) & 31) : 0);
		return true;
	}
	add(o, w, pair ? 2 * size : size, load ? INSN_LOAD : INSN_STORE, 0);
	if (load)
		o->written |= WRITES(rd(w)) | (pair ? WRITES(field(w, 14, 10)) : 0);
	else if (!ordered)
		o->written |= WRITES(status);
	return true;
}

/* Loads and stores of other orders, with an unscaled number; what else is there isn't known. */
static bool read_ordered(uint32_t w, struct insn_data *o)
{
	if (bit(w, 21) || field(w, 11, 10) || bit(w, 26))
		return false;
	return read_single(w, o, signed_field(w, 20, 12), false, false);
}

static void post_index(uint32_t w, struct insn_data *o, unsigned bytes)
{
	const unsigned index = field(w, 20, 16);

	if (!bit(w, 23))
		return;
	if (index == 31)
		step(o, rn(w), (int32_t)bytes);
	else
		o->written |= BIT(rn(w));
}

/* ld1 to ld4, st1 to st4 of whole vectors. */
static bool read_structures(uint32_t w, struct insn_data *o)
{
	static const uint8_t vectors[16] =
		{[0] = 4, [2] = 4, [4] = 3, [6] = 3, [7] = 1, [8] = 2, [10] = 2};
	const unsigned bytes = vectors[field(w, 15, 12)] * (bit(w, 30) ? 16U : 8U);

	if (!bytes || bit(w, 21) || bit(w, 31) || (!bit(w, 23) && field(w, 20, 16)))
		return false;
	add(o, w, bytes, bit(w, 22) ? INSN_LOAD : INSN_STORE, 0);
	post_index(w, o, bytes);
	return true;
}

/* The same of one lane, or of one for all lanes. */
static bool read_lane(uint32_t w, struct insn_data *o)
{
	const unsigned opcode = field(w, 15, 13), size = field(w, 11, 10);
	const unsigned n = (opcode & 1) * 2 + bit(w, 21) + 1;
	const unsigned element = opcode >= 6 ? 1U << size :
				 opcode >= 4 ? (size & 1 ? 8 : 4) :
				 opcode >= 2 ? 2 :
					       1;

	if (bit(w, 31) || (!bit(w, 23) && field(w, 20, 16)))
		return false;
	add(o, w, n * element, bit(w, 22) ? INSN_LOAD : INSN_STORE, 0);
	post_index(w, o, n * element);
	return true;
}

static bool read_memory(uint32_t w, struct insn_data *o)
{
	switch (field(w, 29, 27)) {
	case 1:
		if (bit(w, 26))
			return bit(w, 24) ? read_lane(w, o) : read_structures(w, o);
		return !bit(w, 24) && read_exclusive(w, o);
	case 3:
		return bit(w, 24) ? read_ordered(w, o) : read_literal(w, o);
	case 5:
		return read_pair(w, o);
	case 7:
		return read_register(w, o);
	default:
		return false;
	}
}

/* ---------------------------------------------------------------- branches and the system */

static void lead(struct insn_data *o, enum insn_flow flow, int64_t target)
{
	o->flow = (uint8_t)flow;
	o->has_target = true;
	o->target = target;
}

static bool read_to_register(uint32_t w, struct insn_data *o)
{
	static const uint8_t flows[8] = {INSN_JUMPS, INSN_CALLS, INSN_ENDS, INSN_ENDS,
					 INSN_ENDS,  INSN_ENDS,  INSN_ENDS, INSN_ENDS};

	o->flow = flows[field(w, 23, 21)];
	if (o->flow == INSN_CALLS)
		o->written = BIT(LR);
	return true;
}

/* nop and what was made of it: some sign the return address, or check it. */
static void read_hint(uint32_t w, struct insn_data *o)
{
	const unsigned number = field(w, 11, 5);

	if (number == 7 || (number >= 24 && number < 32))
		o->written = BIT(LR);
	else if (number >= 8 && number < 16)
		o->written = BIT(17);
}

static bool read_system(uint32_t w, struct insn_data *o)
{
	if ((w & 0xfffff01f) == 0xd503201f)
		read_hint(w, o);
	else if ((w & 0xffffffe0) == 0xd50b7420) { /* dc zva: a block, as large as the CPU has it */
		struct insn_memory *m = add(o, w, 64, INSN_STORE, 0);

		m->base = rd(w);
		m->loose = true;
	} else if (bit(w, 21)) {
		o->written = WRITES(rd(w));
	}
	return o->n == 0 || o->mem[0].base != 31;
}

static bool read_exception(uint32_t w, struct insn_data *o)
{
	if (field(w, 23, 21) == 0 && field(w, 4, 0) == 1)
		o->written = BIT(0); /* svc: what the system call returns */
	else
		o->flow = INSN_ENDS;
	return true;
}

static bool read_branch(uint32_t w, struct insn_data *o)
{
	if (field(w, 30, 26) == 5) {
		lead(o, bit(w, 31) ? INSN_CALLS : INSN_JUMPS, (int64_t)signed_field(w, 25, 0) * 4);
		if (bit(w, 31))
			o->written = BIT(LR);
		return true;
	}
	if (field(w, 31, 24) == 0x54 || field(w, 30, 25) == 0x1a) {
		lead(o, INSN_BRANCHES, signed_field(w, 23, 5) * 4);
		return true;
	}
	if (field(w, 30, 25) == 0x1b) {
		lead(o, INSN_BRANCHES, signed_field(w, 18, 5) * 4);
		return true;
	}
	if (field(w, 30, 25) == 0x3a) {
		lead(o, INSN_BRANCHES, signed_field(w, 13, 5) * 4);
		return true;
	}
	switch (field(w, 31, 24)) {
	case 0xd4:
		return read_exception(w, o);
	case 0xd5:
		return field(w, 23, 22) == 0 && read_system(w, o);
	case 0xd6:
	case 0xd7:
		return read_to_register(w, o);
	default:
		return false;
	}
}

/* ---------------------------------------------------------------- arithmetic */

static bool read_numbers(uint32_t w, struct insn_data *o)
{
	const unsigned kind = field(w, 25, 23);
	const bool sets_flags = bit(w, 29);
	bool sp = false;

	if (kind == 2) {
		const int32_t number = (int32_t)(field(w, 21, 10) << (bit(w, 22) ? 12 : 0));

		sp = !sets_flags;
		if (bit(w, 31) && rd(w) == rn(w) && (sp || rd(w) != SP)) {
			step(o, rd(w), bit(w, 30) ? -number : number);
			return true;
		}
	} else if (kind == 3) {
		sp = true; /* tags of memory, also minima and maxima */
	} else if (kind == 4) {
		sp = field(w, 30, 29) != 3;
	}
	o->written = sp ? BIT(rd(w)) : WRITES(rd(w));
	return true;
}

static bool read_registers(uint32_t w, struct insn_data *o)
{
	const bool extended = field(w, 28, 24) == 0x0b && bit(w, 21);

	if (field(w, 28, 21) == 0xd2) /* ccmp */
		return true;
	o->written = extended && !bit(w, 29) ? BIT(rd(w)) : WRITES(rd(w));
	return true;
}

/* Which of these write a general register. */
static bool read_vectors(uint32_t w, struct insn_data *o)
{
	const unsigned opcode = field(w, 18, 16);
	const bool scalar = field(w, 30, 24) == 0x1e;

	if (scalar && bit(w, 21) && field(w, 15, 10) == 0) /* from floating point to integers */
		o->written = opcode == 2 || opcode == 3 || opcode == 7 ? 0 : WRITES(rd(w));
	else if (scalar && !bit(w, 21)) /* with a fraction */
		o->written = opcode < 2 ? WRITES(rd(w)) : 0;
	else if ((w & 0xbfe08400) == 0x0e000400) /* umov, smov */
		o->written = field(w, 14, 11) == 7 || field(w, 14, 11) == 5 ? WRITES(rd(w)) : 0;
	return true;
}

static bool read(uint32_t w, struct insn_data *o)
{
	switch (field(w, 28, 25)) {
	case 4:
	case 6:
	case 12:
	case 14:
		return read_memory(w, o);
	case 8:
	case 9:
		return read_numbers(w, o);
	case 10:
	case 11:
		return read_branch(w, o);
	case 5:
	case 13:
		return read_registers(w, o);
	case 7:
	case 15:
		return read_vectors(w, o);
	default:
		return false;
	}
}

bool arm64_operand__read(const uint8_t *bytes, size_t len, struct insn_data *ret)
{
	uint32_t w;

	*ret = (struct insn_data){.steps = {{INSN_NONE, 0}, {INSN_NONE, 0}}};
	if (len < INSN_BYTES)
		return false;
	w = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	    (uint32_t)bytes[3] << 24;
	if (!field(w, 31, 16)) /* udf */
		return false;
	ret->len = INSN_BYTES;
	if (read(w, ret))
		return true;
	*ret = (struct insn_data){.len = INSN_BYTES,
				  .flow = ret->flow,
				  .steps = {{INSN_NONE, 0}, {INSN_NONE, 0}}};
	return false;
}
