// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: a breakpoint amid an instruction makes another program of it, and an exit that is
 * not known is a window that doesn't close. So all of the function has to be read, from its
 * beginning on, and where its jumps lead have to be beginnings of instructions that were read.
 */
#include "symd/code_exits.h"

#include <stdlib.h>

#include "base/mem.h"
#include "symd/probed_insn.h"

enum {
	TARGETS_MAX = 256, /* outside of a part, that differ */
	LOCK = 0xf0,
};

struct walk {
	enum insn_set set;
	struct code_part parts[CODE_PARTS_MAX];
	uint8_t *begins[CODE_PARTS_MAX]; /* of each byte: an instruction does */
	size_t n_parts;
	struct code_entry entry;
	struct code_exits *exits;
};

/* An instruction in its place. */
struct step {
	struct probed_insn insn;
	uint64_t vaddr;
};

static bool step__read(struct step *s, const struct walk *w, const struct code_part *part,
		       size_t at, struct probed_before *before)
{
	s->vaddr = part->vaddr + at;
	return probed_insn__read(w->set, part->bytes + at, part->len - at, s->vaddr, before,
				 &s->insn);
}

static bool holds(const struct code_part *part, uint64_t vaddr)
{
	return vaddr >= part->vaddr && vaddr - part->vaddr < part->len;
}

/* The number of the part that has it; CODE_PARTS_MAX: none. */
static size_t part_of(const struct walk *w, uint64_t vaddr)
{
	for (size_t i = 0; i < w->n_parts; i++) {
		if (holds(&w->parts[i], vaddr))
			return i;
	}
	return CODE_PARTS_MAX;
}

static bool is_among(const uint64_t *targets, size_t n, uint64_t target)
{
	for (size_t i = 0; i < n; i++) {
		if (targets[i] == target)
			return true;
	}
	return false;
}

/* Reads all instructions of a part, and finds what jumps lead out of all that is known. */
static enum symd_site_status read_part(struct walk *w, size_t part, uint64_t *targets, size_t *n)
{
	const struct code_part *p = &w->parts[part];
	struct probed_before before = {0};
	struct step s;

	w->begins[part] = xcalloc(p->len + 1, 1);
	for (size_t at = 0; at < p->len; at += s.insn.len) {
		if (!step__read(&s, w, p, at, &before))
			return SYMD_SITE_NOT_READ;
		w->begins[part][at] = 1;
		if (s.insn.reads && holds(p, s.insn.reads))
			return SYMD_SITE_NOT_READ;
		if (s.insn.kind != PROBED_LEADS || part_of(w, s.insn.target) != CODE_PARTS_MAX ||
		    is_among(targets, *n, s.insn.target))
			continue;
		if (*n == TARGETS_MAX)
			return SYMD_SITE_MANY_EXITS;
		targets[(*n)++] = s.insn.target;
	}
	return SYMD_SITE_FOUND;
}

static enum symd_site_status read_parts(struct walk *w, code_parts_fn more, void *ctx)
{
	enum symd_site_status status = SYMD_SITE_FOUND;

	for (size_t i = 0; i < w->n_parts && status == SYMD_SITE_FOUND; i++) {
		uint64_t targets[TARGETS_MAX];
		size_t n = 0;

		status = read_part(w, i, targets, &n);
		if (status != SYMD_SITE_FOUND || !n)
			continue;
		n = more(ctx, targets, n, &w->parts[w->n_parts], CODE_PARTS_MAX - w->n_parts);
		if (n > CODE_PARTS_MAX - w->n_parts)
			status = SYMD_SITE_NOT_READ;
		else
			w->n_parts += n;
	}
	return status;
}

static enum symd_site_status add(struct walk *w, const struct step *s)
{
	struct code_exits *exits = w->exits;

	if (s->insn.unprobed)
		return SYMD_SITE_UNPROBED;
	if (exits->n == ARRAY_SIZE(exits->of))
		return SYMD_SITE_MANY_EXITS;
	exits->of[exits->n++] = (struct code_exit){
		.vaddr = s->vaddr,
		.target = s->insn.target,
		.when = s->insn.when,
		.returns = s->insn.kind == PROBED_RETURNS,
		.emulated = s->insn.emulated,
	};
	return SYMD_SITE_FOUND;
}

/* A jump inside leads to an instruction, or behind the prefix of one (lock, which C libraries
 * leave out where there is one thread). */
static enum symd_site_status check_inside(const struct walk *w, size_t part, uint64_t target)
{
	const struct code_part *p = &w->parts[part];
	size_t at = (size_t)(target - p->vaddr);

	if (!part && target <= w->entry.inner && !(w->entry.again && !at))
		return SYMD_SITE_BEGINS_AGAIN;
	if (w->begins[part][at] || (at && w->begins[part][at - 1] && p->bytes[at - 1] == LOCK))
		return SYMD_SITE_FOUND;
	return SYMD_SITE_NOT_READ;
}

static enum symd_site_status look_at_jump(struct walk *w, const struct step *s)
{
	size_t part = part_of(w, s->insn.target);

	if (part != CODE_PARTS_MAX)
		return check_inside(w, part, s->insn.target);
	/* no compiler leaves a function by it */
	return s->insn.when == PROBED_SOMETIMES ? SYMD_SITE_NOT_READ : add(w, s);
}

static enum symd_site_status look_through(struct walk *w, const struct code_part *part)
{
	enum symd_site_status status = SYMD_SITE_FOUND;
	struct probed_before before = {0};
	struct step s;

	for (size_t at = 0; at < part->len && status == SYMD_SITE_FOUND; at += s.insn.len) {
		if (!step__read(&s, w, part, at, &before))
			return SYMD_SITE_NOT_READ;
		if (s.insn.kind == PROBED_LEADS)
			status = look_at_jump(w, &s);
		else if (s.insn.kind != PROBED_GOES_ON)
			status = add(w, &s);
	}
	return status;
}

enum symd_site_status code_exits__find(enum insn_set set, const struct code_part *code,
				       struct code_entry entry, code_parts_fn more, void *ctx,
				       struct code_exits *ret)
{
	struct walk w = {.set = set, .parts = {*code}, .n_parts = 1, .entry = entry, .exits = ret};
	enum symd_site_status status;

	ret->n = 0;
	status = read_parts(&w, more, ctx);
	for (size_t i = 0; i < w.n_parts && status == SYMD_SITE_FOUND; i++)
		status = look_through(&w, &w.parts[i]);
	if (status == SYMD_SITE_FOUND && !ret->n)
		status = SYMD_SITE_NO_RETURN;
	for (size_t i = 0; i < CODE_PARTS_MAX; i++)
		free(w.begins[i]);
	return status;
}
