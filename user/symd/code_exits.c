// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: a breakpoint amid an instruction makes another program of it, and an exit that is
 * not known is a window that doesn't close. So all of the function has to be read, from its
 * beginning on, and where its jumps lead have to be beginnings of instructions that were read.
 */
#include "symd/code_exits.h"

#include <stdlib.h>

#include "base/mem.h"
#include "symd/x86_insn.h"
#include "symd/x86_parts.h"

enum {
	TARGETS_MAX = 256, /* outside of a part, that differ */
	NOTRACK = 0x3e,
	LOCK = 0xf0,
	LATELY = 4, /* instructions between what picks an address and the jump there */
};

struct walk {
	struct code_part parts[CODE_PARTS_MAX];
	uint8_t *begins[CODE_PARTS_MAX]; /* of each byte: an instruction does */
	size_t n_parts;
	uint64_t inner;
	struct code_exits *exits;
};

/* An instruction in its place. */
struct step {
	struct x86_insn insn;
	struct x86_parts d;
	const uint8_t *bytes;
	uint64_t vaddr;
};

static bool step__read(struct step *s, const struct code_part *part, size_t at)
{
	s->bytes = part->bytes + at;
	s->vaddr = part->vaddr + at;
	return x86_insn__read(s->bytes, part->len - at, s->vaddr, &s->insn) && s->insn.len &&
	       x86_parts__read(s->bytes, part->len - at, &s->d);
}

static bool leads_somewhere(const struct x86_insn *insn)
{
	return (insn->kind == X86_BRANCH || insn->kind == X86_JUMP) && insn->target;
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
	struct step s;

	w->begins[part] = xcalloc(p->len + 1, 1);
	for (size_t at = 0; at < p->len; at += s.insn.len) {
		if (!step__read(&s, p, at))
			return SYMD_SITE_NOT_READ;
		w->begins[part][at] = 1;
		if (!leads_somewhere(&s.insn) || part_of(w, s.insn.target) != CODE_PARTS_MAX ||
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

static enum symd_site_status add(struct walk *w, const struct step *s, uint8_t when)
{
	struct code_exits *exits = w->exits;

	if (exits->n == ARRAY_SIZE(exits->of))
		return SYMD_SITE_MANY_EXITS;
	exits->of[exits->n++] = (struct code_exit){
		.vaddr = s->vaddr,
		.target = leads_somewhere(&s->insn) ? s->insn.target : 0,
		.when = when,
		.returns = s->insn.kind == X86_RET,
		.emulated = leads_somewhere(&s->insn),
	};
	return SYMD_SITE_FOUND;
}

/* A jump inside leads to an instruction, or behind the prefix of one (lock, which C libraries
 * leave out where there is one thread). */
static enum symd_site_status check_inside(const struct walk *w, size_t part, uint64_t target)
{
	const struct code_part *p = &w->parts[part];
	size_t at = (size_t)(target - p->vaddr);

	if (!part && target <= w->inner)
		return SYMD_SITE_BEGINS_AGAIN;
	if (w->begins[part][at] || (at && w->begins[part][at - 1] && p->bytes[at - 1] == LOCK))
		return SYMD_SITE_FOUND;
	return SYMD_SITE_NOT_READ;
}

static enum symd_site_status look_at_jump(struct walk *w, const struct step *s)
{
	size_t part = part_of(w, s->insn.target);
	bool conditional = s->insn.kind == X86_BRANCH;

	if (part != CODE_PARTS_MAX)
		return check_inside(w, part, s->insn.target);
	/* loop and jcxz: no compiler leaves a function by them */
	if (conditional && (s->d.map == X86_MAP_ONE && (s->d.opcode & 0xf0) != 0x70))
		return SYMD_SITE_NOT_READ;
	return add(w, s, conditional ? (uint8_t)(1 + (s->d.opcode & 15)) : 0);
}

/* Which register got an address of a table, and when. */
struct picks {
	size_t when[16]; /* 1 + the number of the instruction; 0: never */
};

/* A sum of two registers, or what stands at an index. */
static void picks__take(struct picks *picks, const struct x86_parts *d, size_t number)
{
	if (d->coding != X86_LEGACY || d->map != X86_MAP_ONE || !d->has_modrm)
		return;
	if (d->mod == 3 && (d->opcode == 0x01 || d->opcode == 0x03))
		picks->when[(d->opcode == 0x01 ? d->base : d->reg) & 15] = number + 1;
	else if (d->mod != 3 && d->opcode == 0x8b && d->has_index)
		picks->when[d->reg & 15] = number + 1;
}

/* A jump by a table of places inside of the function, not in the place of a call: compilers mark
 * it (notrack), or sum the address up from a table of distances, or index one of addresses. Taken
 * for that, an exit is not seen, and its windows are abandoned; the other way around they would end
 * early, and nobody could tell. */
static bool is_by_table(const struct step *s, const struct picks *picks, size_t number)
{
	size_t when = s->d.mod == 3 ? picks->when[s->d.base & 15] : 0;

	return s->bytes[0] == NOTRACK || (s->d.mod != 3 && s->d.has_index) ||
	       (when && number + 1 - when <= LATELY);
}

static bool is_return(const struct x86_parts *d)
{
	return d->map == X86_MAP_ONE && (d->opcode == 0xc2 || d->opcode == 0xc3);
}

static enum symd_site_status look_through(struct walk *w, const struct code_part *part)
{
	enum symd_site_status status = SYMD_SITE_FOUND;
	struct picks picks = {.when = {0}};
	struct step s;
	size_t number = 0;

	for (size_t at = 0; at < part->len && status == SYMD_SITE_FOUND; at += s.insn.len) {
		if (!step__read(&s, part, at))
			return SYMD_SITE_NOT_READ;
		if (leads_somewhere(&s.insn))
			status = look_at_jump(w, &s);
		else if (s.insn.kind == X86_RET && is_return(&s.d))
			status = add(w, &s, 0);
		else if (s.insn.kind == X86_JUMP && !is_by_table(&s, &picks, number))
			status = add(w, &s, 0);
		picks__take(&picks, &s.d, number++);
	}
	return status;
}

enum symd_site_status code_exits__find(const struct code_part *code, uint64_t inner,
				       code_parts_fn more, void *ctx, struct code_exits *ret)
{
	struct walk w = {.parts = {*code}, .n_parts = 1, .inner = inner, .exits = ret};
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
