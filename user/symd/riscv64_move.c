// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * By the tables that riscv64_operand.c has, which says what is addressed. x0 needs no words: it is
 * a register that is 0 (symd/insn_abi.h).
 */
#include "symd/riscv64_move.h"

#include "symd/riscv64_operand.h"
#include "symd/insn_bits.h"

enum { SP = 2, LONG = 4 };

/* Of so many bits. */
static int32_t sign(uint32_t value, unsigned bits)
{
	return (int32_t)(value << (32 - bits)) >> (32 - bits);
}

static uint8_t rd(uint32_t w)
{
	return (uint8_t)field(w, 11, 7);
}

static bool put(struct insn_move *ret, enum insn_move_kind kind, unsigned dst, unsigned a)
{
	ret->kind = kind;
	ret->dst = (uint8_t)dst;
	ret->a = (uint8_t)a;
	return true;
}

static bool put_sum(struct insn_move *ret, unsigned dst, unsigned a, unsigned b, unsigned shift)
{
	ret->b = (uint8_t)b;
	if (shift >= 32)
		return false;
	ret->number = 1LL << shift;
	return put(ret, INSN_MOVE_SUM, dst, a);
}

static bool put_number(struct insn_move *ret, unsigned dst, int64_t number)
{
	ret->number = number;
	return put(ret, INSN_MOVE_NUMBER, dst, INSN_NONE);
}

/* What is so far behind a register. */
static bool put_address(struct insn_move *ret, unsigned dst, unsigned base, int32_t disp)
{
	ret->mem = (struct insn_memory){
		.base = (uint8_t)base,
		.index = INSN_NONE,
		.scale = 1,
		.disp = disp,
	};
	return put(ret, INSN_MOVE_LEA, dst, INSN_NONE);
}

static bool put_access(struct insn_move *ret, const struct insn_memory *mem, unsigned reg)
{
	const bool loads = mem->access == INSN_LOAD;

	ret->mem = *mem;
	return put(ret, loads ? INSN_MOVE_LOAD : INSN_MOVE_STORE, loads ? reg : INSN_NONE, reg);
}

/* ---------------------------------------------------------------- four bytes */

static bool read_number(uint32_t w, struct insn_move *ret)
{
	const unsigned from = field(w, 19, 15);

	switch (field(w, 14, 12)) {
	case 0:
		return put_address(ret, rd(w), from, sign(field(w, 31, 20), 12));
	case 1:
		return field(w, 31, 26) == 0 &&
		       put_sum(ret, rd(w), INSN_NONE, from, field(w, 25, 20));
	case 2:
	case 3: /* slti, sltiu */
		return put(ret, INSN_MOVE_FLAG, rd(w), INSN_NONE);
	default:
		return false;
	}
}

static bool read_registers(uint32_t w, struct insn_move *ret)
{
	enum { PLAIN = 0, PRODUCTS = 1, SHIFTED = 0x10 };
	const unsigned a = field(w, 19, 15), b = field(w, 24, 20), kind = field(w, 14, 12);

	switch (field(w, 31, 25)) {
	case PLAIN:
		if (kind == 0)
			return put_sum(ret, rd(w), a, b, 0);
		return (kind == 2 || kind == 3) && put(ret, INSN_MOVE_FLAG, rd(w), INSN_NONE);
	case PRODUCTS:
		ret->b = (uint8_t)a;
		ret->c = (uint8_t)b;
		return kind == 0 && put(ret, INSN_MOVE_PRODUCT, rd(w), INSN_NONE);
	case SHIFTED: /* sh1add to sh3add */
		return (kind == 2 || kind == 4 || kind == 6) && put_sum(ret, rd(w), b, a, kind / 2);
	default:
		return false;
	}
}

static bool read_long(uint32_t w, const struct insn_data *o, struct insn_move *ret)
{
	const bool words = field(w, 14, 12) == 3;

	switch (field(w, 6, 2)) {
	case 0x00:
		return words && put_access(ret, &o->mem[0], rd(w));
	case 0x04:
		return read_number(w, ret);
	case 0x05: /* auipc */
		return put_address(ret, rd(w), INSN_IP, (int32_t)(w & ~0xfffU)) &&
		       !__builtin_sub_overflow(ret->mem.disp, LONG, &ret->mem.disp);
	case 0x06: /* addiw of nothing */
		return field(w, 14, 12) == 0 && !field(w, 31, 20) &&
		       put(ret, INSN_MOVE_EXTEND, rd(w), field(w, 19, 15));
	case 0x08:
		return words && put_access(ret, &o->mem[0], field(w, 24, 20));
	case 0x0c:
		return read_registers(w, ret);
	case 0x0d: /* lui */
		return put_number(ret, rd(w), (int32_t)(w & ~0xfffU));
	default:
		return false;
	}
}

/* ---------------------------------------------------------------- two bytes */

static int32_t number_of(uint32_t w)
{
	return sign(bit(w, 12) << 5 | field(w, 6, 2), 6);
}

static bool read_quadrant_0(uint32_t w, const struct insn_data *o, struct insn_move *ret)
{
	const unsigned reg = 8 + field(w, 4, 2);

	switch (field(w, 15, 13)) {
	case 0:
		return put_address(ret, reg, SP,
				   (int32_t)(field(w, 12, 11) << 4 | field(w, 10, 7) << 6 |
					     bit(w, 6) << 2 | bit(w, 5) << 3));
	case 3:
	case 7:
		return put_access(ret, &o->mem[0], reg);
	default:
		return false;
	}
}

static bool read_quadrant_1(uint32_t w, struct insn_move *ret)
{
	switch (field(w, 15, 13)) {
	case 1:
		return !number_of(w) && put(ret, INSN_MOVE_EXTEND, rd(w), rd(w));
	case 2:
		return put_number(ret, rd(w), number_of(w));
	case 3:
		return rd(w) != SP && put_number(ret, rd(w), (int64_t)number_of(w) * 4096);
	default: /* addi is a step */
		return false;
	}
}

static bool read_quadrant_2(uint32_t w, const struct insn_data *o, struct insn_move *ret)
{
	const unsigned b = field(w, 6, 2);

	switch (field(w, 15, 13)) {
	case 0:
		return put_sum(ret, rd(w), INSN_NONE, rd(w), bit(w, 12) << 5 | b);
	case 3:
		return put_access(ret, &o->mem[0], rd(w));
	case 4:
		if (!b)
			return false;
		return bit(w, 12) ? put_sum(ret, rd(w), rd(w), b, 0) :
				    put(ret, INSN_MOVE_COPY, rd(w), b);
	case 7:
		return put_access(ret, &o->mem[0], b);
	default:
		return false;
	}
}

bool riscv64_move__read(const uint8_t *bytes, size_t len, struct insn_move *ret)
{
	struct insn_data o;
	uint32_t w;

	if (!riscv64_operand__read(bytes, len, &o))
		return false;
	w = bytes[0] | (uint32_t)bytes[1] << 8;
	switch (w & 3) {
	case 0:
		return read_quadrant_0(w, &o, ret);
	case 1:
		return read_quadrant_1(w, ret);
	case 2:
		return read_quadrant_2(w, &o, ret);
	default:
		break;
	}
	if (o.len != LONG)
		return false;
	w |= (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
	return read_long(w, &o, ret);
}
