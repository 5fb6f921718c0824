// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/x86_insn.h"

#include "symd/x86_parts.h"

enum { SIGRETURN = 15 };

/*
 * What an opcode means, where its operands decide: each of these is asked for the kind, and sets
 * *ret_value where the kind has one.
 */
typedef enum x86_kind (*judge_fn)(const struct x86_parts *d, int32_t *ret_value);

/* The register whose number is in the opcode's last three bits. */
static uint8_t low_register(const struct x86_parts *d)
{
	return (uint8_t)((d->opcode & 7) | (d->rex & X86_REX_B ? 8 : 0));
}

static enum x86_kind push_register(const struct x86_parts *d, int32_t *ret_value)
{
	(void)ret_value;
	return low_register(d) == X86_BP ? X86_PUSH_FP : X86_PUSH;
}

static enum x86_kind pop_register(const struct x86_parts *d, int32_t *ret_value)
{
	(void)ret_value;
	switch (low_register(d)) {
	case X86_BP:
		return X86_POP_FP;
	case X86_SP:
		return X86_SP_LOST;
	default:
		return X86_POP;
	}
}

/* mov of a number to the register: rt_sigreturn is called with its own in rax. */
static enum x86_kind move_number(const struct x86_parts *d, int32_t *ret_value)
{
	const uint8_t to = low_register(d);

	(void)ret_value;
	if (to == X86_SP)
		return X86_SP_LOST;
	return to == 0 && d->imm == SIGRETURN ? X86_SIGRETURN : X86_OTHER;
}

static enum x86_kind store_number(const struct x86_parts *d, int32_t *ret_value)
{
	(void)ret_value;
	return d->mod == 3 && d->base == 0 && d->imm == SIGRETURN ? X86_SIGRETURN : X86_OTHER;
}

static enum x86_kind no_operation(const struct x86_parts *d, int32_t *ret_value)
{
	(void)ret_value;
	return d->rex & X86_REX_B ? X86_OTHER : X86_PADDING; /* xchg r8, rax */
}

static enum x86_kind exchange(const struct x86_parts *d, int32_t *ret_value)
{
	(void)ret_value;
	return d->reg == X86_SP || (d->mod == 3 && d->base == X86_SP) ? X86_SP_LOST : X86_OTHER;
}

/* Group 5 (ff): inc, dec, call, call far, jmp, jmp far, push. */
static enum x86_kind group5(const struct x86_parts *d, int32_t *ret_value)
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
		return d->mod == 3 && d->base == X86_SP ? X86_SP_LOST : X86_OTHER;
	}
}

/* The operand is base + displacement. */
static bool is_plain(const struct x86_parts *d)
{
	return d->mod == 3 || (d->has_base && !d->has_index);
}

/* What becomes of the stack and the frame pointer when `to` is `from` + offset; !plain: when it is
 * something else. */
static enum x86_kind assignment(uint8_t to, uint8_t from, bool plain)
{
	if (to == X86_BP)
		return plain && from == X86_SP ? X86_FP_SP : X86_OTHER;
	if (to != X86_SP)
		return X86_OTHER;
	if (!plain || (from != X86_BP && from != X86_SP))
		return X86_SP_LOST;
	return from == X86_BP ? X86_SP_FP : X86_SP_ADD;
}

static enum x86_kind load_address(const struct x86_parts *d, int32_t *ret_value)
{
	if (d->rip)
		return X86_ADDRESS;
	if (d->mod == 3)
		return X86_OTHER;
	*ret_value = d->disp;
	return assignment(d->reg, d->base, is_plain(d));
}

/* mov: between the two registers, and the frame pointer's place on the stack. */
static enum x86_kind move(const struct x86_parts *d, int32_t *ret_value)
{
	const bool is_load = d->opcode == 0x8b;

	if (d->mod == 3)
		return is_load ? assignment(d->reg, d->base, true) :
				 assignment(d->base, d->reg, true);
	if (is_load && d->reg == X86_SP)
		return X86_SP_LOST;
	*ret_value = d->disp;
	if (!is_plain(d) || d->base != X86_SP || d->reg != X86_BP || !(d->rex & X86_REX_W))
		return X86_OTHER;
	return is_load ? X86_FP_LOAD : X86_FP_STORE;
}

/* Groups 1 (81, 83): add, or, adc, sbb, and, sub, xor, cmp. */
static enum x86_kind group1(const struct x86_parts *d, int32_t *ret_value)
{
	unsigned what = d->reg & 7;

	if (d->mod != 3 || d->base != X86_SP || what == 7)
		return X86_OTHER;
	*ret_value = what == 0 ? (int32_t)d->imm : -(int32_t)d->imm;
	return (what == 0 || what == 5) && d->imm != INT32_MIN ? X86_SP_ADD : X86_SP_LOST;
}

/* The two-operand forms of 00 to 3f: whether they write the stack pointer. */
static enum x86_kind arithmetic(const struct x86_parts *d, int32_t *ret_value)
{
	const bool is_load = d->opcode & 2;
	const uint8_t to = is_load ? d->reg : d->base;

	(void)ret_value;
	if (!d->has_modrm)
		return X86_OTHER;
	if ((d->opcode & 0xf8) == 0x30 && d->mod == 3 && d->reg == X86_BP && d->base == X86_BP)
		return X86_FP_ZERO;
	if (!(d->opcode & 1) || (d->opcode & 0xf8) == 0x38) /* bytes; cmp */
		return X86_OTHER;
	return to == X86_SP && (is_load || d->mod == 3) ? X86_SP_LOST : X86_OTHER;
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
	[0xcc] = {X86_TRAP, NULL},            /* int3 */
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

static enum x86_kind kind_of(const struct x86_parts *d, int32_t *ret_value)
{
	const struct meaning *m = &meanings[d->opcode];

	if (d->map == X86_MAP_0F)
		return two_byte_kinds[d->opcode];
	if (d->map != X86_MAP_ONE)
		return X86_OTHER;
	return m->judge ? m->judge(d, ret_value) : m->kind;
}

bool x86_insn__read(const uint8_t *bytes, size_t len, uint64_t vaddr, struct x86_insn *ret)
{
	struct x86_parts d;
	bool direct;

	if (!x86_parts__read(bytes, len, &d))
		return false;
	*ret = (struct x86_insn){.len = d.len};
	if (d.coding != X86_LEGACY)
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

bool x86_insn__is_emulated_jump(const uint8_t *bytes, size_t len)
{
	return len && ((bytes[0] & 0xf0) == 0x70 ||
		       (len > 1 && bytes[0] == 0x0f && (bytes[1] & 0xf0) == 0x80));
}
