// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "unwind/walk.h"

#include <string.h>

/* The slice: words of the stack from from.sp on, and the registers. */
struct unwind_memory {
	const struct pmb_slice *slice;
	uint64_t start; /* what the first copied byte was at */
};

static bool unwind_read(struct unwind_memory *mem, __u64 addr, __u64 *ret)
{
	uint64_t off = addr - mem->start;

	if (addr < mem->start || off > mem->slice->n_bytes || mem->slice->n_bytes - off < 8)
		return false;
	memcpy(ret, (const char *)PMB_SLICE_COPY(mem->slice) + off, sizeof(*ret));
	return true;
}

static bool unwind_reg(struct unwind_memory *mem, unsigned index, __u64 *ret)
{
	if (index >= PMB_UNWIND_REGS)
		return false;
	*ret = mem->slice->regs[index];
	return true;
}

#include "pmubpf/unwind_step.h"

/* The rule for an address; PMB_END_NONE if it is known. */
static enum pmb_ending find_rule(const struct store *store, const struct mappings *mappings,
				 uint64_t pc, struct pmb_unwind_rule *ret, uint32_t *ret_missing)
{
	const struct mapping *m = mappings__find(mappings, pc);

	*ret = (struct pmb_unwind_rule){.cfa = PMB_CFA_FRAME};
	*ret_missing = 0;
	if (!m)
		return mappings__count(mappings) ? PMB_END_CORRUPT : PMB_END_NO_TABLE;
	switch (store__state(store, m->file)) {
	case PMB_FILE_TABLE:
		*ret = store__rule(store, m->file, m->file_off + (pc - m->start));
		return PMB_END_NONE;
	case PMB_FILE_FRAMES:
		return PMB_END_NONE;
	case PMB_FILE_NEVER:
		return PMB_END_NO_RULE;
	case PMB_FILE_NONE:
		*ret_missing = m->file;
		break;
	}
	return PMB_END_NO_TABLE;
}

enum pmb_ending unwind_walk(const struct store *store, const struct mappings *mappings,
			    const struct pmb_slice *slice, const struct walk_limits *limits,
			    struct late_stack *ret)
{
	struct unwind_memory mem = {slice, slice->from.sp & ~7ULL};
	struct pmb_frame frame = slice->from;
	struct pmb_unwind_rule rule;
	enum pmb_ending end;

	ret->n = slice->n;
	memcpy(ret->frames, slice->frames, slice->n * sizeof(ret->frames[0]));
	for (;;) {
		end = find_rule(store, mappings, frame.ip - !frame.exact, &rule, &ret->missing);
		if (end == PMB_END_NONE)
			end = (enum pmb_ending)unwind_step(&rule, &frame, &mem);
		/* what stands above the first function's stack isn't copied: a rule for it was a guess */
		if ((end == PMB_END_NO_RULE || end == PMB_END_UNREADABLE) &&
		    PMB_OUTERMOST(frame.sp, slice->stack_top))
			return PMB_END_COMPLETE;
		if (end != PMB_END_NONE)
			return end;
		frame.ip &= limits->user_mask;
		if (!frame.ip)
			return PMB_END_COMPLETE;
		if (ret->n >= PMB_MAX_FRAMES || ret->n >= limits->max_frames)
			return PMB_END_TRUNCATED;
		ret->frames[ret->n++] = frame.ip;
	}
}
