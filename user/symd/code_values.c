// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: loops. What a register is where ways meet is what it is on all of them, and one
 * of these comes from further down. So the function is gone through until nothing changes. A value
 * can only get less certain: a pointer that differs by 24 each time round is a pointer plus any
 * multiple of 24, the next one by 16 is one of 8. That ends soon; if it doesn't, nothing is known.
 *
 * Where jumps lead that go through registers isn't known: a place that nothing else leads to knows
 * nothing. One that something else leads to, too, is trusted: whoever uses a register as a pointer
 * there takes it for the same on all ways.
 */
#include "symd/code_values.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/search.h"
#include "symd/x86_insn.h"
#include "symd/x86_move.h"
#include "symd/x86_operand.h"
#include "symd/x86_parts.h"

enum {
	ROUNDS_MAX = 8,
	FAR = 1 << 30,      /* no object is so large */
	CLOBBERED = 0x0fc7, /* by calls: ax, cx, dx, si, di, r8 to r11 */
};

/* Where the function is taken to lie: no jump leads to 0, which stands for nobody knows where. */
#define BASE (1ULL << 32)
#define NO_INSN UINT32_MAX

struct state {
	struct code_value regs[X86_REGS];
};

struct insn {
	uint32_t off, len;
	uint32_t target; /* of a jump: an instruction */
	int64_t called;  /* of a call: whom, from where the function begins; 0: nobody knows */
	uint32_t entry; /* of the state before it, if several ways lead to it; one more than that */
	enum x86_kind kind;
};

struct code_values {
	const uint8_t *bytes;
	size_t len;
	const struct code_values_fns *fns;
	struct insn *insns;
	size_t n, cap;
	struct state *entries;
	size_t n_entries;
	bool changed;
};

/* ---------------------------------------------------------------- values */

static uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static uint64_t distance(int64_t a, int64_t b)
{
	return a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b;
}

static struct code_value any(void)
{
	return (struct code_value){.kind = CODE_VALUE_ANY, .to = {.every = 1}};
}

static struct code_value number(int64_t value, uint64_t every)
{
	return (struct code_value){.kind = CODE_VALUE_NUMBER, .to = {.at = value, .every = every}};
}

/* What is too far away is nowhere. */
static struct code_value checked(struct code_value v)
{
	return v.to.at > FAR || v.to.at < -FAR || v.to.every > FAR ? any() : v;
}

static struct code_value times(const struct code_value *v, int64_t by)
{
	if (v->kind == CODE_VALUE_ANY && by < FAR)
		return number(0, (uint64_t)by);
	if (v->kind != CODE_VALUE_NUMBER || by > FAR)
		return any();
	return checked(number(v->to.at * by, v->to.every * (uint64_t)by));
}

static bool points(const struct code_value *v)
{
	return v->kind == CODE_VALUE_POINTER || v->kind == CODE_VALUE_FRAME;
}

/* What nobody knows is a number, if it is added to a pointer. */
struct code_value code_value__sum(const struct code_value *a, const struct code_value *b,
				  unsigned scale, int64_t more)
{
	struct code_value sum = *a, other = scale == 1 ? *b : times(b, scale);

	if (points(&other) && scale == 1) {
		sum = other;
		other = *a;
	}
	if (points(&other) || sum.kind == CODE_VALUE_NONE || other.kind == CODE_VALUE_NONE)
		return any();
	if (!points(&sum) && (sum.kind == CODE_VALUE_ANY || other.kind == CODE_VALUE_ANY))
		return any();
	sum.to.at += other.to.at + more;
	sum.to.every = gcd(sum.to.every, other.to.every);
	return checked(sum);
}

static bool is_null(const struct code_value *v)
{
	return v->kind == CODE_VALUE_NUMBER && !v->to.at && !v->to.every;
}

/* True if there is something new in it. */
static bool join(struct code_value *to, const struct code_value *from)
{
	uint64_t every;

	if (from->kind == CODE_VALUE_NONE || to->kind == CODE_VALUE_ANY)
		return false;
	if (to->kind == CODE_VALUE_NONE) {
		*to = *from;
		return true;
	}
	if (to->kind == CODE_VALUE_POINTER && is_null(from))
		return false;
	if (from->kind == CODE_VALUE_POINTER && is_null(to)) {
		*to = *from;
		return true;
	}
	if (to->kind != from->kind ||
	    (to->kind == CODE_VALUE_POINTER && to->to.type != from->to.type)) {
		*to = any();
		return true;
	}
	every = gcd(gcd(to->to.every, from->to.every), distance(to->to.at, from->to.at));
	if (every == to->to.every)
		return false;
	to->to.every = every;
	return true;
}

/* ---------------------------------------------------------------- instructions */

static struct insn *find(const struct code_values *c, uint64_t off)
{
	size_t low = FIRST_INDEX(i, c->n, c->insns[i].off >= off);

	return low < c->n && c->insns[low].off == off ? &c->insns[low] : NULL;
}

static void decode(struct code_values *c)
{
	struct x86_insn flow;

	for (size_t off = 0; off < c->len;) {
		struct insn insn = {.off = (uint32_t)off, .target = NO_INSN};

		if (!x86_insn__read(c->bytes + off, c->len - off, BASE + off, &flow) || !flow.len)
			break;
		insn.len = flow.len;
		insn.kind = flow.kind;
		if ((flow.kind == X86_JUMP || flow.kind == X86_BRANCH) && flow.target >= BASE &&
		    flow.target - BASE < c->len)
			insn.target = (uint32_t)(flow.target - BASE);
		if (flow.kind == X86_CALL && flow.target)
			insn.called = (int64_t)(flow.target - BASE);
		off += flow.len;
		GROW(c->insns, c->n, c->cap);
		c->insns[c->n++] = insn;
	}
}

static void make_entry(struct code_values *c, struct insn *insn)
{
	if (!insn->entry)
		insn->entry = (uint32_t)++c->n_entries;
}

static bool ends(enum x86_kind kind)
{
	return kind == X86_JUMP || kind == X86_RET || kind == X86_TRAP;
}

/* Where the function begins, where jumps lead to, and what comes after one. */
static void find_entries(struct code_values *c)
{
	if (c->n)
		make_entry(c, &c->insns[0]);
	for (size_t i = 0; i < c->n; i++) {
		struct insn *to = c->insns[i].target == NO_INSN ? NULL :
								  find(c, c->insns[i].target);

		c->insns[i].target = to ? (uint32_t)(to - c->insns) : NO_INSN;
		if (to)
			make_entry(c, to);
		if (i && ends(c->insns[i - 1].kind))
			make_entry(c, &c->insns[i]);
	}
	c->entries = xcalloc(c->n_entries, sizeof(*c->entries));
}

/* ---------------------------------------------------------------- what they do */

static struct code_value value_of(const struct code_values *c, const struct state *s, size_t off,
				  unsigned reg)
{
	struct code_value v = {.kind = CODE_VALUE_POINTER};

	if (reg >= X86_REGS)
		return number(0, 0);
	if (reg != X86_SP && c->fns->held(c->fns->ctx, off, reg, &v.to))
		return v;
	return s->regs[reg];
}

static struct code_value address_of(const struct code_values *c, const struct state *s, size_t off,
				    const struct insn_memory *m)
{
	struct code_value base = value_of(c, s, off, m->base);
	struct code_value index = value_of(c, s, off, m->index);

	if (m->segment || m->loose)
		return any();
	return code_value__sum(&base, &index, m->scale, m->disp);
}

static struct frame_place frame_place(const struct code_values *c, const struct state *s,
				      size_t off, int64_t at)
{
	static const uint8_t regs[N_FRAME_BYS] = {[FRAME_BY_SP] = X86_SP, [FRAME_BY_BP] = X86_BP};
	struct frame_place place = {.at = at};

	for (enum frame_by by = FRAME_BY_SP; by < N_FRAME_BYS; by++) {
		struct code_value v = value_of(c, s, off, regs[by]);
		bool known = v.kind == CODE_VALUE_FRAME && !v.to.every;

		place.by[by] = known ? v.to.at : FRAME_NOWHERE;
	}
	return place;
}

static struct code_value loaded(const struct code_values *c, const struct state *s,
				const struct insn *insn, const struct insn_memory *m)
{
	struct code_value where, v = {.kind = CODE_VALUE_POINTER};
	const struct code_values_fns *fns = c->fns;
	struct frame_place place;
	bool known = false;

	if (m->base == INSN_IP) {
		known = !m->segment &&
			fns->at_address(fns->ctx, (int64_t)insn->off + insn->len + m->disp, &v.to);
		return known ? v : any();
	}
	where = address_of(c, s, insn->off, m);
	if (where.kind == CODE_VALUE_POINTER) {
		known = fns->in_object(fns->ctx, &where.to, &v.to);
	} else if (where.kind == CODE_VALUE_FRAME && !where.to.every) {
		place = frame_place(c, s, insn->off, where.to.at);
		known = fns->in_frame(fns->ctx, insn->off, &place, &v.to);
	}
	return known ? v : any();
}

static struct code_value moved(const struct code_values *c, const struct state *s,
			       const struct insn *insn, const struct x86_move *m)
{
	struct code_value dst = value_of(c, s, insn->off, m->dst);
	struct code_value src = value_of(c, s, insn->off, m->src);

	switch (m->kind) {
	case X86_MOVE_COPY:
		return src;
	case X86_MOVE_EXTEND:
		return src.kind == CODE_VALUE_NUMBER ? src : any();
	case X86_MOVE_NUMBER:
		return checked(number(m->number, 0));
	case X86_MOVE_LOAD:
		return loaded(c, s, insn, &m->mem);
	case X86_MOVE_LEA:
		return m->mem.base == INSN_IP ? any() : address_of(c, s, insn->off, &m->mem);
	case X86_MOVE_ADD:
		return code_value__sum(&dst, &src, 1, 0);
	case X86_MOVE_CHOICE:
		join(&dst, &src);
		return dst;
	case X86_MOVE_SCALE:
		return times(&src, m->number);
	}
	return any();
}

static void forget(struct state *s, unsigned regs)
{
	for (unsigned reg = 0; reg < X86_REGS; reg++) {
		if (regs & 1U << reg)
			s->regs[reg] = any();
	}
}

static void step(const struct code_values *c, struct state *s, const struct insn *insn,
		 const struct insn_data *o)
{
	const struct code_value none = number(0, 0);
	struct code_value stepped[INSN_OPERANDS];

	for (int i = 0; i < INSN_OPERANDS; i++) {
		if (o->steps[i].reg == INSN_NONE)
			continue;
		stepped[i] = value_of(c, s, insn->off, o->steps[i].reg);
		stepped[i] = code_value__sum(&stepped[i], &none, 1, o->steps[i].added);
	}
	forget(s, o->written);
	for (int i = 0; i < INSN_OPERANDS; i++) {
		if (o->steps[i].reg != INSN_NONE && !o->repeats)
			s->regs[o->steps[i].reg] = stepped[i];
	}
}

static unsigned written_by(const struct code_values *c, const struct insn *insn)
{
	struct insn_data o;

	if (insn->kind == X86_CALL || insn->kind == X86_PADDING)
		return insn->kind == X86_CALL ? CLOBBERED : 0;
	return x86_operand__read(c->bytes + insn->off, insn->len, &o) ? o.written : UINT16_MAX;
}

/* The register still has what it had, though it is nobody's variable any more. */
static void keep_held(const struct code_values *c, struct state *s, const struct insn *insn)
{
	for (unsigned reg = 0; reg < X86_REGS; reg++) {
		if (s->regs[reg].kind == CODE_VALUE_ANY)
			s->regs[reg] = value_of(c, s, insn->off, reg);
	}
}

static void call(const struct code_values *c, struct state *s, const struct insn *insn)
{
	struct code_value v = {.kind = CODE_VALUE_POINTER};

	forget(s, CLOBBERED);
	if (insn->called && c->fns->returned(c->fns->ctx, insn->called, &v.to))
		s->regs[X86_AX] = v;
}

static void run(const struct code_values *c, struct state *s, const struct insn *insn)
{
	const uint8_t *bytes = c->bytes + insn->off;
	struct code_value result;
	struct insn_data o;
	struct x86_move m;

	if (c->fns->ends(c->fns->ctx, insn->off, insn->off + insn->len))
		keep_held(c, s, insn);

	if (insn->kind == X86_CALL) {
		call(c, s, insn);
	} else if (insn->kind == X86_PADDING) {
		return;
	} else if (!x86_operand__read(bytes, insn->len, &o)) {
		forget(s, UINT16_MAX);
	} else if (x86_move__read(bytes, insn->len, &m)) {
		result = moved(c, s, insn, &m);
		forget(s, o.written);
		s->regs[m.dst] = result;
	} else {
		step(c, s, insn, &o);
	}
}

/* ---------------------------------------------------------------- ways */

/* A variable that was in a register up to here may not be one where others come from. */
static void meet(struct code_values *c, const struct state *s, const struct insn *from,
		 const struct insn *to)
{
	struct state *entry = &c->entries[to->entry - 1];
	unsigned written = written_by(c, from);

	for (unsigned reg = 0; reg < X86_REGS; reg++) {
		struct code_value v = s->regs[reg];

		if (v.kind == CODE_VALUE_ANY && entry->regs[reg].kind != CODE_VALUE_ANY &&
		    !(written & 1U << reg))
			v = value_of(c, s, from->off, reg);
		c->changed |= join(&entry->regs[reg], &v);
	}
}

static void run_all(struct code_values *c, bool first)
{
	struct state s;
	bool alive = false;

	for (size_t i = 0; i < c->n; i++) {
		const struct insn *insn = &c->insns[i];

		if (insn->entry) {
			struct state *entry = &c->entries[insn->entry - 1];

			if (alive)
				meet(c, &s, insn - 1, insn);
			else if (!first && entry->regs[0].kind == CODE_VALUE_NONE)
				forget(entry, UINT16_MAX);
			s = *entry;
		}
		alive = s.regs[0].kind != CODE_VALUE_NONE;
		if (!alive)
			continue;
		if (insn->target != NO_INSN)
			meet(c, &s, insn, &c->insns[insn->target]);
		run(c, &s, insn);
		alive = !ends(insn->kind);
	}
}

static bool settle(struct code_values *c)
{
	struct state *start = &c->entries[0];

	forget(start, UINT16_MAX);
	start->regs[X86_SP] = (struct code_value){.kind = CODE_VALUE_FRAME, .to = {.at = -8}};
	for (int round = 0; round < ROUNDS_MAX; round++) {
		c->changed = round == 0;
		run_all(c, round == 0);
		if (!c->changed)
			return true;
	}
	return false;
}

struct code_values *code_values__new(const uint8_t *bytes, size_t len,
				     const struct code_values_fns *fns)
{
	struct code_values *c = xcalloc(1, sizeof(*c));

	c->bytes = bytes;
	c->len = len;
	c->fns = fns;
	decode(c);
	find_entries(c);
	return c->n && settle(c) ? c : code_values__free(c);
}

struct code_values *code_values__free(struct code_values *c)
{
	if (!c)
		return NULL;
	free(c->insns);
	free(c->entries);
	free(c);
	return NULL;
}

/* False: there is no such instruction, or nothing is known there. */
static bool state_at(const struct code_values *c, size_t off, struct state *ret)
{
	const struct insn *insn = find(c, off), *i = insn;

	if (!insn)
		return false;
	while (i > c->insns && !i->entry)
		i--;
	*ret = c->entries[i->entry - 1];
	if (ret->regs[0].kind == CODE_VALUE_NONE)
		return false;
	for (; i < insn; i++)
		run(c, ret, i);
	return true;
}

void code_values__at(const struct code_values *c, size_t off, unsigned reg, struct code_value *ret)
{
	struct state s;

	*ret = state_at(c, off, &s) ? value_of(c, &s, off, reg) : any();
}

struct frame_place code_values__frame(const struct code_values *c, size_t off, int64_t at)
{
	struct state s;

	if (!state_at(c, off, &s))
		forget(&s, UINT16_MAX);
	return frame_place(c, &s, off, at);
}
