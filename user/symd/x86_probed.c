// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include "symd/probed_insn.h"
#include "symd/x86_insn.h"
#include "symd/x86_parts.h"

enum { NOTRACK = 0x3e };

static bool is_at(const uint8_t *code, size_t len, const char *bytes, size_t n)
{
	return len >= n && memcmp(code, bytes, n) == 0;
}

/*
 * A probe on endbr64 is single-stepped; nops of five bytes are rewritten to calls by 6.18, which
 * damages what lies below the stack pointer, and those of ten can't be probed.
 */
static bool is_front(const uint8_t *code, size_t len, const struct x86_insn *insn)
{
	return is_at(code, len, "\xf3\x0f\x1e\xfa", 4) ||
	       (insn->kind == X86_PADDING && insn->len >= 2);
}

/* push of a register, the shortest nop, and jumps: of all kernels since 4.x */
static bool is_emulated(const uint8_t *code, size_t len, const struct x86_insn *insn)
{
	size_t rex = code[0] == 0x41;

	if (insn->kind == X86_JUMP)
		return insn->target;
	if (len <= rex)
		return false;
	if (x86_insn__is_emulated_jump(code, len))
		return true;
	return (code[rex] >= 0x50 && code[rex] <= 0x57) || (!rex && code[0] == 0x90);
}

/* 1 + which of the flags' conditions; loop and jcxz have others. */
static uint8_t when_taken(const struct x86_insn *insn, const struct x86_parts *d)
{
	if (insn->kind != X86_BRANCH)
		return 0;
	if (d->map == X86_MAP_ONE && (d->opcode & 0xf0) != 0x70)
		return PROBED_SOMETIMES;
	return (uint8_t)(1 + (d->opcode & 15));
}

static bool is_return(const struct x86_parts *d)
{
	return d->map == X86_MAP_ONE && (d->opcode == 0xc2 || d->opcode == 0xc3);
}

/* Compilers mark a jump by a table (notrack), or sum the address up from a table of distances, or
 * index one of addresses. */
static bool is_by_table(const uint8_t *bytes, const struct x86_parts *d,
			const struct probed_before *before)
{
	return bytes[0] == NOTRACK || (d->mod != 3 && d->has_index) ||
	       (d->mod == 3 && probed_before__is_by_table(before, d->base & 15));
}

static enum probed_kind kind_of(const uint8_t *bytes, const struct x86_insn *insn,
				const struct x86_parts *d, const struct probed_before *before)
{
	if ((insn->kind == X86_BRANCH || insn->kind == X86_JUMP) && insn->target)
		return PROBED_LEADS;
	if (insn->kind == X86_RET && is_return(d))
		return PROBED_RETURNS;
	return insn->kind == X86_JUMP && !is_by_table(bytes, d, before) ? PROBED_LEAVES :
									  PROBED_GOES_ON;
}

/* A sum of two registers, or what stands at an index. */
static void remember(struct probed_before *before, const struct x86_parts *d)
{
	if (d->coding != X86_LEGACY || d->map != X86_MAP_ONE || !d->has_modrm)
		return;
	if (d->mod == 3 && (d->opcode == 0x01 || d->opcode == 0x03))
		before->picked[(d->opcode == 0x01 ? d->base : d->reg) & 15] = before->number + 1;
	else if (d->mod != 3 && d->opcode == 0x8b && d->has_index)
		before->picked[d->reg & 15] = before->number + 1;
}

bool x86_probed__read(const uint8_t *bytes, size_t len, uint64_t vaddr,
		      struct probed_before *before, struct probed_insn *ret)
{
	struct x86_insn insn;
	struct x86_parts d;

	if (!x86_insn__read(bytes, len, vaddr, &insn) || !x86_parts__read(bytes, len, &d))
		return false;
	*ret = (struct probed_insn){
		.len = insn.len,
		.kind = (uint8_t)kind_of(bytes, &insn, &d, before),
		.when = when_taken(&insn, &d),
		.front = is_front(bytes, len, &insn),
		.emulated = is_emulated(bytes, len, &insn),
		.trap = insn.kind == X86_TRAP,
		.stays = insn.kind == X86_PADDING || insn.kind == X86_OTHER,
	};
	if (ret->kind == PROBED_LEADS)
		ret->target = insn.target;
	remember(before, &d);
	return true;
}
