// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: ways multiply. So it goes back by one instruction on all of them, then by another
 * one, and stops when so many were looked at: what is missed then is further away than all that was
 * found. Ways end at calls, since nobody knows what these left in registers, and where nothing that
 * the code says leads to.
 */
#include "symd/code_search.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "symd/code_steps.h"
#include "symd/code_undo.h"

enum {
	BACK_MAX = 16, /* instructions */
	WAYS_MAX = 96,
	ALL_WRITTEN = 0xffff,
};

/* What came after an instruction, on one way. */
struct way {
	uint32_t step, back;
	struct code_undo undo;
};

struct search {
	const struct code_bytes *code;
	struct code_steps steps;
	bool *targets; /* which steps branches lead to */
	struct way ways[WAYS_MAX];
	size_t n;
	bool blocked;
	struct pmb_place *ret;
};

static bool is_same(const struct pmb_operand *a, const struct pmb_operand *b)
{
	return a->insn == b->insn && a->which == b->which && a->disp == b->disp &&
	       a->flags == b->flags;
}

static void put(struct search *s, const struct pmb_operand *o)
{
	for (int i = 0; i < s->ret->n; i++) {
		if (is_same(&s->ret->operands[i], o))
			return;
	}
	if (s->ret->n < PMB_PLACE_OPERANDS)
		s->ret->operands[s->ret->n++] = *o;
}

/* Back over a step, from where a way has got to. */
static void go_back(struct search *s, const struct way *from, uint32_t to)
{
	const struct code_step *step = &s->steps.list[to];
	const struct code_bytes *code = s->code;
	struct insn_data o;
	struct way *way;

	if (s->n == WAYS_MAX)
		return;
	if (step->flow == INSN_CALLS ||
	    !insn_data__read(code->set, code->bytes + step->off, code->len - step->off, &o) ||
	    o.written == ALL_WRITTEN) {
		s->blocked = true;
		return;
	}
	way = &s->ways[s->n++];
	*way = (struct way){to, from->back + 1, from->undo};
	code_undo__step(&way->undo, &o);
	for (int i = 0; i < o.n; i++) {
		struct pmb_operand operand =
			code_undo__operand(&way->undo, &o, i, step->off, code->at);

		put(s, &operand);
	}
}

static void look_before(struct search *s, size_t at)
{
	const struct way from = s->ways[at];
	const uint32_t to = from.step;

	if (to && s->steps.list[to - 1].flow != INSN_JUMPS &&
	    s->steps.list[to - 1].flow != INSN_ENDS)
		go_back(s, &from, to - 1);
	else if (!to || !s->targets[to])
		s->blocked = true;
	for (size_t i = 0; s->targets[to] && i < s->steps.n; i++) {
		if (s->steps.list[i].target == to)
			go_back(s, &from, (uint32_t)i);
	}
}

static void mark_targets(struct search *s)
{
	s->targets = xcalloc(s->steps.n, sizeof(*s->targets));
	for (size_t i = 0; i < s->steps.n; i++) {
		if (s->steps.list[i].target != CODE_NO_STEP)
			s->targets[s->steps.list[i].target] = true;
	}
}

void code_search__find(const struct code_bytes *code, struct pmb_place *ret)
{
	struct search *s = xcalloc(1, sizeof(*s));
	const struct code_step *here;

	s->code = code;
	s->ret = ret;
	code_steps__read(&s->steps, code->set, code->bytes, code->len);
	here = code_steps__find(&s->steps, code->at);
	if (here) {
		mark_targets(s);
		s->ways[s->n++].step = (uint32_t)(here - s->steps.list);
		for (size_t i = 0; i < s->n && s->ways[i].back < BACK_MAX; i++)
			look_before(s, i);
		ret->finding = ret->n     ? PMB_PLACE_FOUND :
			       s->blocked ? PMB_PLACE_BLOCKED :
					    PMB_PLACE_FAR;
	}
	code_steps__done(&s->steps);
	free(s->targets);
	free(s);
}
