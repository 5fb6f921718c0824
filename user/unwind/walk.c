// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: functions whose CFA is in a register that they were called with
 * (_dl_runtime_resolve has it in rbx). Out of the innermost frame that is what the functions below
 * it saved, so those are followed here, from frame to frame; in the overflow program each frame of
 * each stack would pay for it.
 */
#include "unwind/walk.h"

#include <string.h>

#include "base/mem.h"

/* The dump: words of the stack from from.sp on, and the registers, as far as the frame's are
 * known. */
struct unwind_memory {
	const struct pmb_stack_dump *dump;
	uint64_t start; /* what the first copied byte was at */
	__u64 regs[PMB_UNWIND_REGS];
	bool known[PMB_UNWIND_REGS];
};

static bool unwind_read(struct unwind_memory *mem, __u64 addr, __u64 *ret)
{
	uint64_t off = addr - mem->start;

	if (addr < mem->start || off > mem->dump->n_bytes || mem->dump->n_bytes - off < 8)
		return false;
	memcpy(ret, (const char *)PMB_DUMP_COPY(mem->dump) + off, sizeof(*ret));
	return true;
}

static bool unwind_reg(struct unwind_memory *mem, unsigned index, __u64 *ret)
{
	if (index >= PMB_UNWIND_REGS || !mem->known[index])
		return false;
	*ret = mem->regs[index];
	return true;
}

#include "pmubpf/unwind_step.h"

#if defined(__x86_64__)
/* rbx, r12…r15: words of struct arch_regs, and where a signal frame has them (as
 * UNWIND_SIGNAL_FP) */
static const struct {
	uint8_t word, signal;
} saved_regs[] = {{5, 40 + 11 * 8},
		  {3, 40 + 4 * 8},
		  {2, 40 + 5 * 8},
		  {1, 40 + 6 * 8},
		  {0, 40 + 7 * 8}};
_Static_assert(ARRAY_SIZE(saved_regs) == PMB_SAVED_REGS, "those of struct pmb_unwind_rule");
#endif

/* The registers of the frame that `rule` has led to; `from` is the frame below it. */
static void step_regs(const struct pmb_unwind_rule *rule, const struct pmb_frame *from,
		      uint64_t cfa, struct unwind_memory *mem)
{
	bool known[PMB_UNWIND_REGS] = {false};

#if defined(__x86_64__)
	for (unsigned i = 0; i < PMB_SAVED_REGS; i++) {
		unsigned word = saved_regs[i].word, at = PMB_SAVED_AT(rule->saved, i);

		if (rule->cfa == PMB_CFA_SIGNAL)
			known[word] =
				unwind_read(mem, from->sp + saved_regs[i].signal, &mem->regs[word]);
		else if (rule->cfa == PMB_CFA_FRAME || at == PMB_SAVED_ELSEWHERE)
			continue;
		else if (!at)
			known[word] = mem->known[word];
		else /* as in unwind_step(): what lies below the stack is popped already */
			known[word] = cfa - 8 - at * 8 >= from->sp ?
					      unwind_read(mem, cfa - 8 - at * 8, &mem->regs[word]) :
					      mem->known[word];
	}
#else
	(void)rule, (void)from, (void)cfa;
#endif
	memcpy(mem->known, known, sizeof(known));
}

/* The rule for an address; PMB_END_NONE if it is known. */
static enum pmb_unwind_status find_rule(const struct store *store, const struct mappings *mappings,
					uint64_t pc, struct pmb_unwind_rule *ret,
					uint32_t *ret_missing)
{
	const struct mapping *m = mappings__find(mappings, pc);
	uint32_t number;
	uint64_t off;

	*ret = (struct pmb_unwind_rule){.cfa = PMB_CFA_FRAME};
	*ret_missing = 0;
	if (!m)
		return mappings__count(mappings) ? PMB_END_CORRUPT : PMB_END_NO_TABLE;
	number = store__number_of(store, mappings, m, pc, &off);
	switch (store__state(store, number)) {
	case PMB_FILE_TABLE:
		*ret = store__rule(store, number, off);
		return PMB_END_NONE;
	case PMB_FILE_GROWS:
		*ret = store__rule(store, number, off);
		if (ret->cfa != PMB_CFA_NONE)
			return PMB_END_NONE;
		*ret_missing = number;
		break;
	case PMB_FILE_FRAMES:
		return PMB_END_NONE;
	case PMB_FILE_NEVER:
		return PMB_END_NO_RULE;
	case PMB_FILE_NONE:
		*ret_missing = number;
		break;
	}
	return PMB_END_NO_TABLE;
}

static enum pmb_unwind_status walk(const struct store *store, const struct mappings *mappings,
				   const struct pmb_stack_dump *dump,
				   const struct walk_limits *limits, struct late_stack *ret,
				   bool *ret_without_rule)
{
	struct unwind_memory mem = {.dump = dump, .start = dump->from.sp & ~7ULL};
	struct pmb_frame frame = dump->from, before;
	struct pmb_unwind_rule rule;
	enum pmb_unwind_status end;
	__u64 method;

	if (frame.has_regs) {
		memcpy(mem.regs, dump->regs, sizeof(mem.regs));
		memset(mem.known, true, sizeof(mem.known));
	}
	ret->n = dump->n;
	memcpy(ret->frames, dump->frames, dump->n * sizeof(ret->frames[0]));
	for (;;) {
		if (PMB_AT_THE_TOP(frame.sp, dump->stack_top))
			return PMB_END_COMPLETE;
		end = find_rule(store, mappings, frame.ip - !frame.exact, &rule, &ret->missing);
		before = frame;
		method = end == PMB_END_NONE ? unwind_method(&rule, &frame, &mem) : 0;
		if (method)
			ret->frames[ret->n - 1] = method;
		if (end == PMB_END_NONE)
			end = (enum pmb_unwind_status)unwind_step(&rule, &frame, &mem);
		*ret_without_rule |= rule.cfa == PMB_CFA_FRAME && rule.cfa_off == PMB_WITHOUT_RULE;
		/* what stands above the first function's stack isn't copied: a rule for it was a
		 * guess */
		if ((end == PMB_END_NO_RULE || end == PMB_END_UNREADABLE) &&
		    PMB_OUTERMOST(frame.sp, dump->stack_top))
			return PMB_END_COMPLETE;
		if (end != PMB_END_NONE)
			return end;
		step_regs(&rule, &before, frame.sp, &mem);
		frame.has_regs = 1; /* those that mem says are known */
		frame.ip &= limits->user_mask;
		if (!frame.ip)
			return PMB_END_COMPLETE;
		if (ret->n >= PMB_MAX_FRAMES || ret->n >= limits->max_frames)
			return PMB_END_TRUNCATED;
		ret->frames[ret->n++] = frame.ip;
	}
}

enum pmb_unwind_status unwind_walk(const struct store *store, const struct mappings *mappings,
				   const struct pmb_stack_dump *dump,
				   const struct walk_limits *limits, struct late_stack *ret)
{
	bool without_rule = false;
	enum pmb_unwind_status end = walk(store, mappings, dump, limits, ret, &without_rule);

	return end == PMB_END_COMPLETE && without_rule ? PMB_END_COMPLETE_BY_FP : end;
}
