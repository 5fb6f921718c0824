// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: a breakpoint in what isn't an instruction, or amid one, changes what the program
 * does. Read one after the other, bytes of a table amid code may look like a jump. So what is read
 * that way has to be reached as well.
 */
#include "symd/code_branches.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "symd/insn_class.h"
#include "symd/x86_insn.h"
#include "symd/x86_parts.h"

enum { LOCK = 0xf0 };

/* Of each byte. */
enum {
	BEGINS = 1, /* an instruction does, as they are read one after the other */
	REACHED = 2,
};

struct flow {
	const uint8_t *code;
	size_t len; /* that could be read */
	uint64_t vaddr;
	uint8_t *what;
	size_t *todo; /* places that are reached, and weren't looked at */
	size_t n_todo;
	bool amid; /* one of them is no beginning */
};

static bool read_insn(const struct flow *f, size_t at, struct x86_insn *ret)
{
	return x86_insn__read(f->code + at, f->len - at, f->vaddr + at, ret) && ret->len &&
	       ret->len <= f->len - at;
}

static void read_all(struct flow *f)
{
	struct x86_insn insn;
	size_t at = 0;

	while (at < f->len && read_insn(f, at, &insn)) {
		f->what[at] |= BEGINS;
		at += insn.len;
	}
	f->len = at;
}

/* Each place once. */
static void reach(struct flow *f, size_t at)
{
	if (at >= f->len)
		return;
	/* behind the prefix of one: C libraries leave it out where there is one thread */
	if (at && !(f->what[at] & BEGINS) && (f->what[at - 1] & BEGINS) && f->code[at - 1] == LOCK)
		at--;
	if (!(f->what[at] & BEGINS))
		f->amid = true;
	else if (!(f->what[at] & REACHED))
		f->todo[f->n_todo++] = at;
	f->what[at] |= REACHED;
}

static bool goes_on(enum x86_kind kind)
{
	return kind != X86_JUMP && kind != X86_RET && kind != X86_TRAP;
}

static void follow(struct flow *f)
{
	while (f->n_todo && !f->amid) {
		size_t at = f->todo[--f->n_todo];
		struct x86_insn insn;

		if (!read_insn(f, at, &insn))
			return;
		if ((insn.kind == X86_BRANCH || insn.kind == X86_JUMP) && insn.target >= f->vaddr)
			reach(f, insn.target - f->vaddr);
		if (goes_on(insn.kind))
			reach(f, at + insn.len);
	}
}

/* What a jump by a register leads to, and where exceptions go on. */
static void follow_others(struct flow *f, code_begins_fn begins, void *ctx)
{
	for (size_t at = 0; begins && at < f->len && !f->amid; at++) {
		if (f->what[at] != BEGINS || !begins(ctx, f->vaddr + at))
			continue;
		reach(f, at);
		follow(f);
	}
}

static bool is_wanted(const struct flow *f, size_t at, const struct x86_insn *insn,
		      enum pmb_block_class class)
{
	struct insn_data data;

	if (class == PMB_BLOCK_NONE)
		return insn->kind == X86_BRANCH;
	return insn_class__read(INSN_X86_64, f->code + at, insn->len, &data) == class && data.len;
}

static void describe(const struct flow *f, const struct x86_insn *insn, bool is_jump,
		     struct code_branch *ret)
{
	const uint8_t *bytes = f->code + ret->at;
	struct x86_parts d;

	if (is_jump && x86_parts__read(bytes, f->len - ret->at, &d) &&
	    (d.map == X86_MAP_0F || (d.opcode & 0xf0) == 0x70))
		ret->condition = d.opcode & 15;
	if (!(f->what[ret->at] & REACHED))
		ret->why = SYMD_BRANCH_NOT_REACHED;
	else if (is_jump && !x86_insn__is_emulated_jump(bytes, insn->len))
		ret->why = SYMD_BRANCH_NOT_EMULATED;
}

static void take(struct flow *f, enum pmb_block_class class, struct code_branches *ret)
{
	struct x86_insn insn;

	for (size_t at = 0; at < f->len && read_insn(f, at, &insn); at += insn.len) {
		struct code_branch branch = {.at = (uint32_t)at, .why = SYMD_BRANCH_FOUND};

		if (!is_wanted(f, at, &insn, class))
			continue;
		describe(f, &insn, class == PMB_BLOCK_NONE, &branch);
		ret->n_all++;
		if (ret->n < ARRAY_SIZE(ret->of))
			ret->of[ret->n++] = branch;
	}
}

bool code_branches__find(const uint8_t *code, size_t len, uint64_t vaddr,
			 enum pmb_block_class class, code_begins_fn begins, void *ctx,
			 struct code_branches *ret)
{
	_cleanup_free_ uint8_t *what = xcalloc(len + 1, sizeof(*what));
	_cleanup_free_ size_t *todo = xcalloc(len + 1, sizeof(*todo));
	struct flow f = {.code = code, .len = len, .vaddr = vaddr, .what = what, .todo = todo};

	ret->n = ret->n_all = 0;
	read_all(&f);
	reach(&f, 0);
	follow(&f);
	follow_others(&f, begins, ctx);
	if (!f.amid || class != PMB_BLOCK_NONE)
		take(&f, class, ret);
	return !f.amid;
}
