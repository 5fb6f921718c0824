// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * By the tables "RV32/64G instruction set listings" and "RVC instruction set listings" of the
 * unprivileged architecture. The hard thing is the immediates, whose bits stand anywhere.
 */
#include "symd/riscv64_operand.h"

#include "base/mem.h"
#include "symd/insn_bits.h"

enum { RA = 1, SP = 2, T0 = 5, A0 = 10 };

#define BIT(reg) (1U << (reg))

/* Of so many bits. */
static int32_t sign(uint32_t value, unsigned bits)
{
	return (int32_t)(value << (32 - bits)) >> (32 - bits);
}

/* x0 is always 0. */
static void writes(struct insn_data *o, unsigned reg)
{
	o->written |= BIT(reg) & ~1U;
}

static void step(struct insn_data *o, unsigned reg, int32_t added)
{
	if (reg)
		o->steps[0] = (struct insn_step){(uint8_t)reg, added};
	writes(o, reg);
}

static void lead(struct insn_data *o, enum insn_flow flow, int64_t target)
{
	o->flow = (uint8_t)flow;
	o->has_target = true;
	o->target = target;
}

/* A jump that is a call leaves where it came from in ra, or in t0. */
static void lead_to_register(struct insn_data *o, unsigned link, unsigned to)
{
	o->flow = link ? INSN_CALLS : to == RA || to == T0 ? INSN_ENDS : INSN_JUMPS;
	writes(o, link);
}

/* ---------------------------------------------------------------- four bytes */

static unsigned rd(uint32_t w)
{
	return field(w, 11, 7);
}

static unsigned rs1(uint32_t w)
{
	return field(w, 19, 15);
}

static int32_t immediate(uint32_t w)
{
	return sign(field(w, 31, 20), 12);
}

static int32_t store_immediate(uint32_t w)
{
	return sign(field(w, 31, 25) << 5 | rd(w), 12);
}

static int32_t branch_distance(uint32_t w)
{
	return sign(bit(w, 31) << 12 | bit(w, 7) << 11 | field(w, 30, 25) << 5 |
			    field(w, 11, 8) << 1,
		    13);
}

static int32_t jump_distance(uint32_t w)
{
	return sign(bit(w, 31) << 20 | field(w, 19, 12) << 12 | bit(w, 20) << 11 |
			    field(w, 30, 21) << 1,
		    21);
}

static bool read_load(uint32_t w, struct insn_data *o)
{
	const unsigned kind = field(w, 14, 12);

	if (kind == 7)
		return false;
	insn_data__add(o, rs1(w), 1U << (kind & 3), INSN_LOAD, immediate(w));
	writes(o, rd(w));
	return true;
}

/* Other kinds are those of vectors. */
static bool read_float(uint32_t w, struct insn_data *o, bool store)
{
	const unsigned kind = field(w, 14, 12);

	if (kind < 1 || kind > 4)
		return false;
	insn_data__add(o, rs1(w), 1U << kind, store ? INSN_STORE : INSN_LOAD,
		       store ? store_immediate(w) : immediate(w));
	return true;
}

static bool read_store(uint32_t w, struct insn_data *o)
{
	const unsigned kind = field(w, 14, 12);

	if (kind > 3)
		return false;
	insn_data__add(o, rs1(w), 1U << kind, INSN_STORE, store_immediate(w));
	return true;
}

static bool read_atomic(uint32_t w, struct insn_data *o)
{
	enum { LOAD_RESERVED = 2, STORE_CONDITIONAL = 3, COMPARE_AND_SWAP = 5 };
	const unsigned kind = field(w, 14, 12), what = field(w, 31, 27);

	if (kind > 4 || (what & 3 && what > COMPARE_AND_SWAP))
		return false;
	insn_data__add(o, rs1(w), 1U << kind,
		       what == LOAD_RESERVED     ? INSN_LOAD :
		       what == STORE_CONDITIONAL ? INSN_STORE :
						   INSN_LOAD | INSN_STORE,
		       0);
	writes(o, rd(w));
	if (kind == 4) /* amocas.q: a pair */
		writes(o, (rd(w) + 1) & 31);
	return true;
}

static bool read_fence(uint32_t w, struct insn_data *o)
{
	enum { CACHE_BLOCK = 2, ZERO = 4 };

	/* 64 bytes, or as large as the CPU has it */
	if (field(w, 14, 12) == CACHE_BLOCK && field(w, 31, 20) == ZERO)
		insn_data__add(o, rs1(w), 64, INSN_STORE, 0)->loose = true;
	return true;
}

static bool read_system(uint32_t w, struct insn_data *o)
{
	if (field(w, 14, 12)) /* the CPU's registers */
		writes(o, rd(w));
	else if (w == 0x73) /* ecall */
		writes(o, A0);
	else
		o->flow = INSN_ENDS;
	return true;
}

/* To integers, comparisons, classes. */
static bool read_float_sum(uint32_t w, struct insn_data *o)
{
	const unsigned what = field(w, 31, 27);

	if (what == 0x18 || what == 0x1c || what == 0x14)
		writes(o, rd(w));
	return true;
}

static bool read_vector_sum(uint32_t w, struct insn_data *o)
{
	const unsigned kind = field(w, 14, 12);

	if (kind == 7 || (kind == 2 && field(w, 31, 26) == 0x10))
		writes(o, rd(w));
	return true;
}

static bool read_number(uint32_t w, struct insn_data *o)
{
	if (field(w, 14, 12) == 0 && rd(w) == rs1(w))
		step(o, rd(w), immediate(w));
	writes(o, rd(w));
	return true;
}

static bool read_jump(uint32_t w, struct insn_data *o)
{
	lead(o, rd(w) ? INSN_CALLS : INSN_JUMPS, jump_distance(w));
	writes(o, rd(w));
	return true;
}

static bool read_long(uint32_t w, struct insn_data *o)
{
	switch (field(w, 6, 2)) {
	case 0x00:
		return read_load(w, o);
	case 0x01:
		return read_float(w, o, false);
	case 0x03:
		return read_fence(w, o);
	case 0x04:
		return read_number(w, o);
	case 0x05: /* auipc */
	case 0x06:
	case 0x0c ... 0x0e: /* lui among them */
		writes(o, rd(w));
		return true;
	case 0x08:
		return read_store(w, o);
	case 0x09:
		return read_float(w, o, true);
	case 0x0b:
		return read_atomic(w, o);
	case 0x10 ... 0x13: /* products of floating point, and a sum */
		return true;
	case 0x14:
		return read_float_sum(w, o);
	case 0x15:
		return read_vector_sum(w, o);
	case 0x18:
		lead(o, INSN_BRANCHES, branch_distance(w));
		return true;
	case 0x19:
		lead_to_register(o, rd(w), rs1(w));
		return true;
	case 0x1b:
		return read_jump(w, o);
	case 0x1c:
		return read_system(w, o);
	default:
		return false;
	}
}

/* ---------------------------------------------------------------- two bytes */

/* Registers that three bits name. */
static unsigned high_reg(uint32_t w)
{
	return 8 + field(w, 9, 7);
}

static unsigned low_reg(uint32_t w)
{
	return 8 + field(w, 4, 2);
}

static int32_t number_of(uint32_t w)
{
	return sign(bit(w, 12) << 5 | field(w, 6, 2), 6);
}

static int32_t disp_of_8(uint32_t w)
{
	return (int32_t)(field(w, 12, 10) << 3 | field(w, 6, 5) << 6);
}

static int32_t disp_of_4(uint32_t w)
{
	return (int32_t)(field(w, 12, 10) << 3 | bit(w, 6) << 2 | bit(w, 5) << 6);
}

/* Bytes and halves (Zcb). */
static bool read_small(uint32_t w, struct insn_data *o)
{
	const unsigned kind = field(w, 12, 10);
	const int32_t byte = (int32_t)(bit(w, 6) | bit(w, 5) << 1),
		      half = (int32_t)(bit(w, 5) << 1);

	if (kind > 3)
		return false;
	insn_data__add(o, high_reg(w), kind & 1 ? 2 : 1, kind & 2 ? INSN_STORE : INSN_LOAD,
		       kind & 1 ? half : byte);
	if (!(kind & 2))
		writes(o, low_reg(w));
	return true;
}

static bool read_quadrant_0(uint32_t w, struct insn_data *o)
{
	const unsigned kind = field(w, 15, 13);
	const bool word = (kind & 3) == 2, store = kind & 4;

	if (kind == 0) { /* addi of the stack pointer */
		writes(o, low_reg(w));
		return w >> 5;
	}
	if (kind == 4)
		return read_small(w, o);
	insn_data__add(o, high_reg(w), word ? 4 : 8, store ? INSN_STORE : INSN_LOAD,
		       word ? disp_of_4(w) : disp_of_8(w));
	if (!store && kind != 1)
		writes(o, low_reg(w));
	return true;
}

static void add_to_sp(uint32_t w, struct insn_data *o)
{
	step(o, SP,
	     sign(bit(w, 12) << 9 | field(w, 4, 3) << 7 | bit(w, 5) << 6 | bit(w, 2) << 5 |
			  bit(w, 6) << 4,
		  10));
}

static int32_t short_jump_distance(uint32_t w)
{
	return sign(bit(w, 12) << 11 | bit(w, 8) << 10 | field(w, 10, 9) << 8 | bit(w, 6) << 7 |
			    bit(w, 7) << 6 | bit(w, 2) << 5 | bit(w, 11) << 4 | field(w, 5, 3) << 1,
		    12);
}

static int32_t short_branch_distance(uint32_t w)
{
	return sign(bit(w, 12) << 8 | field(w, 6, 5) << 6 | bit(w, 2) << 5 | field(w, 11, 10) << 3 |
			    field(w, 4, 3) << 1,
		    9);
}

static bool read_quadrant_1(uint32_t w, struct insn_data *o)
{
	switch (field(w, 15, 13)) {
	case 0:
		step(o, rd(w), number_of(w));
		return true;
	case 3:
		if (rd(w) == SP)
			add_to_sp(w, o);
		else
			writes(o, rd(w));
		return true;
	case 4:
		writes(o, high_reg(w));
		return true;
	case 5:
		lead(o, INSN_JUMPS, short_jump_distance(w));
		return true;
	case 6:
	case 7:
		lead(o, INSN_BRANCHES, short_branch_distance(w));
		return true;
	default: /* addiw, li */
		writes(o, rd(w));
		return true;
	}
}

/* Moves and sums of registers, and jumps to one. */
static bool read_registers(uint32_t w, struct insn_data *o)
{
	if (field(w, 6, 2))
		writes(o, rd(w));
	else if (rd(w))
		lead_to_register(o, bit(w, 12) ? RA : 0, rd(w));
	else
		o->flow = INSN_ENDS; /* ebreak */
	return true;
}

static int32_t sp_disp_of_8(uint32_t w)
{
	return (int32_t)(bit(w, 12) << 5 | field(w, 6, 5) << 3 | field(w, 4, 2) << 6);
}

static int32_t sp_disp_of_4(uint32_t w)
{
	return (int32_t)(bit(w, 12) << 5 | field(w, 6, 4) << 2 | field(w, 3, 2) << 6);
}

static bool read_quadrant_2(uint32_t w, struct insn_data *o)
{
	switch (field(w, 15, 13)) {
	case 0: /* a shift */
		writes(o, rd(w));
		return true;
	case 1:
		insn_data__add(o, SP, 8, INSN_LOAD, sp_disp_of_8(w));
		return true;
	case 2:
		insn_data__add(o, SP, 4, INSN_LOAD, sp_disp_of_4(w));
		writes(o, rd(w));
		return true;
	case 3:
		insn_data__add(o, SP, 8, INSN_LOAD, sp_disp_of_8(w));
		writes(o, rd(w));
		return true;
	case 4:
		return read_registers(w, o);
	case 6:
		insn_data__add(o, SP, 4, INSN_STORE,
			       (int32_t)(field(w, 12, 9) << 2 | field(w, 8, 7) << 6));
		return true;
	default:
		insn_data__add(o, SP, 8, INSN_STORE,
			       (int32_t)(field(w, 12, 10) << 3 | field(w, 9, 7) << 6));
		return true;
	}
}

static bool read_short(uint32_t w, struct insn_data *o)
{
	switch (w & 3) {
	case 0:
		return read_quadrant_0(w, o);
	case 1:
		return read_quadrant_1(w, o);
	default:
		return read_quadrant_2(w, o);
	}
}

bool riscv64_operand__read(const uint8_t *bytes, size_t len, struct insn_data *ret)
{
	static const struct insn_data none = {.steps = {{INSN_NONE, 0}, {INSN_NONE, 0}}};
	uint32_t w, n;
	bool known;

	*ret = none;
	if (len < 2)
		return false;
	w = bytes[0] | (uint32_t)bytes[1] << 8;
	n = (w & 3) == 3 ? 4 : 2;
	if (!w || n > len || (w & 0x1f) == 0x1f)
		return false;
	if (n == 4)
		w |= (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
	known = n == 4 ? read_long(w, ret) : read_short(w, ret);
	if (!known)
		*ret = none;
	ret->len = n;
	return known;
}
