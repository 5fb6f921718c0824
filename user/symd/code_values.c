// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: loops. What a register is where ways meet is what it is on all of them, and one
 * of these comes from further down. So the function is gone through until nothing changes. A value
 * can only get less certain: a pointer that differs by 24 is one of two, and if it differs each
 * time round a pointer plus any multiple of 24, the next one by 16 is one of 8. That ends soon; if
 * it doesn't, nothing is known.
 *
 * Where jumps lead that go through registers isn't known: a place that nothing else leads to knows
 * nothing. One that something else leads to, too, is trusted: whoever uses a register as a pointer
 * there takes it for the same on all ways.
 */
#include "symd/code_values.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "symd/code_steps.h"
#include "symd/insn_abi.h"
#include "symd/insn_move.h"

enum {
	ROUNDS_MAX = 24,
	AGAIN_MAX = 4,
	RECAST_MAX = 64, /* each is looked for at each load */
};

#define ALL UINT32_MAX

struct state {
	struct code_value regs[INSN_REGS];
};

/* What a call gives, by what it is used for: a variable, a member, an argument. */
struct site {
	struct call_facts facts;
	bool used, several;
	struct pointee to;
};

struct code_values {
	const uint8_t *bytes;
	size_t len;
	const struct code_values_fns *fns;
	const struct insn_abi *abi;
	struct code_steps steps;
	struct code_value *entries; /* of each all registers that there are */
	size_t n_entries;
	struct site *sites;
	size_t n_sites, cap_sites;
	/* In the frame, where something else is stored than the variable there is declared to point
	 * to. */
	int64_t *recast;
	size_t n_recast, cap_recast;
	bool changed;
	bool other; /* a call gives something else than it was taken for, or a place has */
};

/* ---------------------------------------------------------------- instructions */

static void add_sites(struct code_values *c)
{
	for (size_t i = 0; i < c->steps.n; i++) {
		struct code_step *insn = &c->steps.list[i];
		struct site site = {.used = false};

		if (insn->flow != INSN_CALLS)
			continue;
		c->fns->call(c->fns->ctx, insn->off + insn->len, insn->called, &site.facts);
		GROW(c->sites, c->n_sites, c->cap_sites);
		c->sites[c->n_sites++] = site;
		insn->site = (uint32_t)c->n_sites;
	}
}

static void make_entry(struct code_values *c, struct code_step *insn)
{
	if (!insn->entry)
		insn->entry = (uint32_t)++c->n_entries;
}

static bool ends(const struct code_values *c, const struct code_step *insn)
{
	return insn->flow == INSN_JUMPS || insn->flow == INSN_ENDS ||
	       (insn->site && c->sites[insn->site - 1].facts.never);
}

/* Where the function begins, where jumps lead to, and what comes after one, or after what fills the
 * room behind it up to a loop's head. */
static void find_entries(struct code_values *c)
{
	bool dead = false;

	if (c->steps.n)
		make_entry(c, &c->steps.list[0]);
	for (size_t i = 0; i < c->steps.n; i++) {
		struct code_step *insn = &c->steps.list[i];

		if (insn->target != CODE_NO_STEP)
			make_entry(c, &c->steps.list[insn->target]);
		if (dead)
			make_entry(c, insn);
		dead = ends(c, insn) || (dead && insn->padding);
	}
	c->entries = xcalloc(c->n_entries * c->abi->n_regs, sizeof(*c->entries));
}

static struct code_value *entry_of(const struct code_values *c, const struct code_step *insn)
{
	return &c->entries[(size_t)(insn->entry - 1) * c->abi->n_regs];
}

static void enter(const struct code_values *c, struct state *s, const struct code_step *insn)
{
	memcpy(s->regs, entry_of(c, insn), c->abi->n_regs * sizeof(s->regs[0]));
}

/* ---------------------------------------------------------------- what they do */

/* A variable that is a pointer to a number says less than where that lies in, if it is known. */
static bool lies_in(const struct pointee *number, const struct code_value *in)
{
	int64_t off;

	return !number->aggregate && in->kind == CODE_VALUE_POINTER && in->to.aggregate &&
	       !in->to.every && !__builtin_sub_overflow(in->to.at, number->at, &off) && off >= 0 &&
	       off < (int64_t)in->to.size;
}

static struct code_value value_of(const struct code_values *c, const struct state *s, size_t off,
				  unsigned reg)
{
	struct code_value v = {.kind = CODE_VALUE_POINTER};
	const struct code_value *known;

	if (reg >= c->abi->n_regs || reg == c->abi->zero)
		return code_value__number(0, 0);
	known = &s->regs[reg];
	if (reg == c->abi->sp || !c->fns->held(c->fns->ctx, off, reg, &v.to) || lies_in(&v.to, known))
		return *known;
	/* where it came from says more of it than a variable's type */
	if (known->kind == CODE_VALUE_POINTER && known->to.type == v.to.type &&
	    known->to.at == v.to.at && !v.to.node)
		v.to.node = known->to.node;
	return v;
}

/* What a call gave is of the type that it is used for. */
static struct code_value typed(const struct code_values *c, struct code_value v)
{
	const struct site *site = v.kind == CODE_VALUE_FRESH ? &c->sites[v.to.type] : NULL;
	const struct pointee as = v.to;

	if (!site)
		return v;
	if (!site->used || site->several)
		return code_value__any();
	v.kind = CODE_VALUE_POINTER;
	v.to = site->to;
	v.to.at = as.at;
	v.to.every = as.every;
	v.to.two = as.two;
	return v;
}

static struct code_value address_of(const struct code_values *c, const struct state *s, size_t off,
				    const struct insn_memory *m)
{
	struct code_value base = value_of(c, s, off, m->base);
	struct code_value index = value_of(c, s, off, m->index);

	if (m->segment || m->loose)
		return code_value__any();
	return code_value__sum(&base, &index, m->scale, m->disp);
}

static struct frame_place frame_place(const struct code_values *c, const struct state *s,
				      size_t off, int64_t at)
{
	const uint8_t regs[N_FRAME_BYS] = {[FRAME_BY_SP] = c->abi->sp, [FRAME_BY_FP] = c->abi->fp};
	struct frame_place place = {.at = at};

	for (enum frame_by by = FRAME_BY_SP; by < N_FRAME_BYS; by++) {
		struct code_value v = value_of(c, s, off, regs[by]);
		bool known = v.kind == CODE_VALUE_FRAME && !v.to.every;

		place.by[by] = known ? v.to.at : FRAME_NOWHERE;
	}
	return place;
}

static bool is_recast(const struct code_values *c, int64_t at)
{
	for (size_t i = 0; i < c->n_recast; i++) {
		if (c->recast[i] == at)
			return true;
	}
	return false;
}

/* By the variable that lies there. */
static bool declared(const struct code_values *c, const struct state *s, size_t off,
		     const struct code_value *where, struct pointee *ret)
{
	struct frame_place place;

	if (where->kind != CODE_VALUE_FRAME || where->to.every || is_recast(c, where->to.at))
		return false;
	place = frame_place(c, s, off, where->to.at);
	return c->fns->in_frame(c->fns->ctx, off, &place, ret);
}

static struct code_value loaded(const struct code_values *c, const struct state *s,
				const struct code_step *insn, const struct insn_memory *m)
{
	struct code_value where, v = {.kind = CODE_VALUE_POINTER};
	const struct code_values_fns *fns = c->fns;
	bool known = false;

	if (m->base == INSN_IP) {
		known = !m->segment &&
			fns->at_address(fns->ctx, (int64_t)insn->off + insn->len + m->disp, &v.to);
		return known ? v : code_value__any();
	}
	where = typed(c, address_of(c, s, insn->off, m));
	if (where.kind == CODE_VALUE_POINTER)
		known = fns->in_object(fns->ctx, &where.to, &v.to);
	else
		known = declared(c, s, insn->off, &where, &v.to);
	return known ? v : code_value__any();
}

static struct code_value flag(const struct code_value *of)
{
	struct code_value v = code_value__number(0, 1);

	v.to.two = of->kind == CODE_VALUE_NUMBER && !of->to.at && !of->to.every;
	return v.to.two ? v : code_value__any();
}

static struct code_value moved(const struct code_values *c, const struct state *s,
			       const struct code_step *insn, const struct insn_move *m)
{
	struct code_value a = value_of(c, s, insn->off, m->a);
	struct code_value b = value_of(c, s, insn->off, m->b);
	const struct code_value_types types = {c->fns->holds, c->fns->ctx};

	if (m->kind == INSN_MOVE_SUM_LOAD || m->kind == INSN_MOVE_CHOICE_LOAD)
		b = loaded(c, s, insn, &m->mem);
	switch (m->kind) {
	case INSN_MOVE_COPY:
		return a;
	case INSN_MOVE_EXTEND:
		return a.kind == CODE_VALUE_NUMBER ? a : code_value__any();
	case INSN_MOVE_NUMBER:
		return code_value__checked(code_value__number(m->number, 0));
	case INSN_MOVE_LOAD:
		return loaded(c, s, insn, &m->mem);
	case INSN_MOVE_LEA:
		return m->mem.base == INSN_IP ? code_value__any() :
						address_of(c, s, insn->off, &m->mem);
	case INSN_MOVE_SUM:
		return code_value__sum(&a, &b, (unsigned)m->number, 0);
	case INSN_MOVE_SUM_LOAD:
		return code_value__sum(&a, &b, 1, 0);
	case INSN_MOVE_CHOICE:
	case INSN_MOVE_CHOICE_LOAD:
		code_value__join(&a, &b, &types);
		return a;
	case INSN_MOVE_FLAG:
		return flag(&a);
	case INSN_MOVE_STORE:
		break;
	}
	return code_value__any();
}

static void forget(const struct code_values *c, struct state *s, uint32_t regs)
{
	for (unsigned reg = 0; reg < c->abi->n_regs; reg++) {
		if (regs & 1U << reg)
			s->regs[reg] = code_value__any();
	}
}

/* What registers to which a number is added are then. */
static void step(const struct code_values *c, const struct state *s, const struct code_step *insn,
		 const struct insn_data *o, struct code_value ret[INSN_OPERANDS])
{
	const struct code_value none = code_value__number(0, 0);

	for (int i = 0; i < INSN_OPERANDS; i++) {
		if (o->steps[i].reg == INSN_NONE)
			continue;
		ret[i] = value_of(c, s, insn->off, o->steps[i].reg);
		ret[i] = code_value__sum(&ret[i], &none, 1, o->steps[i].added);
	}
}

static uint32_t clobbered(const struct code_values *c)
{
	return c->fns->go ? c->abi->clobbered_by_go : c->abi->clobbered;
}

static bool read_data(const struct code_values *c, const struct code_step *insn,
		      struct insn_data *ret)
{
	return insn_data__read(c->fns->set, c->bytes + insn->off, insn->len, ret);
}

static uint32_t written_by(const struct code_values *c, const struct code_step *insn)
{
	struct insn_data o;

	if (insn->site || insn->padding)
		return insn->site ? clobbered(c) : 0;
	return read_data(c, insn, &o) ? o.written : ALL;
}

/* A variable says more where nothing else is known, or of a class if a base of it is known. */
static struct code_value kept(const struct code_values *c, const struct state *s, size_t off,
			      unsigned reg)
{
	const struct code_value *known = &s->regs[reg];
	struct code_value v;

	if (known->kind != CODE_VALUE_ANY && known->kind != CODE_VALUE_POINTER)
		return *known;
	v = value_of(c, s, off, reg);
	return known->kind == CODE_VALUE_ANY || (v.to.type != known->to.type &&
						 c->fns->holds(c->fns->ctx, &v.to, &known->to)) ?
		       v :
		       *known;
}

/* The register still has what it had, though it is nobody's variable any more. */
static void keep_held(const struct code_values *c, struct state *s, const struct code_step *insn)
{
	for (unsigned reg = 0; reg < c->abi->n_regs; reg++)
		s->regs[reg] = kept(c, s, insn->off, reg);
}

static void call(const struct code_values *c, struct state *s, const struct code_step *insn)
{
	const struct call_facts *facts = &c->sites[insn->site - 1].facts;

	forget(c, s, clobbered(c));
	if (c->fns->go)
		return;
	if (facts->returns)
		s->regs[c->abi->result] = (struct code_value){CODE_VALUE_POINTER, facts->returned};
	else if (facts->fresh)
		s->regs[c->abi->result] = (struct code_value){CODE_VALUE_FRESH, {.type = insn->site - 1}};
}

static void compute(const struct code_values *c, struct state *s, const struct code_step *insn)
{
	struct code_value stepped[INSN_OPERANDS], result[INSN_MOVES];
	struct insn_move moves[INSN_MOVES];
	struct insn_data o;
	unsigned n;

	if (!read_data(c, insn, &o)) {
		forget(c, s, ALL);
		return;
	}
	n = insn_moves__read(c->fns->set, c->bytes + insn->off, insn->len, moves);
	step(c, s, insn, &o, stepped);
	for (unsigned i = 0; i < n; i++)
		result[i] = moved(c, s, insn, &moves[i]);
	forget(c, s, o.written);
	for (int i = 0; i < INSN_OPERANDS; i++) {
		if (o.steps[i].reg != INSN_NONE && !o.repeats)
			s->regs[o.steps[i].reg] = stepped[i];
	}
	for (unsigned i = 0; i < n; i++) {
		if (moves[i].kind != INSN_MOVE_STORE && moves[i].dst < c->abi->n_regs)
			s->regs[moves[i].dst] = result[i];
	}
}

static void run(const struct code_values *c, struct state *s, const struct code_step *insn)
{
	if (c->fns->ends(c->fns->ctx, insn->off, insn->off + insn->len))
		keep_held(c, s, insn);
	if (insn->site)
		call(c, s, insn);
	else if (!insn->padding)
		compute(c, s, insn);
}

/* ---------------------------------------------------------------- uses */

/* A pointer of that type is what a call gave, which begins there: of two types it is the one that
 * the other lies in. */
static void use(struct code_values *c, const struct code_value *fresh, const struct pointee *as)
{
	struct site *site = &c->sites[fresh->to.type];
	struct pointee begins = *as;

	if (fresh->kind != CODE_VALUE_FRESH || fresh->to.at != as->at || fresh->to.every ||
	    as->every || site->several)
		return;
	begins.at = 0;
	if (!site->used) {
		site->used = c->changed = true;
		site->to = begins;
	} else if (site->to.type != as->type && !c->fns->holds(c->fns->ctx, &site->to, &begins)) {
		site->several = !c->fns->holds(c->fns->ctx, &begins, &site->to);
		site->to = begins;
		c->other = true;
	}
}

static bool any_fresh(const struct code_values *c, const struct state *s)
{
	for (unsigned reg = 0; reg < c->abi->n_regs; reg++) {
		if (s->regs[reg].kind == CODE_VALUE_FRESH)
			return true;
	}
	return false;
}

/* As a variable, or as the first argument of a call. */
static void learn_fresh(struct code_values *c, const struct state *s, const struct code_step *insn)
{
	struct code_value v;

	if (!any_fresh(c, s))
		return;
	for (unsigned reg = 0; reg < c->abi->n_regs; reg++) {
		if (s->regs[reg].kind == CODE_VALUE_FRESH &&
		    c->fns->held(c->fns->ctx, insn->off, reg, &v.to))
			use(c, &s->regs[reg], &v.to);
	}
	if (insn->site && !c->fns->go && c->sites[insn->site - 1].facts.takes)
		use(c, &s->regs[c->abi->argument], &c->sites[insn->site - 1].facts.taken);
}

/* As a member that it is stored to. */
static void learn_stored(struct code_values *c, const struct state *s, const struct code_step *insn,
			 const struct insn_move *stored)
{
	struct code_value v;

	if (stored->a >= c->abi->n_regs || s->regs[stored->a].kind != CODE_VALUE_FRESH)
		return;
	v = loaded(c, s, insn, &stored->mem);
	if (v.kind == CODE_VALUE_POINTER)
		use(c, &s->regs[stored->a], &v.to);
}

/* Into a variable that is a pointer to a number goes one to where no such number lies: two counters
 * that are changed as one, say. Without optimization it is loaded from there again. */
static void learn_recast(struct code_values *c, const struct state *s, const struct code_step *insn,
			 const struct insn_move *stored)
{
	const struct code_value value = value_of(c, s, insn->off, stored->a);
	const struct code_value where = address_of(c, s, insn->off, &stored->mem);
	struct pointee number;

	if (value.kind != CODE_VALUE_POINTER || !declared(c, s, insn->off, &where, &number) ||
	    !lies_in(&number, &value) || c->fns->holds(c->fns->ctx, &value.to, &number))
		return;
	GROW(c->recast, c->n_recast, c->cap_recast);
	c->recast[c->n_recast++] = where.to.at;
	c->other = true;
}

static void learn(struct code_values *c, const struct state *s, const struct code_step *insn)
{
	struct insn_move moves[INSN_MOVES];
	unsigned n = 0;

	if (!insn->site)
		n = insn_moves__read(c->fns->set, c->bytes + insn->off, insn->len, moves);
	learn_fresh(c, s, insn);
	for (unsigned i = 0; i < n; i++) {
		if (moves[i].kind != INSN_MOVE_STORE)
			continue;
		learn_stored(c, s, insn, &moves[i]);
		learn_recast(c, s, insn, &moves[i]);
	}
}

/* ---------------------------------------------------------------- ways */

static bool are_others(const struct code_value *a, const struct code_value *b)
{
	return a->kind == CODE_VALUE_POINTER && b->kind == CODE_VALUE_POINTER &&
	       a->to.type != b->to.type;
}

/* A variable that was in a register up to here may not be one where others come from; what it is
 * declared as may say more than where it came from. */
static void meet(struct code_values *c, const struct state *s, const struct code_step *from,
		 const struct code_step *to)
{
	struct code_value *entry = entry_of(c, to);
	const struct code_value_types types = {c->fns->holds, c->fns->ctx};
	const uint32_t written = written_by(c, from);

	for (unsigned reg = 0; reg < c->abi->n_regs; reg++) {
		struct code_value v = s->regs[reg], *there = &entry[reg];

		if (there->kind != CODE_VALUE_ANY && !(written & 1U << reg) &&
		    (v.kind == CODE_VALUE_ANY || are_others(&v, there)))
			v = kept(c, s, from->off, reg);
		c->changed |= code_value__join(there, &v, &types);
	}
}

/* Nobody knows what comes in there. */
static void forget_all(struct code_values *c, const struct code_step *insn)
{
	struct code_value *entry = entry_of(c, insn);

	for (unsigned reg = 0; reg < c->abi->n_regs; reg++)
		entry[reg] = code_value__any();
}

static void run_all(struct code_values *c, bool first)
{
	struct state s;
	bool alive = false;

	for (size_t i = 0; i < c->steps.n; i++) {
		const struct code_step *insn = &c->steps.list[i];

		if (insn->entry) {
			if (alive)
				meet(c, &s, insn - 1, insn);
			else if (!first && entry_of(c, insn)->kind == CODE_VALUE_NONE &&
				 !insn->padding)
				forget_all(c, insn);
			enter(c, &s, insn);
		}
		alive = s.regs[0].kind != CODE_VALUE_NONE;
		if (!alive)
			continue;
		if (insn->target != CODE_NO_STEP)
			meet(c, &s, insn, &c->steps.list[insn->target]);
		learn(c, &s, insn);
		run(c, &s, insn);
		alive = !ends(c, insn);
	}
}

static bool settle_once(struct code_values *c)
{
	const struct code_step *start = &c->steps.list[0];

	memset(c->entries, 0, c->n_entries * c->abi->n_regs * sizeof(*c->entries));
	forget_all(c, start);
	entry_of(c, start)[c->abi->sp] = (struct code_value){
		.kind = CODE_VALUE_FRAME,
		.to = {.at = c->abi->sp_at_entry},
	};
	for (int round = 0; round < ROUNDS_MAX; round++) {
		c->changed = round == 0;
		run_all(c, round == 0);
		if (!c->changed)
			return true;
	}
	return false;
}

/* What followed from a type that a call doesn't give, or a variable doesn't have, doesn't hold. */
static bool settle(struct code_values *c)
{
	for (int again = 0; again < AGAIN_MAX; again++) {
		c->other = false;
		if (!settle_once(c) || c->n_recast > RECAST_MAX)
			return false;
		if (!c->other)
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
	c->abi = insn_abi__of(fns->set);
	code_steps__read(&c->steps, fns->set, bytes, len);
	add_sites(c);
	find_entries(c);
	return c->steps.n && settle(c) ? c : code_values__free(c);
}

struct code_values *code_values__free(struct code_values *c)
{
	if (!c)
		return NULL;
	code_steps__done(&c->steps);
	free(c->entries);
	free(c->sites);
	free(c->recast);
	free(c);
	return NULL;
}

/* False: there is no such instruction, or nothing is known there. */
static bool state_at(const struct code_values *c, size_t off, struct state *ret)
{
	const struct code_step *insn = code_steps__find(&c->steps, off), *i = insn;

	if (!insn)
		return false;
	while (i > c->steps.list && !i->entry)
		i--;
	enter(c, ret, i);
	if (ret->regs[0].kind == CODE_VALUE_NONE)
		return false;
	for (; i < insn; i++)
		run(c, ret, i);
	return true;
}

void code_values__at(const struct code_values *c, size_t off, unsigned reg, struct code_value *ret)
{
	struct state s;

	*ret = state_at(c, off, &s) ? typed(c, value_of(c, &s, off, reg)) : code_value__any();
}

struct frame_place code_values__frame(const struct code_values *c, size_t off, int64_t at)
{
	struct state s;

	if (!state_at(c, off, &s))
		forget(c, &s, ALL);
	return frame_place(c, &s, off, at);
}
