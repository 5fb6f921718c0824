// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/code_steps.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/search.h"

struct code_step *code_steps__find(const struct code_steps *steps, uint64_t off)
{
	size_t at = FIRST_INDEX(i, steps->n, steps->list[i].off >= off);

	return at < steps->n && steps->list[at].off == off ? &steps->list[at] : NULL;
}

/* So far targets are offsets. */
static void find_targets(struct code_steps *steps)
{
	for (size_t i = 0; i < steps->n; i++) {
		struct code_step *step = &steps->list[i], *to = NULL;

		if (step->target != CODE_NO_STEP)
			to = code_steps__find(steps, step->target);
		step->target = to ? (uint32_t)(to - steps->list) : CODE_NO_STEP;
	}
}

void code_steps__read(struct code_steps *ret, enum insn_set set, const uint8_t *bytes, size_t len)
{
	struct insn_data o;

	for (size_t off = 0; off < len; off += o.len) {
		struct code_step step = {.off = (uint32_t)off, .target = CODE_NO_STEP};
		int64_t to;

		insn_data__read_flow(set, bytes + off, len - off, &o);
		if (!o.len)
			break;
		step.len = o.len;
		step.flow = o.flow;
		step.padding = o.padding;
		to = (int64_t)off + o.target;
		if (o.has_target && o.flow == INSN_CALLS)
			step.called = to;
		if (o.has_target && (o.flow == INSN_BRANCHES || o.flow == INSN_JUMPS) && to >= 0 &&
		    to < (int64_t)len)
			step.target = (uint32_t)to;
		GROW(ret->list, ret->n, ret->cap);
		ret->list[ret->n++] = step;
	}
	find_targets(ret);
}

void code_steps__done(struct code_steps *steps)
{
	free(steps->list);
	*steps = (struct code_steps){0};
}
