// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/code_effects.h"

#include "base/mem.h"
#include "symd/insn_move.h"

#define ALL UINT32_MAX

bool code_effects__lies_in(const struct pointee *number, const struct code_value *in)
{
	int64_t off;

	return !number->aggregate && in->kind == CODE_VALUE_POINTER && in->to.aggregate &&
	       !in->to.every && !__builtin_sub_overflow(in->to.at, number->at, &off) && off >= 0 &&
	       off < (int64_t)in->to.size;
}

bool code_effects__is_row(const struct code_value *v, const struct pointee *of)
{
	return v->kind == CODE_VALUE_POINTER && v->to.type == of->type &&
	       (v->to.every ? v->to.every % of->size == 0 : v->to.row) &&
	       (v->to.at - of->at) % (int64_t)of->size == 0;
}

struct code_value code_effects__value(const struct code_effects *e, const struct code_state *s,
				      size_t off, unsigned reg)
{
	struct code_value v = {.kind = CODE_VALUE_POINTER};
	const struct code_value *known;

	if (reg >= e->abi->n_regs || reg == e->abi->zero)
		return code_value__number(0, 0);
	known = &s->regs[reg];
	if (reg == e->abi->sp || !e->fns->held(e->fns->ctx, off, reg, &v.to) ||
	    code_value__checked(v).kind == CODE_VALUE_ANY || code_effects__lies_in(&v.to, known))
		return *known;
	/* where it came from says more of it than a variable's type */
	if (known->kind == CODE_VALUE_POINTER && known->to.type == v.to.type &&
	    known->to.at == v.to.at && !v.to.node)
		v.to.node = known->to.node;
	v.to.row |= code_effects__is_row(known, &v.to);
	return v;
}

struct code_value code_effects__typed(const struct code_effects *e, struct code_value v)
{
	const struct code_site *site = v.kind == CODE_VALUE_FRESH ? &e->sites[v.to.type] : NULL;
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

struct code_value code_effects__address(const struct code_effects *e, const struct code_state *s,
					const struct code_step *insn, const struct insn_memory *m)
{
	struct code_value base = code_effects__value(e, s, insn->off, m->base);
	struct code_value index = code_effects__value(e, s, insn->off, m->index);

	if (m->segment || m->loose)
		return code_value__any();
	if (m->base == m->index && !m->extend)
		return code_value__twice(&base, 1 + m->scale, m->disp);
	if (m->base == INSN_IP)
		base = (struct code_value){.kind = CODE_VALUE_ADDRESS,
					   .to = {.at = insn->off + insn->len}};
	if (m->extend)
		index = code_value__half(&index);
	return code_value__sum(&base, &index, m->scale, m->disp);
}

/* arm64's adrp */
static struct code_value page_of(const struct code_effects *e, const struct code_step *insn,
				 int64_t number)
{
	const uint64_t page = (e->fns->vaddr + insn->off) & ~4095ULL;
	const struct code_value v = {
		.kind = CODE_VALUE_ADDRESS,
		.to = {.at = (int64_t)(page - e->fns->vaddr) + number},
	};

	return code_value__checked(v);
}

struct frame_place code_effects__frame(const struct code_effects *e, const struct code_state *s,
				       size_t off, int64_t at)
{
	const uint8_t regs[N_FRAME_BYS] = {[FRAME_BY_SP] = e->abi->sp, [FRAME_BY_FP] = e->abi->fp};
	struct frame_place place = {.at = at};

	for (enum frame_by by = FRAME_BY_SP; by < N_FRAME_BYS; by++) {
		struct code_value v = code_effects__value(e, s, off, regs[by]);
		bool known = v.kind == CODE_VALUE_FRAME && !v.to.every;

		place.by[by] = known ? v.to.at : FRAME_NOWHERE;
	}
	return place;
}

static bool is_among(const int64_t *places, size_t n, int64_t at)
{
	for (size_t i = 0; i < n; i++) {
		if (places[i] == at)
			return true;
	}
	return false;
}

bool code_effects__declared(const struct code_effects *e, const struct code_state *s, size_t off,
			    const struct code_value *where, struct pointee *ret)
{
	struct frame_place place;

	if (where->kind != CODE_VALUE_FRAME || where->to.every ||
	    is_among(e->recast, e->n_recast, where->to.at))
		return false;
	place = code_effects__frame(e, s, off, where->to.at);
	if (!e->fns->in_frame(e->fns->ctx, off, &place, ret))
		return false;
	ret->row |= !ret->aggregate && is_among(e->rows, e->n_rows, where->to.at);
	return true;
}

struct code_value code_effects__loaded(const struct code_effects *e, const struct code_state *s,
				       const struct code_step *insn, const struct insn_memory *m)
{
	const struct code_value where =
		code_effects__typed(e, code_effects__address(e, s, insn, m));
	struct code_value v = {.kind = CODE_VALUE_POINTER};
	const struct code_values_fns *fns = e->fns;
	bool known = false;

	if (where.kind == CODE_VALUE_ADDRESS)
		known = !where.to.every && fns->at_address(fns->ctx, where.to.at, &v.to);
	else if (where.kind == CODE_VALUE_POINTER)
		known = fns->in_object(fns->ctx, &where.to, &v.to);
	else
		known = code_effects__declared(e, s, insn->off, &where, &v.to);
	return known ? v : code_value__any();
}

/* What was spilled there, if no variable says more. */
static struct code_value reloaded(const struct code_effects *e, const struct code_state *s,
				  const struct code_step *insn, const struct insn_memory *m)
{
	struct code_value v = code_effects__loaded(e, s, insn, m), where;

	if (v.kind != CODE_VALUE_ANY)
		return v;
	where = code_effects__address(e, s, insn, m);
	for (int i = 0; i < CODE_SPILLS && where.kind == CODE_VALUE_FRAME && !where.to.every; i++) {
		if (s->spills[i].value.kind != CODE_VALUE_NONE && s->spills[i].at == where.to.at)
			return s->spills[i].value;
	}
	return v;
}

/* What is stored, or added to what lies there. */
static struct code_value stored(const struct code_effects *e, const struct code_state *s,
				const struct code_step *insn, const struct insn_move *m)
{
	const struct code_value number = code_value__number(m->number, 0);
	struct code_value v;

	if (m->kind == INSN_MOVE_STORE)
		return m->a == INSN_NONE ? code_value__checked(number) :
					   code_effects__value(e, s, insn->off, m->a);
	v = reloaded(e, s, insn, &m->mem);
	return code_value__sum(&v, &number, 1, 0);
}

static bool stores(const struct insn_move *m)
{
	return m->kind == INSN_MOVE_STORE || m->kind == INSN_MOVE_STEP;
}

static bool is_factor(const struct code_value *v)
{
	return v->kind == CODE_VALUE_NUMBER && v->to.at > 0 && !v->to.every && !v->name;
}

/* One of the two factors has to be known. */
static struct code_value product(const struct code_effects *e, const struct code_state *s,
				 const struct code_step *insn, const struct insn_move *m)
{
	struct code_value to = code_effects__value(e, s, insn->off, m->a);
	struct code_value b = code_effects__value(e, s, insn->off, m->b);
	struct code_value by = code_effects__value(e, s, insn->off, m->c);
	const bool first = is_factor(&b);
	struct code_value times = first ? by : b;

	if (m->half)
		times = code_value__half(&times);
	times = first || is_factor(&by) ? code_value__times(&times, first ? b.to.at : by.to.at) :
					  code_value__any();
	return code_value__sum(&to, &times, 1, 0);
}

static struct code_value flag(const struct code_value *of)
{
	struct code_value v = code_value__number(0, 1);

	v.to.two = of->kind == CODE_VALUE_NUMBER && !of->to.at && !of->to.every && !of->name;
	return v.to.two ? v : code_value__any();
}

static struct code_value sum(const struct insn_move *m, const struct code_value *a,
			     const struct code_value *b)
{
	const struct code_value half = code_value__half(b);

	if (m->a == m->b && !m->half)
		return code_value__twice(a, 1 + (unsigned)m->number, 0);
	return code_value__sum(a, m->half ? &half : b, (unsigned)m->number, 0);
}

static bool loads_second(const struct insn_move *m)
{
	return m->kind == INSN_MOVE_SUM_LOAD || m->kind == INSN_MOVE_TIMES_LOAD ||
	       m->kind == INSN_MOVE_CHOICE_LOAD;
}

static struct code_value moved(const struct code_effects *e, const struct code_state *s,
			       const struct code_step *insn, const struct insn_move *m)
{
	struct code_value a = code_effects__value(e, s, insn->off, m->a);
	struct code_value b = code_effects__value(e, s, insn->off, m->b);
	const struct code_value_types types = {e->fns->holds, e->fns->ctx};

	if (loads_second(m))
		b = reloaded(e, s, insn, &m->mem);
	switch (m->kind) {
	case INSN_MOVE_COPY:
		return a;
	case INSN_MOVE_EXTEND:
		return code_value__half(&a);
	case INSN_MOVE_NUMBER:
		return code_value__checked(code_value__number(m->number, 0));
	case INSN_MOVE_LOAD:
		return reloaded(e, s, insn, &m->mem);
	case INSN_MOVE_LEA:
		return code_effects__address(e, s, insn, &m->mem);
	case INSN_MOVE_PAGE:
		return page_of(e, insn, m->number);
	case INSN_MOVE_SUM:
		return sum(m, &a, &b);
	case INSN_MOVE_DIFFERENCE:
		return code_value__difference(&a, &b);
	case INSN_MOVE_PRODUCT:
		return product(e, s, insn, m);
	case INSN_MOVE_SUM_LOAD:
		return code_value__sum(&a, &b, 1, 0);
	case INSN_MOVE_TIMES_LOAD:
		return code_value__times(&b, m->number);
	case INSN_MOVE_CHOICE:
	case INSN_MOVE_CHOICE_LOAD:
		code_value__join(&a, &b, &types);
		return a;
	case INSN_MOVE_FLAG:
		return flag(&a);
	case INSN_MOVE_STORE:
	case INSN_MOVE_STEP:
		return stored(e, s, insn, m);
	}
	return code_value__any();
}

void code_effects__forget(const struct code_effects *e, struct code_state *s, uint32_t regs)
{
	for (unsigned reg = 0; reg < e->abi->n_regs; reg++) {
		if (regs & 1U << reg)
			s->regs[reg] = code_value__any();
	}
}

/* What registers to which a number is added are then. */
static void step(const struct code_effects *e, const struct code_state *s,
		 const struct code_step *insn, const struct insn_data *o,
		 struct code_value ret[INSN_OPERANDS])
{
	const struct code_value none = code_value__number(0, 0);

	for (int i = 0; i < INSN_OPERANDS; i++) {
		if (o->steps[i].reg == INSN_NONE)
			continue;
		ret[i] = code_effects__value(e, s, insn->off, o->steps[i].reg);
		ret[i] = code_value__sum(&ret[i], &none, 1, o->steps[i].added);
	}
}

static uint32_t clobbered(const struct code_effects *e)
{
	return e->fns->go ? e->abi->clobbered_by_go : e->abi->clobbered;
}

static bool read_data(const struct code_effects *e, const struct code_step *insn,
		      struct insn_data *ret)
{
	return insn_data__read(e->fns->set, e->bytes + insn->off, insn->len, ret);
}

uint32_t code_effects__written(const struct code_effects *e, const struct code_step *insn)
{
	struct insn_data o;

	if (insn->site || insn->padding)
		return insn->site ? clobbered(e) : 0;
	return read_data(e, insn, &o) ? o.written : ALL;
}

struct code_value code_effects__kept(const struct code_effects *e, const struct code_state *s,
				     size_t off, unsigned reg)
{
	const struct code_value *known = &s->regs[reg];
	struct code_value v;

	if (!code_value__is_unknown(known) && known->kind != CODE_VALUE_POINTER)
		return *known;
	v = code_effects__value(e, s, off, reg);
	return known->kind != CODE_VALUE_POINTER ||
			       (v.to.type != known->to.type &&
				e->fns->holds(e->fns->ctx, &v.to, &known->to)) ?
		       v :
		       *known;
}

/* ---------------------------------------------------------------- spills */

static void drop_spills(struct code_state *s, int64_t from, int64_t to)
{
	enum { WORD = 8 };

	for (int i = 0; i < CODE_SPILLS; i++) {
		if (s->spills[i].at < to && s->spills[i].at + WORD > from)
			s->spills[i].value.kind = CODE_VALUE_NONE;
	}
}

/* Half of the room is pointers'. */
static void add_spill(struct code_state *s, int64_t at, const struct code_value *value)
{
	for (int i = value->kind == CODE_VALUE_NUMBER ? CODE_SPILLS / 2 : 0; i < CODE_SPILLS; i++) {
		if (s->spills[i].value.kind != CODE_VALUE_NONE)
			continue;
		s->spills[i] = (struct code_spill){at, *value};
		return;
	}
}

/* Whatever the instruction stores over. What isn't known to lie in the frame is elsewhere. */
static void store_over(const struct code_effects *e, struct code_state *s,
		       const struct code_step *insn, const struct insn_data *o)
{
	for (int i = 0; i < o->n; i++) {
		const struct insn_memory *m = &o->mem[i];
		struct code_value where;

		if (!(m->access & INSN_STORE))
			continue;
		where = code_effects__address(e, s, insn, m);
		if (where.kind != CODE_VALUE_FRAME)
			continue;
		if (where.to.every || o->repeats)
			drop_spills(s, INT64_MIN, INT64_MAX);
		else
			drop_spills(s, where.to.at, where.to.at + m->size);
	}
}

static void spill(const struct code_effects *e, struct code_state *s, const struct code_step *insn,
		  const struct code_value *where, const struct code_value *value)
{
	const struct code_value v = code_value__unnamed(*value);
	struct frame_place place;

	if (where->kind != CODE_VALUE_FRAME || where->to.every ||
	    (v.kind != CODE_VALUE_POINTER && v.kind != CODE_VALUE_FRESH &&
	     v.kind != CODE_VALUE_NUMBER))
		return;
	place = code_effects__frame(e, s, insn->off, where->to.at);
	if (!e->fns->any_variable(e->fns->ctx, insn->off, &place))
		add_spill(s, where->to.at, &v);
}

/* Who is called uses what lies below, and may store to all that it is told of. */
static void drop_called(const struct code_effects *e, struct code_state *s)
{
	const struct code_value *sp = &s->regs[e->abi->sp];
	const bool known = sp->kind == CODE_VALUE_FRAME && !sp->to.every;

	drop_spills(s, INT64_MIN, known ? sp->to.at : INT64_MAX);
	for (unsigned reg = 0; reg < e->abi->n_regs; reg++) {
		const struct code_value *v = &s->regs[reg];

		if (v->kind == CODE_VALUE_FRAME && reg != e->abi->sp && reg != e->abi->fp)
			drop_spills(s, v->to.every ? INT64_MIN : v->to.at, INT64_MAX);
	}
}

/* ---------------------------------------------------------------- all of it */

/* The register still has what it had, though it is nobody's variable any more. */
static void keep_held(const struct code_effects *e, struct code_state *s,
		      const struct code_step *insn)
{
	for (unsigned reg = 0; reg < e->abi->n_regs; reg++)
		s->regs[reg] = code_effects__kept(e, s, insn->off, reg);
}

/* riscv64's -msave-restore */
static bool changes_sp(const struct code_effects *e, const struct code_step *insn)
{
	struct insn_data o;

	return e->abi->other_link != INSN_NONE &&
	       (!read_data(e, insn, &o) || o.written & 1U << e->abi->other_link);
}

static void call(const struct code_effects *e, struct code_state *s, const struct code_step *insn)
{
	const struct call_facts *facts = &e->sites[insn->site - 1].facts;

	drop_called(e, s);
	code_effects__forget(e, s, clobbered(e));
	if (changes_sp(e, insn))
		code_effects__forget(e, s, 1U << e->abi->sp);
	if (e->fns->go)
		return;
	if (facts->returns)
		s->regs[e->abi->result] = (struct code_value){
			.kind = CODE_VALUE_POINTER,
			.to = facts->returned,
		};
	else if (facts->fresh)
		s->regs[e->abi->result] = (struct code_value){
			.kind = CODE_VALUE_FRESH,
			.to = {.type = insn->site - 1},
		};
}

static void compute(const struct code_effects *e, struct code_state *s,
		    const struct code_step *insn)
{
	struct code_value stepped[INSN_OPERANDS], result[INSN_MOVES], to[INSN_MOVES];
	struct insn_move moves[INSN_MOVES];
	struct insn_data o;
	unsigned n;

	if (!read_data(e, insn, &o)) {
		code_effects__forget(e, s, ALL);
		drop_spills(s, INT64_MIN, INT64_MAX);
		return;
	}
	n = insn_moves__read(e->fns->set, e->bytes + insn->off, insn->len, moves);
	step(e, s, insn, &o, stepped);
	for (unsigned i = 0; i < n; i++) {
		result[i] = moved(e, s, insn, &moves[i]);
		to[i] = stores(&moves[i]) ? code_effects__address(e, s, insn, &moves[i].mem) :
					    code_value__any();
	}
	store_over(e, s, insn, &o);
	for (unsigned i = 0; i < n; i++)
		spill(e, s, insn, &to[i], &result[i]);
	code_effects__forget(e, s, o.written);
	for (int i = 0; i < INSN_OPERANDS; i++) {
		if (o.steps[i].reg != INSN_NONE && !o.repeats)
			s->regs[o.steps[i].reg] = stepped[i];
	}
	for (unsigned i = 0; i < n; i++) {
		if (!stores(&moves[i]) && moves[i].dst < e->abi->n_regs)
			s->regs[moves[i].dst] = result[i];
	}
}

void code_effects__name(struct code_state *s, unsigned n_regs, uint64_t at)
{
	for (unsigned reg = 0; reg < n_regs; reg++) {
		struct code_value *v = &s->regs[reg];

		if (v->kind == CODE_VALUE_ANY && !v->name)
			*v = code_value__named((at * INSN_REGS + reg) + 1);
	}
}

void code_effects__run(const struct code_effects *e, struct code_state *s,
		       const struct code_step *insn)
{
	if (e->fns->ends(e->fns->ctx, insn->off, insn->off + insn->len))
		keep_held(e, s, insn);
	if (insn->site)
		call(e, s, insn);
	else if (!insn->padding)
		compute(e, s, insn);
	code_effects__name(s, e->abi->n_regs, insn->off + insn->len);
}
