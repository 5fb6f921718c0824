// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Classes as in arm64_operand.c, which says what is addressed. The hard thing is register 31: where
 * it isn't the stack pointer it is 0, and nothing when it is written.
 */
#include "symd/arm64_move.h"

#include "symd/arm64_operand.h"
#include "symd/insn_bits.h"

enum { SP = 31, INSN_BYTES = 4 };

/* A register that isn't the stack pointer. */
static uint8_t reg(uint32_t w, unsigned at)
{
	const uint8_t r = w >> at & 31;

	return r == SP ? INSN_NONE : r;
}

static uint8_t reg_or_sp(uint32_t w, unsigned at)
{
	return w >> at & 31;
}

static unsigned put(struct insn_move *ret, enum insn_move_kind kind, uint8_t dst, uint8_t a)
{
	ret->kind = kind;
	ret->dst = dst;
	ret->a = a;
	return 1;
}

static unsigned put_sum(struct insn_move *ret, uint8_t dst, uint8_t a, uint8_t b, unsigned shift)
{
	ret->b = b;
	if (shift >= 32)
		return 0;
	ret->number = 1LL << shift;
	return put(ret, INSN_MOVE_SUM, dst, a);
}

static unsigned put_number(struct insn_move *ret, uint8_t dst, int64_t number)
{
	ret->number = number;
	return put(ret, INSN_MOVE_NUMBER, dst, INSN_NONE);
}

/* ---------------------------------------------------------------- memory */

static void put_access(struct insn_move *ret, const struct insn_memory *mem, uint8_t r)
{
	const bool loads = mem->access == INSN_LOAD;

	ret->mem = *mem;
	ret->mem.size = 8;
	put(ret, loads ? INSN_MOVE_LOAD : INSN_MOVE_STORE, loads ? r : INSN_NONE, r);
}

/* Loads and stores of one or two general registers; what is exclusive, or does sums there, isn't
 * how pointers travel. */
static unsigned read_memory(uint32_t w, const struct insn_data *o, struct insn_move *ret)
{
	enum { LITERAL = 3, PAIR = 5, ONE = 7 };
	const unsigned kind = field(w, 29, 27);
	const struct insn_memory *mem = &o->mem[0];
	const bool pair = kind == PAIR && field(w, 31, 30) == 2;

	if (o->n != 1 || bit(w, 26) || (mem->access != INSN_LOAD && mem->access != INSN_STORE))
		return 0;
	if (!pair && (mem->size != 8 || (kind != ONE && kind != LITERAL)))
		return 0;
	put_access(&ret[0], mem, reg(w, 0));
	if (pair) {
		put_access(&ret[1], mem, reg(w, 10));
		ret[1].mem.disp += 8;
	}
	return 1 + pair;
}

/* ---------------------------------------------------------------- numbers */

/* adr, adrp */
static unsigned read_address(uint32_t w, struct insn_move *ret)
{
	const int32_t number = (int32_t)((w >> 5 & 0x7ffff) << 13 | (w >> 29 & 3) << 11) >>
			       11; /* of 21 bits */

	if (bit(w, 31)) {
		ret->number = (int64_t)number * 4096;
		return put(ret, INSN_MOVE_PAGE, reg(w, 0), INSN_NONE);
	}
	ret->mem = (struct insn_memory){
		.base = INSN_IP,
		.index = INSN_NONE,
		.scale = 1,
		.disp = number - INSN_BYTES,
	};
	return put(ret, INSN_MOVE_LEA, reg(w, 0), INSN_NONE);
}

/* add and sub; what sets flags has no stack pointer to write. */
static unsigned read_sum(uint32_t w, struct insn_move *ret)
{
	const int32_t number = (int32_t)(field(w, 21, 10) << (bit(w, 22) ? 12 : 0));
	const uint8_t to = bit(w, 29) ? reg(w, 0) : reg_or_sp(w, 0);

	ret->mem = (struct insn_memory){
		.base = reg_or_sp(w, 5),
		.index = INSN_NONE,
		.scale = 1,
		.disp = bit(w, 30) ? -number : number,
	};
	return bit(w, 31) && put(ret, INSN_MOVE_LEA, to, INSN_NONE);
}

/* movz and movn; movk only changes a part. */
static unsigned read_wide_number(uint32_t w, struct insn_move *ret)
{
	const unsigned what = field(w, 30, 29), shift = field(w, 22, 21) * 16;
	const uint64_t number = (uint64_t)field(w, 20, 5) << shift;

	if (what == 2)
		return put_number(ret, reg(w, 0), (int64_t)number);
	return what == 0 && bit(w, 31) && put_number(ret, reg(w, 0), (int64_t)~number);
}

/* lsl, ubfiz and sbfiz, that multiply; sxtw and its like. */
static unsigned read_bits(uint32_t w, struct insn_move *ret)
{
	const unsigned what = field(w, 30, 29), r = field(w, 21, 16), s = field(w, 15, 10);
	const unsigned shift = (64 - r) & 63;

	if (!bit(w, 31) || what == 1 || what == 3)
		return 0;
	if (r == 0 && s == 31)
		return put(ret, INSN_MOVE_EXTEND, reg(w, 0), reg(w, 5));
	if (s >= r)
		return 0;
	/* of less than all bits that there are it isn't the whole register */
	ret->half = s != 63 - shift;
	return put_sum(ret, reg(w, 0), INSN_NONE, reg(w, 5), shift);
}

static unsigned read_numbers(uint32_t w, struct insn_move *ret)
{
	switch (field(w, 25, 23)) {
	case 0:
	case 1:
		return read_address(w, ret);
	case 2:
		return read_sum(w, ret);
	case 5:
		return read_wide_number(w, ret);
	case 6:
		return read_bits(w, ret);
	default:
		return 0;
	}
}

/* ---------------------------------------------------------------- registers */

/* orr with nothing is how one is copied. */
static unsigned read_logic(uint32_t w, struct insn_move *ret)
{
	if (field(w, 30, 29) != 1 || bit(w, 21) || field(w, 15, 10) || reg(w, 5) != INSN_NONE)
		return 0;
	if (reg(w, 16) == INSN_NONE)
		return put_number(ret, reg(w, 0), 0);
	return put(ret, bit(w, 31) ? INSN_MOVE_COPY : INSN_MOVE_EXTEND, reg(w, 0), reg(w, 16));
}

/* add: shifted, or of a part that is extended. */
static unsigned read_register_sum(uint32_t w, struct insn_move *ret)
{
	const unsigned option = field(w, 15, 13);

	if (!bit(w, 31) || field(w, 30, 29))
		return 0;
	if (!bit(w, 21))
		return field(w, 23, 22) == 0 &&
		       put_sum(ret, reg(w, 0), reg(w, 5), reg(w, 16), field(w, 15, 10));
	ret->half = (option & 3) != 3;
	return put_sum(ret, reg_or_sp(w, 0), reg_or_sp(w, 5), reg(w, 16), field(w, 12, 10));
}

/* csel; csinc of nothing, that makes a flag a number. */
static unsigned read_choice(uint32_t w, struct insn_move *ret)
{
	const bool increments = field(w, 11, 10) == 1;

	if (bit(w, 30) || bit(w, 29))
		return 0;
	if (increments && reg(w, 5) == INSN_NONE && reg(w, 16) == INSN_NONE)
		return put(ret, INSN_MOVE_FLAG, reg(w, 0), INSN_NONE);
	ret->b = reg(w, 16);
	return bit(w, 31) && !field(w, 11, 10) && put(ret, INSN_MOVE_CHOICE, reg(w, 0), reg(w, 5));
}

/* madd, smaddl, umaddl: how elements of an array are found whose size isn't a power of two. */
static unsigned read_product(uint32_t w, struct insn_move *ret)
{
	const unsigned what = field(w, 23, 21);

	if (!bit(w, 31) || field(w, 30, 29) || bit(w, 15) || (what & 3) > 1)
		return 0;
	ret->half = what & 3;
	ret->b = reg(w, 5);
	ret->c = reg(w, 16);
	return put(ret, INSN_MOVE_PRODUCT, reg(w, 0), reg(w, 10));
}

static unsigned read_registers(uint32_t w, struct insn_move *ret)
{
	switch (field(w, 28, 24)) {
	case 0x0a:
		return read_logic(w, ret);
	case 0x0b:
		return read_register_sum(w, ret);
	case 0x1a:
		return field(w, 23, 21) == 4 ? read_choice(w, ret) : 0;
	case 0x1b:
		return read_product(w, ret);
	default:
		return 0;
	}
}

unsigned arm64_move__read(const uint8_t *bytes, size_t len, struct insn_move ret[INSN_MOVES])
{
	struct insn_data o;
	uint32_t w;

	if (!arm64_operand__read(bytes, len, &o))
		return 0;
	w = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	    (uint32_t)bytes[3] << 24;
	switch (field(w, 28, 25)) {
	case 4:
	case 6:
	case 12:
	case 14:
		return read_memory(w, &o, ret);
	case 8:
	case 9:
		return read_numbers(w, ret);
	case 5:
	case 13:
		return read_registers(w, ret);
	default:
		return 0;
	}
}
