// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is that opcodes mean what they like. So tables say of each (x86_opcodes.c) how
 * large its operand in memory is, what is done to it, and which registers it overwrites. What they
 * don't know is refused; tests/e2e/operands.sh compares with objdump, and with what instructions do
 * when they run.
 */
#include "symd/x86_operand.h"

#include "symd/x86_access.h"
#include "symd/x86_opcodes.h"
#include "symd/x86_parts.h"

enum { AX, CX, DX, BX, SP, BP, SI, DI, R11 = 11 };

#define BIT(reg) (1U << (reg))
#define ALL_REGS 0xffffU

/* vpmov… to smaller elements. */
static bool is_narrowing(const struct x86_parts *p)
{
	return p->coding == X86_EVEX && p->map == X86_MAP_0F38 && p->mandatory == 2 &&
	       (p->opcode & 0x0f) < 6 && p->opcode >= 0x10 && p->opcode < 0x40;
}

static char narrowed_size(const struct x86_parts *p)
{
	return "hQOhQh"[p->opcode & 0x0f];
}

/* EVEX instructions of half precision, and of the Xeon Phi, that share opcodes with others. */
static bool is_exotic(const struct x86_parts *p)
{
	if (p->coding != X86_EVEX)
		return false;
	if (p->map == X86_MAP_0F3A)
		return p->mandatory == 0;
	return p->map == X86_MAP_0F38 &&
	       (p->mandatory == 3 || p->opcode == 0xcb || p->opcode == 0xcd);
}

/* EVEX says where some operands lie in their own sizes (8-bit displacements). */
static unsigned displacement_unit(const struct x86_parts *p, unsigned size)
{
	const uint8_t op = p->opcode;
	bool by_element = p->map == X86_MAP_0F38 &&
			  ((op >= 0x88 && op <= 0x8b) || (op >= 0x90 && op <= 0x93) ||
			   (op >= 0xa0 && op <= 0xa3));

	if (p->coding != X86_EVEX || p->disp_bytes != 1)
		return 1;
	if (p->map == X86_MAP_0F38 &&
	    (op == 0x62 || op == 0x63)) /* expand and compress, bytes or words */
		return p->rex & X86_REX_W ? 2 : 1;
	return by_element ? (p->rex & X86_REX_W ? 8 : 4) : size;
}

/* A vector of indices. */
static bool gathers(const struct x86_parts *p)
{
	return p->map == X86_MAP_0F38 && ((p->opcode >= 0x90 && p->opcode <= 0x93) ||
					  (p->opcode >= 0xa0 && p->opcode <= 0xa3));
}

/* bt and its like, with the number of the bit in a register: it may lie anywhere. */
static bool counts_bits(const struct x86_parts *p)
{
	return p->map == X86_MAP_0F &&
	       (p->opcode == 0xa3 || p->opcode == 0xab || p->opcode == 0xb3 || p->opcode == 0xbb);
}

static void add(struct insn_data *o, const struct insn_memory *m)
{
	if (o->n < INSN_OPERANDS)
		o->mem[o->n++] = *m;
}

/* Of ModRM. False: it isn't known. */
static bool read_explicit(const struct x86_parts *p, struct x86_opcode op, struct insn_data *o)
{
	struct insn_memory m = {.segment = p->segment};
	unsigned size;

	if (is_narrowing(p))
		op.size = narrowed_size(p);
	if (op.size == '?' || is_exotic(p))
		return false;
	if (!p->has_modrm || p->mod == 3 || op.size == '.')
		return true;
	size = x86_access__size(p, op.size);
	if (!size && op.size != 'e')
		return false;
	if (p->coding == X86_EVEX && p->broadcast)
		size = p->rex & X86_REX_W ? 8 : 4;
	if (!size)
		return true;
	m.base = p->rip ? INSN_IP : p->has_base ? p->base : INSN_NONE;
	m.index = p->has_index ? p->index : INSN_NONE;
	m.scale = p->has_index ? p->scale : 1;
	m.access = x86_access__kind(p, op.access);
	m.loose = gathers(p) || counts_bits(p) || p->short_address;
	m.size = (uint16_t)size;
	m.disp = p->disp * (int32_t)displacement_unit(p, size);
	add(o, &m);
	return true;
}

/* *(reg + disp), that the opcode doesn't spell out. */
static void add_implicit(struct insn_data *o, const struct x86_parts *p, uint8_t reg, int32_t disp,
			 unsigned size, uint8_t access)
{
	const struct insn_memory m = {
		.base = reg,
		.index = INSN_NONE,
		.scale = 1,
		/* only where strings are loaded from may be another segment than its own */
		.segment = reg == SI ? p->segment : 0,
		.access = access,
		.loose = p->short_address,
		.size = (uint16_t)size,
		.disp = disp,
	};

	add(o, &m);
}

static void step(struct insn_data *o, uint8_t reg, int32_t added)
{
	int at = o->steps[0].reg == INSN_NONE ? 0 : 1;

	o->steps[at] = (struct insn_step){reg, added};
	o->written |= (uint16_t)BIT(reg);
}

/* String instructions go upwards, as the ABI has it; where they repeat, how far isn't known. */
static void read_string(const struct x86_parts *p, struct insn_data *o, unsigned regs)
{
	const unsigned size = p->opcode & 1 ? x86_access__number(p) : 1;

	for (uint8_t reg = SI; reg <= DI; reg++) {
		if (!(regs & BIT(reg)))
			continue;
		/* movs and stos store to di, all others load */
		add_implicit(o, p, reg, 0, size,
			     reg == DI && p->opcode < 0xac && p->opcode != 0xa6 &&
					     p->opcode != 0xa7 ?
				     INSN_STORE :
				     INSN_LOAD);
		step(o, reg, (int32_t)size);
	}
	if (p->opcode == 0xac || p->opcode == 0xad)
		o->written |= BIT(AX);
	if (p->rep) {
		o->repeats = true;
		o->written |= BIT(CX);
	}
}

static void push(const struct x86_parts *p, struct insn_data *o)
{
	const int32_t size = p->narrow ? 2 : 8;

	add_implicit(o, p, SP, -size, (unsigned)size, INSN_STORE);
	step(o, SP, -size);
}

static void pop(const struct x86_parts *p, struct insn_data *o)
{
	const int32_t size = p->narrow ? 2 : 8;

	add_implicit(o, p, SP, 0, (unsigned)size, INSN_LOAD);
	step(o, SP, size);
}

static void ret(const struct x86_parts *p, struct insn_data *o)
{
	add_implicit(o, p, SP, 0, 8, INSN_LOAD);
	step(o, SP, 8 + (uint16_t)p->imm);
}

static unsigned byte_register(const struct x86_parts *p, unsigned reg)
{
	return p->has_rex || p->coding != X86_LEGACY || reg < 4 ? reg :
								  reg & 3; /* ah, ch, dh, bh */
}

static unsigned low_register(const struct x86_parts *p)
{
	return (p->opcode & 7U) | (p->rex & X86_REX_B ? 8 : 0);
}

/* False: it adds no number. */
static bool read_added(const struct x86_parts *p, int64_t *ret)
{
	const unsigned number = p->reg & 7;

	if (p->opcode == 0x05 || p->opcode == 0x2d)
		*ret = p->opcode == 0x05 ? p->imm : -p->imm;
	else if (p->mod != 3)
		return false;
	else if ((p->opcode == 0x81 || p->opcode == 0x83) && (number == 0 || number == 5))
		*ret = number == 0 ? p->imm : -p->imm;
	else if (p->opcode == 0xff && number < 2)
		*ret = number == 0 ? 1 : -1;
	else
		return false;
	return true;
}

/* A number is added to a register. False: that isn't what it does. */
static bool read_addition(const struct x86_parts *p, struct insn_data *o)
{
	int64_t added;

	if (p->map != X86_MAP_ONE || !(p->rex & X86_REX_W))
		return false;
	if (p->opcode == 0x8d) { /* lea of the register itself */
		if (p->mod == 3 || !p->has_base || p->has_index || p->base != p->reg ||
		    p->short_address)
			return false;
		step(o, p->reg, p->disp);
		return true;
	}
	if (!read_added(p, &added) || added > INT32_MAX)
		return false;
	step(o, p->has_modrm ? p->base : AX, (int32_t)added);
	return true;
}

static unsigned second(const struct x86_parts *p)
{
	return p->mod == 3 ? BIT(p->base) : 0;
}

static unsigned second_byte(const struct x86_parts *p)
{
	return p->mod == 3 ? BIT(byte_register(p, p->base)) : 0;
}

static unsigned written_by_group(const struct x86_parts *p, char letter)
{
	const unsigned number = p->reg & 7;

	if (letter == 'f') /* fnstsw ax */
		return p->mod == 3 && number == 4 ? BIT(AX) : 0;
	if (letter == 'i') /* group 5; pushes and calls are elsewhere */
		return number < 2 ? second(p) : number == 2 || number == 3 ? ALL_REGS : 0;
	if (letter == 'c')
		return number == 7 ? 0 : second(p);
	if (letter == 'C')
		return number == 7 ? 0 : second_byte(p);
	/* group 3 */
	if (number < 2)
		return 0;
	if (number < 4)
		return p->opcode & 1 ? second(p) : second_byte(p);
	return BIT(AX) | (p->opcode & 1 ? BIT(DX) : 0);
}

static unsigned written_by_number(const struct x86_parts *p)
{
	const unsigned number = p->reg & 7;

	switch (p->opcode) {
	case 0x1e: /* rdssp; endbr */
		return p->mandatory == 2 && number == 1 ? second(p) : 0;
	case 0x2c:
	case 0x2d: /* to an integer */
		return p->mandatory < 2 ? 0 : BIT(p->reg);
	case 0x7e:
		return p->mandatory == 2 ? 0 : second(p);
	case 0xae: /* rdfsbase, rdgsbase; umonitor and its like */
		return p->mod == 3 && p->mandatory ? second(p) : 0;
	case 0xc7: /* cmpxchg8b; rdrand, rdseed, rdpid */
		return number == 1 ? BIT(AX) | BIT(DX) : second(p);
	default: /* 0f 38 f6: adcx, adox; mulx */
		return BIT(p->reg) | (p->coding == X86_VEX ? BIT(p->third) : 0);
	}
}

static unsigned written_by(const struct x86_parts *p, char letter)
{
	switch (letter) {
	case 0:
		return 0;
	case 'r':
		return BIT(p->reg);
	case 'R':
		return BIT(byte_register(p, p->reg));
	case 'm':
		return second(p);
	case 'M':
		return second_byte(p);
	case 'x':
		return BIT(p->reg) | second(p);
	case 'X':
		return BIT(byte_register(p, p->reg)) | second_byte(p);
	case 'o':
		return BIT(low_register(p));
	case 'O':
		return BIT(byte_register(p, low_register(p)));
	case 'e': /* xchg with ax; nop */
		return p->opcode == 0x90 && !(p->rex & X86_REX_B) ? 0 :
								    BIT(AX) | BIT(low_register(p));
	default:
		return ALL_REGS;
	}
}

static unsigned written_besides(const struct x86_parts *p, char letter)
{
	switch (letter) {
	case 'a':
		return BIT(AX);
	case 'd':
		return BIT(DX);
	case 'k':
		return BIT(CX);
	case '2':
		return BIT(AX) | BIT(DX) | BIT(CX);
	case '1':
		return BIT(AX) | second(p);
	case 'A':
		return BIT(AX) | second_byte(p);
	case 'V':
		return BIT(p->third);
	case 'l': /* leave */
		return BIT(SP) | BIT(BP);
	case 'f':
	case 'i':
	case 'c':
	case 'C':
	case 't':
		return written_by_group(p, letter);
	case 'g':
		return written_by_number(p);
	default:
		return written_by(p, letter);
	}
}

/* What pushes, pops and strings do. False: it is none of these. */
static bool read_implicit(const struct x86_parts *p, char letter, struct insn_data *o)
{
	switch (letter) {
	case 'P':
		push(p, o);
		return true;
	case 'p':
		pop(p, o);
		return true;
	case 'Q':
		pop(p, o);
		if (low_register(p) == SP)
			o->steps[0].reg = INSN_NONE;
		o->written |= (uint16_t)BIT(low_register(p));
		return true;
	case 'S':
		read_string(p, o, BIT(SI) | BIT(DI));
		return true;
	case 'D':
		read_string(p, o, BIT(DI));
		return true;
	case 'W':
		read_string(p, o, BIT(SI));
		return true;
	default:
		return false;
	}
}

/* The rest of what is in memory without being spelled out. */
static void read_stack(const struct x86_parts *p, struct insn_data *o)
{
	const unsigned number = p->reg & 7;

	if (p->map == X86_MAP_0F && p->opcode == 0xf7) /* maskmov */
		add_implicit(o, p, DI, 0, p->mandatory ? 16 : 8, INSN_STORE);
	if (p->map != X86_MAP_ONE)
		return;
	if (p->opcode == 0xe8 || (p->opcode == 0xff && number == 2))
		add_implicit(o, p, SP, -8, 8, INSN_STORE);
	else if (p->opcode == 0xff && number == 6)
		push(p, o);
	else if (p->opcode == 0xc2 || p->opcode == 0xc3)
		ret(p, o);
	else if (p->opcode == 0xc9)
		add_implicit(o, p, BP, 0, 8, INSN_LOAD);
}

/* VEX has other instructions where 0f 90 to 0f 99 are setcc. */
static bool reads_mask(const struct x86_parts *p)
{
	return p->coding == X86_VEX && p->map == X86_MAP_0F && p->opcode >= 0x90 &&
	       p->opcode <= 0x99;
}

bool x86_operand__read(const uint8_t *bytes, size_t len, struct insn_data *ret)
{
	struct x86_opcode op;
	struct x86_parts p;

	*ret = (struct insn_data){.steps = {{INSN_NONE, 0}, {INSN_NONE, 0}}};
	if (!x86_parts__read(bytes, len, &p))
		return false;
	ret->len = p.len;
	if (p.map > X86_MAP_0F3A)
		return false;
	op = x86_opcode__of(p.map, p.opcode);
	if (reads_mask(&p)) {
		ret->written = (uint16_t)BIT(p.reg);
		return p.mod == 3;
	}
	if (!read_explicit(&p, op, ret))
		return false;
	if (!read_implicit(&p, op.written, ret) && !read_addition(&p, ret))
		ret->written |= (uint16_t)written_besides(&p, op.written);
	read_stack(&p, ret);
	return true;
}
