// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/x86_move.h"

#include "symd/x86_parts.h"

static bool from(struct insn_move *m, enum insn_move_kind kind, uint8_t dst, uint8_t src)
{
	m->kind = kind;
	m->dst = dst;
	m->a = src;
	return true;
}

/* Of what is in dst, too. */
static bool from_both(struct insn_move *m, enum insn_move_kind kind, uint8_t dst, uint8_t src)
{
	m->b = src;
	m->number = 1;
	return from(m, kind, dst, dst);
}

static struct insn_memory memory_of(const struct x86_parts *p)
{
	return (struct insn_memory){
		.base = p->rip      ? INSN_IP :
			p->has_base ? p->base :
				      INSN_NONE,
		.index = p->has_index ? p->index : INSN_NONE,
		.scale = p->has_index ? p->scale : 1,
		.segment = p->segment,
		.loose = p->short_address,
		.size = 8,
		.disp = p->disp,
	};
}

static bool number(struct insn_move *m, uint8_t dst, int64_t value)
{
	m->number = value;
	return from(m, INSN_MOVE_NUMBER, dst, INSN_NONE);
}

static bool scale(struct insn_move *m, uint8_t dst, uint8_t src, int64_t by)
{
	m->number = by;
	m->b = src;
	return by > 0 && from(m, INSN_MOVE_SUM, dst, INSN_NONE);
}

/* cmov */
static bool is_choice(const struct x86_parts *p)
{
	return (p->opcode & 0xf0) == 0x40;
}

/* A number goes to memory, or is added to what is there, or multiplied with it. */
static bool read_number_and_memory(const struct x86_parts *p, struct insn_move *m)
{
	const unsigned which = p->reg & 7;

	m->number = p->imm;
	if (p->opcode == 0x69 || p->opcode == 0x6b)
		return p->imm > 0 && from(m, INSN_MOVE_TIMES_LOAD, p->reg, INSN_NONE);
	if (p->opcode == 0xc7)
		return which == 0 && from(m, INSN_MOVE_STORE, INSN_NONE, INSN_NONE);
	if (which == 5)
		m->number = -p->imm;
	return (p->opcode == 0x81 || p->opcode == 0x83) && (which == 0 || which == 5) &&
	       from(m, INSN_MOVE_STEP, INSN_NONE, INSN_NONE);
}

/* What is in memory, or has its address. */
static bool read_memory(const struct x86_parts *p, struct insn_move *m)
{
	if (!(p->rex & X86_REX_W))
		return false;
	m->mem = memory_of(p);
	if (p->map == X86_MAP_0F)
		return is_choice(p) && from(m, INSN_MOVE_CHOICE_LOAD, p->reg, p->reg);
	if (p->opcode == 0x89)
		return from(m, INSN_MOVE_STORE, INSN_NONE, p->reg);
	if (p->opcode == 0x03)
		return from(m, INSN_MOVE_SUM_LOAD, p->reg, p->reg);
	if (p->opcode != 0x8b && p->opcode != 0x8d)
		return read_number_and_memory(p, m);
	return from(m, p->opcode == 0x8b ? INSN_MOVE_LOAD : INSN_MOVE_LEA, p->reg, INSN_NONE);
}

/* All of them by a number. */
static bool read_number(const struct x86_parts *p, struct insn_move *m)
{
	const unsigned which = p->reg & 7;

	switch (p->opcode) {
	case 0x69:
	case 0x6b:
		return scale(m, p->reg, p->base, p->imm);
	case 0xc1: /* shl */
		return which == 4 && p->imm >= 0 && p->imm < 32 &&
		       scale(m, p->base, p->base, 1LL << p->imm);
	case 0xc7:
		return which == 0 && number(m, p->base, p->imm);
	default:
		return false;
	}
}

/* The opcode says which of the two it goes to. */
static bool from_sum(struct insn_move *m, enum insn_move_kind kind, const struct x86_parts *p)
{
	return p->opcode & 2 ? from_both(m, kind, p->reg, p->base) :
			       from_both(m, kind, p->base, p->reg);
}

/* Both are registers. */
static bool read_pair(const struct x86_parts *p, struct insn_move *m)
{
	const bool wide = p->rex & X86_REX_W;

	if (p->map == X86_MAP_0F)
		return wide && is_choice(p) && from_both(m, INSN_MOVE_CHOICE, p->reg, p->base);
	switch (p->opcode) {
	case 0x01:
	case 0x03:
		return wide && from_sum(m, INSN_MOVE_SUM, p);
	case 0x29:
	case 0x2b:
		return wide && from_sum(m, INSN_MOVE_DIFFERENCE, p);
	case 0x31:
	case 0x33:
		return p->reg == p->base && number(m, p->reg, 0);
	case 0x63:
		return wide && from(m, INSN_MOVE_EXTEND, p->reg, p->base);
	case 0x89:
		return from(m, wide ? INSN_MOVE_COPY : INSN_MOVE_EXTEND, p->base, p->reg);
	case 0x8b:
		return from(m, wide ? INSN_MOVE_COPY : INSN_MOVE_EXTEND, p->reg, p->base);
	default:
		return wide && read_number(p, m);
	}
}

/* set; without a prefix 4 to 7 are the second bytes of 0 to 3 */
static bool is_flag(const struct x86_parts *p)
{
	return p->map == X86_MAP_0F && (p->opcode & 0xf0) == 0x90 && p->has_modrm && p->mod == 3 &&
	       (p->has_rex || p->base < X86_SP);
}

static bool is_number(const struct x86_parts *p)
{
	return p->opcode >= 0xb8 && p->opcode <= 0xbf && !(p->rex & X86_REX_W);
}

bool x86_move__read(const uint8_t *bytes, size_t len, struct insn_move *ret)
{
	struct x86_parts p;

	if (!x86_parts__read(bytes, len, &p) || p.coding != X86_LEGACY || p.narrow)
		return false;
	if (p.map != X86_MAP_ONE && p.map != X86_MAP_0F)
		return false;
	if (is_flag(&p))
		return from(ret, INSN_MOVE_FLAG, p.base, p.base);
	if (p.map == X86_MAP_ONE && is_number(&p))
		return number(ret, (p.opcode & 7) | (p.rex & X86_REX_B ? 8 : 0), (uint32_t)p.imm);
	if (!p.has_modrm)
		return false;
	return p.mod == 3 ? read_pair(&p, ret) : read_memory(&p, ret);
}
