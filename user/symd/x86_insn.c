// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is the length. Intel's manual, volume 2, chapter 2 (layout) and appendix A (opcode
 * maps):
 *
 * 	[prefixes] [REX | VEX | EVEX] opcode [ModRM [SIB] [displacement]] [immediate]
 *
 * The tables below say of each opcode what comes after it.
 */
#include "symd/x86_insn.h"

#include "base/cursor.h"

enum {
	REG_SP = 4,
	REG_FP = 5,
	RM_SIB = 4,
	RM_RIP = 5,
	REX_B = 1,
	REX_X = 2,
	REX_R = 4,
	REX_W = 8,
	SIGRETURN = 15,
};

enum map { MAP_ONE, MAP_0F, MAP_0F38, MAP_0F3A, MAP_NONE };

struct decoder {
	struct cursor c;
	uint64_t vaddr;
	uint8_t rex, opcode, mod, reg, rm;
	bool narrow, short_address, vex, has_modrm;
	enum map map;
	bool rip,
		plain; /* the operand: is relative to the program counter; is base + displacement */
	uint8_t base;
	int32_t disp;
	int64_t imm;
};

/*
 * What follows an opcode: m ModRM, 1 2 4 an immediate of so many bytes, z of 4 (2 if narrow), v of
 * 8 if wide, a an address, r s a distance of 1 or 4 bytes, e 3 bytes, t ModRM and perhaps an
 * immediate (test), x is none. b, c: ModRM and then 1 or z.
 */
static const char one_byte[] = "mmmm1zxxmmmm1zxx" /* 00 */
			       "mmmm1zxxmmmm1zxx" /* 10 */
			       "mmmm1zxxmmmm1zxx" /* 20 */
			       "mmmm1zxxmmmm1zxx" /* 30 */
			       "xxxxxxxxxxxxxxxx" /* 40 */
			       "................" /* 50 */
			       "xxxmxxxxzc1b...." /* 60 */
			       "rrrrrrrrrrrrrrrr" /* 70 */
			       "bcxbmmmmmmmmmmmm" /* 80 */
			       "..........x....." /* 90 */
			       "aaaa....1z......" /* a0 */
			       "11111111vvvvvvvv" /* b0 */
			       "bb2.xxbce.2..1x." /* c0 */
			       "mmmmxxx.mmmmmmmm" /* d0 */
			       "rrrr1111ssxr...." /* e0 */
			       "x.xx..tt......mm" /* f0 */;

static const char two_bytes[] = "mmmmx.....x.xm.b" /* 00 */
				"mmmmmmmmmmmmmmmm" /* 10 */
				"mmmmxxxxmmmmmmmm" /* 20 */
				"........xxxxxxxx" /* 30 */
				"mmmmmmmmmmmmmmmm" /* 40 */
				"mmmmmmmmmmmmmmmm" /* 50 */
				"mmmmmmmmmmmmmmmm" /* 60 */
				"bbbbmmm.mmmmmmmm" /* 70 */
				"ssssssssssssssss" /* 80 */
				"mmmmmmmmmmmmmmmm" /* 90 */
				"...mbmxx...mbmmm" /* a0 */
				"mmmmmmmmmmbmmmmm" /* b0 */
				"mmbmbbbm........" /* c0 */
				"mmmmmmmmmmmmmmmm" /* d0 */
				"mmmmmmmmmmmmmmmm" /* e0 */
				"mmmmmmmmmmmmmmmm" /* f0 */;

static bool is_prefix(uint8_t byte)
{
	return byte == 0x66 || byte == 0x67 || byte == 0xf0 || byte == 0xf2 || byte == 0xf3 ||
	       byte == 0x2e || byte == 0x36 || byte == 0x3e || byte == 0x26 || byte == 0x64 ||
	       byte == 0x65;
}

/* VEX: c5 RvvvvLpp; c4 RXBmmmmm WvvvvLpp. EVEX: 62, three bytes. The letters are inverted. */
static void read_vex(struct decoder *d, uint8_t first)
{
	uint8_t payload = cursor__u8(&d->c);

	d->vex = true;
	d->map = first == 0xc5 ? MAP_0F : payload & (first == 0x62 ? 7 : 31);
	d->rex = (uint8_t)(~payload >> 5 & (first == 0xc5 ? REX_R : REX_R | REX_X | REX_B));
	if (first != 0xc5)
		cursor__u8(&d->c);
	if (first == 0x62)
		cursor__u8(&d->c);
	d->opcode = cursor__u8(&d->c);
}

static void read_opcode(struct decoder *d)
{
	uint8_t byte = cursor__u8(&d->c);

	while (is_prefix(byte) && cursor__ok(&d->c)) {
		d->narrow |= byte == 0x66;
		d->short_address |= byte == 0x67;
		byte = cursor__u8(&d->c);
	}
	if ((byte & 0xf0) == 0x40) {
		d->rex = byte & 15;
		byte = cursor__u8(&d->c);
	} else if (byte == 0xc4 || byte == 0xc5 || byte == 0x62) {
		read_vex(d, byte);
		return;
	}
	if (byte == 0x0f) {
		d->map = MAP_0F;
		byte = cursor__u8(&d->c);
		if (byte == 0x38 || byte == 0x3a) {
			d->map = byte == 0x38 ? MAP_0F38 : MAP_0F3A;
			byte = cursor__u8(&d->c);
		}
	}
	d->opcode = byte;
}

static void read_modrm(struct decoder *d)
{
	uint8_t modrm = cursor__u8(&d->c), sib;

	d->has_modrm = true;
	d->mod = modrm >> 6;
	d->reg = (uint8_t)((modrm >> 3 & 7) | (d->rex & REX_R ? 8 : 0));
	d->rm = modrm & 7;
	d->base = (uint8_t)(d->rm | (d->rex & REX_B ? 8 : 0));
	d->plain = true;
	if (d->mod == 3)
		return;
	if (d->rm == RM_SIB) {
		sib = cursor__u8(&d->c);
		d->base = (uint8_t)((sib & 7) | (d->rex & REX_B ? 8 : 0));
		d->plain = (sib >> 3 & 7) == RM_SIB && !(d->rex & REX_X);
		if (d->mod == 0 && (sib & 7) == RM_RIP) {
			d->plain = false;
			cursor__skip(&d->c, 4);
		}
	} else if (d->mod == 0 && d->rm == RM_RIP) {
		d->rip = true;
		d->plain = false;
		d->disp = (int32_t)cursor__u32(&d->c);
	}
	if (d->mod == 1)
		d->disp = (int8_t)cursor__u8(&d->c);
	else if (d->mod == 2)
		d->disp = (int32_t)cursor__u32(&d->c);
}

static void read_number(struct decoder *d, unsigned bytes)
{
	switch (bytes) {
	case 1:
		d->imm = (int8_t)cursor__u8(&d->c);
		break;
	case 2:
		d->imm = (int16_t)cursor__u16(&d->c);
		break;
	case 4:
		d->imm = (int32_t)cursor__u32(&d->c);
		break;
	default:
		d->imm = (int64_t)cursor__u64(&d->c);
	}
}

static char form(const struct decoder *d)
{
	char c;

	switch (d->map) {
	case MAP_ONE:
		return one_byte[d->opcode];
	case MAP_0F:
		/* with VEX, there is nothing but ModRM, except for vzeroupper */
		c = two_bytes[d->opcode];
		return !d->vex || c == 'b' || d->opcode == 0x77 ? c : 'm';
	case MAP_0F38:
		return 'm';
	case MAP_0F3A:
		return 'b';
	default:
		return d->vex && d->map < 8 ? 'm' : 'x';
	}
}

/* Bytes of the immediate. */
static unsigned immediate(const struct decoder *d, char f)
{
	const unsigned z = d->narrow ? 2 : 4;

	switch (f) {
	case '1':
	case 'b':
	case 'r':
		return 1;
	case '2':
		return 2;
	case 's':
		return 4;
	case 'z':
	case 'c':
		return z;
	case 'v':
		return d->rex & REX_W ? 8 : z;
	case 'a':
		return d->short_address ? 4 : 8;
	case 't':
		return (d->reg & 7) >= 2 ? 0 : d->opcode == 0xf6 ? 1 : z;
	default:
		return 0;
	}
}

static bool read_rest(struct decoder *d)
{
	char f = form(d);
	unsigned bytes;

	if (f == 'x')
		return false;
	if (f == 'm' || f == 'b' || f == 'c' || f == 't')
		read_modrm(d);
	if (f == 'e')
		cursor__skip(&d->c, 3);
	bytes = immediate(d, f);
	if (bytes)
		read_number(d, bytes);
	return cursor__ok(&d->c);
}

/*
 * What an opcode means, where its operands decide: each of these is asked for the kind, and sets
 * *ret_value where the kind has one.
 */
typedef enum x86_kind (*judge_fn)(const struct decoder *d, int32_t *ret_value);

/* The register whose number is in the opcode's last three bits. */
static uint8_t low_register(const struct decoder *d)
{
	return (uint8_t)((d->opcode & 7) | (d->rex & REX_B ? 8 : 0));
}

static enum x86_kind push_register(const struct decoder *d, int32_t *ret_value)
{
	(void)ret_value;
	return low_register(d) == REG_FP ? X86_PUSH_FP : X86_PUSH;
}

static enum x86_kind pop_register(const struct decoder *d, int32_t *ret_value)
{
	(void)ret_value;
	switch (low_register(d)) {
	case REG_FP:
		return X86_POP_FP;
	case REG_SP:
		return X86_SP_LOST;
	default:
		return X86_POP;
	}
}

/* mov of a number to the register: rt_sigreturn is called with its own in rax. */
static enum x86_kind move_number(const struct decoder *d, int32_t *ret_value)
{
	const uint8_t to = low_register(d);

	(void)ret_value;
	if (to == REG_SP)
		return X86_SP_LOST;
	return to == 0 && d->imm == SIGRETURN ? X86_SIGRETURN : X86_OTHER;
}

static enum x86_kind store_number(const struct decoder *d, int32_t *ret_value)
{
	(void)ret_value;
	return d->mod == 3 && d->base == 0 && d->imm == SIGRETURN ? X86_SIGRETURN : X86_OTHER;
}

static enum x86_kind no_operation(const struct decoder *d, int32_t *ret_value)
{
	(void)ret_value;
	return d->rex & REX_B ? X86_OTHER : X86_PADDING; /* xchg r8, rax */
}

static enum x86_kind exchange(const struct decoder *d, int32_t *ret_value)
{
	(void)ret_value;
	return d->reg == REG_SP || (d->mod == 3 && d->base == REG_SP) ? X86_SP_LOST : X86_OTHER;
}

/* Group 5 (ff): inc, dec, call, call far, jmp, jmp far, push. */
static enum x86_kind group5(const struct decoder *d, int32_t *ret_value)
{
	(void)ret_value;
	switch (d->reg & 7) {
	case 2:
		return X86_CALL;
	case 4:
		return X86_JUMP;
	case 6:
		return X86_PUSH;
	default:
		return d->mod == 3 && d->base == REG_SP ? X86_SP_LOST : X86_OTHER;
	}
}

/* What becomes of the stack and the frame pointer when `to` is `from` + offset; !plain: when it is
 * something else. */
static enum x86_kind assignment(uint8_t to, uint8_t from, bool plain)
{
	if (to == REG_FP)
		return plain && from == REG_SP ? X86_FP_SP : X86_OTHER;
	if (to != REG_SP)
		return X86_OTHER;
	if (!plain || (from != REG_FP && from != REG_SP))
		return X86_SP_LOST;
	return from == REG_FP ? X86_SP_FP : X86_SP_ADD;
}

static enum x86_kind load_address(const struct decoder *d, int32_t *ret_value)
{
	if (d->rip)
		return X86_ADDRESS;
	if (d->mod == 3)
		return X86_OTHER;
	*ret_value = d->disp;
	return assignment(d->reg, d->base, d->plain);
}

/* mov: between the two registers, and the frame pointer's place on the stack. */
static enum x86_kind move(const struct decoder *d, int32_t *ret_value)
{
	const bool is_load = d->opcode == 0x8b;

	if (d->mod == 3)
		return is_load ? assignment(d->reg, d->base, true) :
				 assignment(d->base, d->reg, true);
	if (is_load && d->reg == REG_SP)
		return X86_SP_LOST;
	*ret_value = d->disp;
	if (!d->plain || d->base != REG_SP || d->reg != REG_FP || !(d->rex & REX_W))
		return X86_OTHER;
	return is_load ? X86_FP_LOAD : X86_FP_STORE;
}

/* Groups 1 (81, 83): add, or, adc, sbb, and, sub, xor, cmp. */
static enum x86_kind group1(const struct decoder *d, int32_t *ret_value)
{
	unsigned what = d->reg & 7;

	if (d->mod != 3 || d->base != REG_SP || what == 7)
		return X86_OTHER;
	*ret_value = what == 0 ? (int32_t)d->imm : -(int32_t)d->imm;
	return (what == 0 || what == 5) && d->imm != INT32_MIN ? X86_SP_ADD : X86_SP_LOST;
}

/* The two-operand forms of 00 to 3f: whether they write the stack pointer. */
static enum x86_kind arithmetic(const struct decoder *d, int32_t *ret_value)
{
	const bool is_load = d->opcode & 2;
	const uint8_t to = is_load ? d->reg : d->base;

	(void)ret_value;
	if (!d->has_modrm)
		return X86_OTHER;
	if ((d->opcode & 0xf8) == 0x30 && d->mod == 3 && d->reg == REG_FP && d->base == REG_FP)
		return X86_FP_ZERO;
	if (!(d->opcode & 1) || (d->opcode & 0xf8) == 0x38) /* bytes; cmp */
		return X86_OTHER;
	return to == REG_SP && (is_load || d->mod == 3) ? X86_SP_LOST : X86_OTHER;
}

struct meaning {
	enum x86_kind kind;
	judge_fn judge; /* NULL: it is the kind, whatever the operands are */
};

/* Opcodes of one byte; all others are X86_OTHER. */
static const struct meaning meanings[256] = {
	[0x00 ... 0x3f] = {.judge = arithmetic},
	[0x50 ... 0x57] = {.judge = push_register},
	[0x58 ... 0x5f] = {.judge = pop_register},
	[0x68] = {X86_PUSH, NULL},
	[0x6a] = {X86_PUSH, NULL},
	[0x70 ... 0x7f] = {X86_BRANCH, NULL},
	[0x81] = {.judge = group1},
	[0x83] = {.judge = group1},
	[0x87] = {.judge = exchange},
	[0x89] = {.judge = move},
	[0x8b] = {.judge = move},
	[0x8d] = {.judge = load_address},
	[0x8f] = {X86_POP, NULL},
	[0x90] = {.judge = no_operation},
	[0x9c] = {X86_PUSH, NULL}, /* pushf */
	[0x9d] = {X86_POP, NULL},
	[0xb8 ... 0xbf] = {.judge = move_number},
	[0xc2 ... 0xc3] = {X86_RET, NULL},
	[0xc7] = {.judge = store_number},
	[0xc9] = {X86_LEAVE, NULL},
	[0xca ... 0xcb] = {X86_RET, NULL},    /* far */
	[0xcc] = {X86_PADDING, NULL},         /* int3 */
	[0xcf] = {X86_RET, NULL},             /* iret */
	[0xe0 ... 0xe3] = {X86_BRANCH, NULL}, /* loop, jcxz */
	[0xe8] = {X86_CALL, NULL},
	[0xe9] = {X86_JUMP, NULL},
	[0xeb] = {X86_JUMP, NULL},
	[0xf4] = {X86_RET, NULL}, /* hlt */
	[0xff] = {.judge = group5},
};

/* Those of two bytes, without the 0f. */
static const enum x86_kind two_byte_kinds[256] = {
	[0x0b] = X86_RET,     /* ud2 */
	[0x1f] = X86_PADDING, /* nop */
	[0x80 ... 0x8f] = X86_BRANCH,
	[0xa0] = X86_PUSH, /* fs */
	[0xa1] = X86_POP,
	[0xa8] = X86_PUSH, /* gs */
	[0xa9] = X86_POP,
};

static enum x86_kind kind_of(const struct decoder *d, int32_t *ret_value)
{
	const struct meaning *m = &meanings[d->opcode];

	if (d->map == MAP_0F)
		return two_byte_kinds[d->opcode];
	if (d->map != MAP_ONE)
		return X86_OTHER;
	return m->judge ? m->judge(d, ret_value) : m->kind;
}

bool x86_insn__read(const uint8_t *bytes, size_t len, uint64_t vaddr, struct x86_insn *ret)
{
	enum { LONGEST = 15 };
	struct decoder d = {.c = cursor__over(bytes, len < LONGEST ? len : LONGEST),
			    .vaddr = vaddr};
	const uint8_t *from = d.c.pos;
	bool direct;

	read_opcode(&d);
	if (!cursor__ok(&d.c) || !read_rest(&d))
		return false;
	*ret = (struct x86_insn){.len = (uint32_t)(d.c.pos - from)};
	if (d.vex)
		return true;
	ret->kind = kind_of(&d, &ret->value);
	direct = ret->kind == X86_BRANCH ||
		 ((ret->kind == X86_JUMP || ret->kind == X86_CALL) && d.opcode != 0xff);
	if (direct)
		ret->target = vaddr + ret->len + (uint64_t)d.imm;
	else if (ret->kind == X86_ADDRESS)
		ret->target = vaddr + ret->len + (uint64_t)(int64_t)d.disp;
	return true;
}
