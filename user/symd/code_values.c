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
#include "symd/code_effects.h"
#include "symd/insn_move.h"
#include "symd/probed_insn.h"

enum {
	ROUNDS_MAX = 96,
	AGAIN_MAX = 4,
	RECAST_MAX = 64, /* each is looked for at each load */
	ROWS_MAX = 64,
	TO_RETURN_MAX = 16,
	STRAIGHT_MAX = 256,
	WORK_MAX = 400 * 1000, /* instructions, each time they are gone through: tens of ms */
};

#define ALL UINT32_MAX

struct asked {
	bool asked, known;
	size_t off;
	struct code_state state;
};

struct code_values {
	struct code_effects e;
	struct asked asked[2];
	size_t n_asked;
	struct code_steps steps;
	struct code_value *entries; /* of each all registers that there are */
	struct code_spill *spills;  /* of each CODE_SPILLS */
	bool *stale; /* of each, whether it changed since the code behind it was gone through */
	size_t n_entries;
	size_t work;
	bool changed;
	bool learned; /* what any code makes of what registers are may have changed */
	bool other;   /* a call gives something else than it was taken for, or a place has */
};

/* ---------------------------------------------------------------- instructions */

static void add_sites(struct code_values *c)
{
	for (size_t i = 0; i < c->steps.n; i++) {
		struct code_step *insn = &c->steps.list[i];
		struct code_site site = {.used = false};

		if (insn->flow != INSN_CALLS)
			continue;
		c->e.fns->call(c->e.fns->ctx, insn->off + insn->len, insn->called, &site.facts);
		GROW(c->e.sites, c->e.n_sites, c->e.cap_sites);
		c->e.sites[c->e.n_sites++] = site;
		insn->site = (uint32_t)c->e.n_sites;
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
	       (insn->site && c->e.sites[insn->site - 1].facts.never);
}

/* Where the function begins, where jumps lead to, and what comes after one, or after what fills the
 * room behind it up to a loop's head. Also within straight code, that nobody who asks for a place
 * in it has to go through all of it. */
static void find_entries(struct code_values *c)
{
	size_t since = 0;
	bool dead = false;

	if (c->steps.n)
		make_entry(c, &c->steps.list[0]);
	for (size_t i = 0; i < c->steps.n; i++) {
		struct code_step *insn = &c->steps.list[i];

		if (insn->target != CODE_NO_STEP)
			make_entry(c, &c->steps.list[insn->target]);
		if (dead || since == STRAIGHT_MAX)
			make_entry(c, insn);
		since = insn->entry ? 1 : since + 1;
		dead = ends(c, insn) || (dead && insn->padding);
	}
	c->entries = xcalloc(c->n_entries * c->e.abi->n_regs, sizeof(*c->entries));
	c->spills = xcalloc(c->n_entries * CODE_SPILLS, sizeof(*c->spills));
	c->stale = xcalloc(c->n_entries, sizeof(*c->stale));
}

static struct code_spill *spills_of(const struct code_values *c, const struct code_step *insn)
{
	return &c->spills[(size_t)(insn->entry - 1) * CODE_SPILLS];
}

static struct code_value *entry_of(const struct code_values *c, const struct code_step *insn)
{
	return &c->entries[(size_t)(insn->entry - 1) * c->e.abi->n_regs];
}

static void enter(const struct code_values *c, struct code_state *s, const struct code_step *insn)
{
	memcpy(s->regs, entry_of(c, insn), c->e.abi->n_regs * sizeof(s->regs[0]));
	memcpy(s->spills, spills_of(c, insn), sizeof(s->spills));
	code_effects__name(s, c->e.abi->n_regs, insn->off);
}

/* ---------------------------------------------------------------- uses */

/* A pointer of that type is what a call gave, which begins there: of two types it is the one that
 * the other lies in. */
static void use(struct code_values *c, const struct code_value *fresh, const struct pointee *as)
{
	struct code_site *site = &c->e.sites[fresh->to.type];
	struct pointee begins = *as;

	if (fresh->kind != CODE_VALUE_FRESH || fresh->to.at != as->at || fresh->to.every ||
	    as->every || site->several)
		return;
	begins.at = 0;
	if (!site->used) {
		site->used = c->changed = c->learned = true;
		site->to = begins;
	} else if (site->to.type != as->type &&
		   !c->e.fns->holds(c->e.fns->ctx, &site->to, &begins)) {
		site->several = !c->e.fns->holds(c->e.fns->ctx, &begins, &site->to);
		site->to = begins;
		c->other = true;
	}
}

static bool any_fresh(const struct code_values *c, const struct code_state *s)
{
	for (unsigned reg = 0; reg < c->e.abi->n_regs; reg++) {
		if (s->regs[reg].kind == CODE_VALUE_FRESH)
			return true;
	}
	return false;
}

/* As a variable, or as the first argument of a call. */
static void learn_fresh(struct code_values *c, const struct code_state *s,
			const struct code_step *insn)
{
	struct code_value v;

	if (!any_fresh(c, s))
		return;
	for (unsigned reg = 0; reg < c->e.abi->n_regs; reg++) {
		if (s->regs[reg].kind == CODE_VALUE_FRESH &&
		    c->e.fns->held(c->e.fns->ctx, insn->off, reg, &v.to))
			use(c, &s->regs[reg], &v.to);
	}
	if (insn->site && !c->e.fns->go && c->e.sites[insn->site - 1].facts.takes)
		use(c, &s->regs[c->e.abi->argument], &c->e.sites[insn->site - 1].facts.taken);
}

/* As a member that it is stored to. */
static void learn_stored(struct code_values *c, const struct code_state *s,
			 const struct code_step *insn, const struct insn_move *stored)
{
	struct code_value v;

	if (stored->a >= c->e.abi->n_regs || s->regs[stored->a].kind != CODE_VALUE_FRESH)
		return;
	v = code_effects__loaded(&c->e, s, insn, &stored->mem);
	if (v.kind == CODE_VALUE_POINTER)
		use(c, &s->regs[stored->a], &v.to);
}

/* Into a variable that is a pointer to a number goes one to where no such number lies: two counters
 * that are changed as one, say. Without optimization it is loaded from there again. */
static void learn_recast(struct code_values *c, const struct code_state *s,
			 const struct code_step *insn, const struct insn_move *stored)
{
	const struct code_value value = code_effects__value(&c->e, s, insn->off, stored->a);
	const struct code_value where = code_effects__address(&c->e, s, insn, &stored->mem);
	struct pointee number;

	if (c->e.n_recast > RECAST_MAX || value.kind != CODE_VALUE_POINTER ||
	    !code_effects__declared(&c->e, s, insn->off, &where, &number) ||
	    !code_effects__lies_in(&number, &value) ||
	    c->e.fns->holds(c->e.fns->ctx, &value.to, &number))
		return;
	GROW(c->e.recast, c->e.n_recast, c->e.cap_recast);
	c->e.recast[c->e.n_recast++] = where.to.at;
	c->other = true;
}

/* A variable that leads to one of several is a row's, wherever it is loaded: of a pointer to a
 * number nothing else says so. */
static void learn_row(struct code_values *c, const struct code_state *s,
		      const struct code_step *insn, const struct insn_move *stored)
{
	const struct code_value value = code_effects__value(&c->e, s, insn->off, stored->a);
	const struct code_value where = code_effects__address(&c->e, s, insn, &stored->mem);
	struct pointee number;

	if (c->e.n_rows == ROWS_MAX || value.kind != CODE_VALUE_POINTER || value.to.aggregate ||
	    !code_effects__declared(&c->e, s, insn->off, &where, &number) || number.row ||
	    !code_effects__is_row(&value, &number))
		return;
	GROW(c->e.rows, c->e.n_rows, c->e.cap_rows);
	c->e.rows[c->e.n_rows++] = where.to.at;
	c->changed = c->learned = true;
}

static bool returns_at(const struct code_values *c, const struct code_step *insn)
{
	struct probed_before before = {0};
	struct probed_insn probed;

	return probed_insn__read(c->e.fns->set, c->e.bytes + insn->off, insn->len,
				 c->e.fns->vaddr + insn->off, &before, &probed) &&
	       probed.kind == PROBED_RETURNS;
}

/* What a call gave is what the function returns, and nothing else is done to it from there on. */
static void learn_returned(struct code_values *c, const struct code_state *s,
			   const struct code_step *insn)
{
	const struct code_step *end = c->steps.list + c->steps.n;
	const unsigned result = c->e.abi->result;

	if (!c->e.fns->returns || s->regs[result].kind != CODE_VALUE_FRESH)
		return;
	for (unsigned i = 0; i < TO_RETURN_MAX && insn < end && insn->flow == INSN_GOES_ON &&
			     !(code_effects__written(&c->e, insn) & 1U << result);
	     i++, c->work++)
		insn++;
	if (insn < end && insn->flow == INSN_ENDS && returns_at(c, insn))
		use(c, &s->regs[result], &c->e.fns->returned);
}

static void learn(struct code_values *c, const struct code_state *s, const struct code_step *insn)
{
	struct insn_move moves[INSN_MOVES];
	unsigned n = 0;

	if (!insn->site)
		n = insn_moves__read(c->e.fns->set, c->e.bytes + insn->off, insn->len, moves);
	learn_fresh(c, s, insn);
	for (unsigned i = 0; i < n; i++) {
		if (moves[i].kind != INSN_MOVE_STORE)
			continue;
		learn_stored(c, s, insn, &moves[i]);
		learn_recast(c, s, insn, &moves[i]);
		learn_row(c, s, insn, &moves[i]);
	}
	learn_returned(c, s, insn);
}

/* ---------------------------------------------------------------- ways */

static bool are_others(const struct code_value *a, const struct code_value *b)
{
	return a->kind == CODE_VALUE_POINTER && b->kind == CODE_VALUE_POINTER &&
	       a->to.type != b->to.type;
}

static const struct code_value *spilled_at(const struct code_state *s, int64_t at)
{
	static const struct code_value any = {.kind = CODE_VALUE_ANY};

	for (int i = 0; i < CODE_SPILLS; i++) {
		if (s->spills[i].value.kind != CODE_VALUE_NONE && s->spills[i].at == at)
			return &s->spills[i].value;
	}
	return &any;
}

/* What is spilled on all ways. True: less than was known. */
static bool meet_spills(struct code_values *c, const struct code_state *s, struct code_spill *there,
			bool first)
{
	const struct code_value_types types = {c->e.fns->holds, c->e.fns->ctx};
	bool changed = false;

	if (first) {
		memcpy(there, s->spills, sizeof(s->spills));
		return true;
	}
	for (int i = 0; i < CODE_SPILLS; i++) {
		if (there[i].value.kind == CODE_VALUE_NONE)
			continue;
		changed |= code_value__join(&there[i].value, spilled_at(s, there[i].at), &types);
		if (there[i].value.kind == CODE_VALUE_ANY)
			there[i].value.kind = CODE_VALUE_NONE;
	}
	return changed;
}

/* A variable that was in a register up to here may not be one where others come from; what it is
 * declared as may say more than where it came from. */
static void meet(struct code_values *c, const struct code_state *s, const struct code_step *from,
		 const struct code_step *to)
{
	struct code_value *entry = entry_of(c, to);
	const struct code_value_types types = {c->e.fns->holds, c->e.fns->ctx};
	const uint32_t written = code_effects__written(&c->e, from);

	bool changed = meet_spills(c, s, spills_of(c, to), entry->kind == CODE_VALUE_NONE);

	for (unsigned reg = 0; reg < c->e.abi->n_regs; reg++) {
		struct code_value v = s->regs[reg], *there = &entry[reg];

		/* where the function begins, whoever leads to there: Go's, once they have more
		 * stack, from behind calls that never come back */
		if (to == c->steps.list && reg == c->e.abi->sp)
			continue;
		if (there->kind != CODE_VALUE_ANY && !(written & 1U << reg) &&
		    (code_value__is_unknown(&v) || are_others(&v, there)))
			v = code_effects__kept(&c->e, s, from->off, reg);
		changed |= code_value__join(there, &v, &types);
	}
	c->stale[to->entry - 1] |= changed;
	c->changed |= changed;
}

/* Nobody knows what comes in there. */
static void forget_all(struct code_values *c, const struct code_step *insn)
{
	struct code_value *entry = entry_of(c, insn);

	for (unsigned reg = 0; reg < c->e.abi->n_regs; reg++)
		entry[reg] = code_value__any();
	memset(spills_of(c, insn), 0, CODE_SPILLS * sizeof(*c->spills));
	c->stale[insn->entry - 1] = c->changed = true;
}

/* What is known where that instruction is, if the code behind it has to be gone through. */
static bool begin(struct code_values *c, struct code_state *s, const struct code_step *insn,
		  bool again)
{
	bool *stale = &c->stale[insn->entry - 1];
	const bool was = *stale || again;

	*stale = false;
	enter(c, s, insn);
	return was && s->regs[0].kind != CODE_VALUE_NONE;
}

/* all: also what nothing led to so far; again: all of it. */
static void run_all(struct code_values *c, bool all, bool again)
{
	struct code_state s;
	bool alive = false;

	for (size_t i = 0; i < c->steps.n; i++) {
		const struct code_step *insn = &c->steps.list[i];

		if (insn->entry) {
			if (alive)
				meet(c, &s, insn - 1, insn);
			else if (all && entry_of(c, insn)->kind == CODE_VALUE_NONE &&
				 !insn->padding)
				forget_all(c, insn);
			alive = begin(c, &s, insn, again);
		}
		if (!alive)
			continue;
		c->work++;
		if (insn->target != CODE_NO_STEP) {
			learn_returned(c, &s, &c->steps.list[insn->target]);
			meet(c, &s, insn, &c->steps.list[insn->target]);
		}
		learn(c, &s, insn);
		code_effects__run(&c->e, &s, insn);
		alive = !ends(c, insn);
	}
}

/* The bodies of loops within loops are led to only after some rounds, where compilers put what ends
 * a loop behind it. So what nothing leads to comes last. */
static bool settle_once(struct code_values *c)
{
	const struct code_step *start = &c->steps.list[0];
	bool all = false, again;

	memset(c->spills, 0, c->n_entries * CODE_SPILLS * sizeof(*c->spills));
	memset(c->entries, 0, c->n_entries * c->e.abi->n_regs * sizeof(*c->entries));
	forget_all(c, start);
	if (c->e.fns->entry)
		entry_of(c, start)[c->e.abi->sp] = (struct code_value){
			.kind = CODE_VALUE_FRAME,
			.to = {.at = c->e.abi->sp_at_entry},
		};
	for (int round = 0; round < ROUNDS_MAX; round++) {
		if (c->work > WORK_MAX)
			return false;
		again = c->learned;
		c->changed = c->learned = false;
		run_all(c, all, again);
		if (!c->changed && all)
			return true;
		all |= !c->changed;
	}
	return false;
}

/* What followed from a type that a call doesn't give, or a variable doesn't have, doesn't hold. */
static bool settle(struct code_values *c)
{
	for (int again = 0; again < AGAIN_MAX; again++) {
		c->other = false;
		if (!settle_once(c) || c->e.n_recast > RECAST_MAX)
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

	c->e.bytes = bytes;
	c->e.fns = fns;
	c->e.abi = insn_abi__of(fns->set);
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
	free(c->spills);
	free(c->stale);
	free(c->e.sites);
	free(c->e.recast);
	free(c->e.rows);
	free(c);
	return NULL;
}

/* False: there is no such instruction, or nothing is known there. */
static bool find_state(const struct code_values *c, size_t off, struct code_state *ret)
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
		code_effects__run(&c->e, ret, i);
	return true;
}

/* Several registers are asked for, at an instruction and where it was sampled. */
static bool state_at(struct code_values *c, size_t off, struct code_state *ret)
{
	struct asked *asked = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(c->asked) && !asked; i++) {
		if (c->asked[i].asked && c->asked[i].off == off)
			asked = &c->asked[i];
	}
	if (!asked) {
		asked = &c->asked[c->n_asked++ % ARRAY_SIZE(c->asked)];
		asked->asked = true;
		asked->off = off;
		asked->known = find_state(c, off, &asked->state);
	}
	*ret = asked->state;
	return asked->known;
}

void code_values__at(struct code_values *c, size_t off, unsigned reg, struct code_value *ret)
{
	struct code_state s;

	*ret = code_value__any();
	if (state_at(c, off, &s))
		*ret = code_value__unnamed(
			code_effects__typed(&c->e, code_effects__value(&c->e, &s, off, reg)));
}

struct frame_place code_values__frame(struct code_values *c, size_t off, int64_t at)
{
	struct code_state s;

	if (!state_at(c, off, &s))
		code_effects__forget(&c->e, &s, ALL);
	return code_effects__frame(&c->e, &s, off, at);
}

/* All that is written by the steps of a straight stretch. */
static uint32_t written_between(const struct code_values *c, const struct code_step *from,
				const struct code_step *to)
{
	uint32_t written = 0;

	for (; from < to; from++)
		written |= from->flow == INSN_GOES_ON ? code_effects__written(&c->e, from) : ALL;
	return written;
}

/* The one that made the register what it is. NULL: it isn't near, or ways meet between. */
static const struct code_step *maker_of(const struct code_values *c, const struct code_step *insn,
					unsigned reg)
{
	enum { BACK_MAX = 16 };
	const struct code_step *first = insn - c->steps.list > BACK_MAX ? insn - BACK_MAX :
									  c->steps.list;

	while (insn > first && !insn->entry && insn[-1].flow == INSN_GOES_ON) {
		insn--;
		if (code_effects__written(&c->e, insn) & 1U << reg)
			return insn;
	}
	return NULL;
}

bool code_values__origin(struct code_values *c, size_t off, size_t until, unsigned reg,
			 uint8_t *ret_reg, struct code_value *ret)
{
	const struct code_step *insn = code_steps__find(&c->steps, off), *maker;
	const struct code_step *last = code_steps__find(&c->steps, until);
	struct insn_move moves[INSN_MOVES];
	struct code_state s;

	maker = insn && last && reg < c->e.abi->n_regs ? maker_of(c, insn, reg) : NULL;
	if (!maker ||
	    insn_moves__read(c->e.fns->set, c->e.bytes + maker->off, maker->len, moves) != 1 ||
	    moves[0].kind != INSN_MOVE_SUM || moves[0].a >= c->e.abi->n_regs ||
	    written_between(c, maker, last) & 1U << moves[0].a || !state_at(c, maker->off, &s))
		return false;
	*ret_reg = moves[0].a;
	*ret = code_effects__typed(&c->e, code_effects__value(&c->e, &s, maker->off, moves[0].a));
	return ret->kind == CODE_VALUE_POINTER && !ret->to.every;
}
