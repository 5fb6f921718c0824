/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The user stack by unwind tables (pmubpf/unwind.h), one frame at a time. The hard thing is the
 * verifier: a frame is a function of its own, verified once for all frames, and what it needs from
 * the last one lies in scratch.
 */
#ifndef PMUBPF_BPF_WALK_H
#define PMUBPF_BPF_WALK_H

#include "lib/arch.h"
#include "lib/ids.h"
#include "lib/v8_word.h"
#include "lib/window.h"

struct unwind_memory {
	struct scratch *s;
};

enum { WALK_AT_ONCE = 2 };   /* frames */
enum { WINDOW_BELOW = 128 }; /* what is saved below the word that is read first */

/* Moves the walk's window to a word, which it leaves room for a little below. A function of its own
 * for the verifier: there are many places that read. */
__noinline int pmb_window(__u64 addr)
{
	__u32 zero = 0;
	struct scratch *s = bpf_map_lookup_elem(&pmb_scratch, &zero);
	__u64 below;

	if (!s || is_kernel_address(addr))
		return 0;
	below = s->walk.frame.sp < addr - WINDOW_BELOW ? WINDOW_BELOW : 0;
	if (window_load(s, &s->walk.window, addr - below, 8) && below + 8 <= s->walk.window.size)
		return 1;
	return window_load(s, &s->walk.window, addr, 8);
}

static __always_inline bool unwind_read(struct unwind_memory *mem, __u64 addr, __u64 *ret)
{
	struct scratch *s = mem->s;
	__u64 off = addr - s->walk.window.start;

	if (addr & 7)
		return false;
	if (off > WINDOW_BYTES - 8 || off + 8 > s->walk.window.size) {
		if (!pmb_window(addr))
			return false;
		off = addr - s->walk.window.start;
	}
	off &= WINDOW_BYTES - 8;
	*ret = *(__u64 *)(s->window + off);
	return true;
}

static __always_inline bool unwind_reg(struct unwind_memory *mem, __u32 index, __u64 *ret)
{
	if (index >= sizeof(struct arch_regs) / sizeof(__u64))
		return false;
	*ret = ((__u64 *)&mem->s->regs)[index];
	return true;
}

#include "pmubpf/unwind_step.h"

/* One step of a binary search without a branch: branches would be paths for the verifier. */
#define SEARCH_STEP(bit)                                                       \
	do {                                                                   \
		__u64 t = lo + (1u << (bit)), inside = t - n, above;           \
                                                                               \
		UNWIND_HIDE(inside);                                           \
		inside >>= 63;                                                 \
		UNWIND_HIDE(inside);                                           \
		above = pc - all->of[(at + t) & (PMB_MAPPINGS_MAX - 1)].start; \
		UNWIND_HIDE(above);                                            \
		above >>= 63;                                                  \
		UNWIND_HIDE(above);                                            \
		inside &= above ^ 1;                                           \
		UNWIND_HIDE(inside);                                           \
		lo += inside << (bit);                                         \
	} while (0)

/* The mapping that holds pc becomes the walk's. */
static __always_inline bool walk_mapping(struct walk *w, struct pmb_code *code, __u64 pc)
{
	__u32 zero = 0;
	struct pmb_mappings *all = bpf_map_lookup_elem(&pmb_mappings, &zero);
	__u64 at = w->list_at, n = w->list_n, lo = 0;
	struct pmb_mapping *m;

	if (!all || !n)
		return false;
	if (n > 32) {
		SEARCH_STEP(11);
		SEARCH_STEP(10);
		SEARCH_STEP(9);
		SEARCH_STEP(8);
		SEARCH_STEP(7);
		SEARCH_STEP(6);
		SEARCH_STEP(5);
	}
	SEARCH_STEP(4);
	SEARCH_STEP(3);
	SEARCH_STEP(2);
	SEARCH_STEP(1);
	SEARCH_STEP(0);
	m = &all->of[(at + lo) & (PMB_MAPPINGS_MAX - 1)];
	w->mapping = *m;
	if (w->mapping.list != w->list || pc < w->mapping.start || pc >= w->mapping.end) {
		w->mapping.end = 0;
		return false;
	}
	w->file = code->file[w->mapping.file & (PMB_FILES_MAX - 1)];
	return true;
}

/* The rule for a place of the walk's file, which has a table. */
static __always_inline void walk_rule(struct walk *w, struct pmb_code *code, __u64 off,
				      struct pmb_unwind_rule *ret)
{
	__u64 page = (off >> PMB_PAGE_SHIFT) - w->file.first_page;
	struct pmb_unwind_page rows;
	__u32 zero = 0, chunk_at, row;
	struct pmb_chunk *chunk;
	void *inner;

	*ret = (struct pmb_unwind_rule){.cfa = PMB_CFA_NONE};
	if (page >= w->file.n_pages)
		return;
	rows = code->page[(w->file.pages_at + page) & (PMB_PAGES_MAX - 1)];
	chunk_at = rows.first / PMB_CHUNK_ROWS;
	inner = rows.n ? bpf_map_lookup_elem(&pmb_chunks, &chunk_at) : NULL;
	if (!inner)
		return;
	chunk = bpf_map_lookup_elem(inner, &zero);
	if (!chunk)
		return;
	row = unwind_find(chunk->row, rows.first, PMB_CHUNK_ROWS - 1, rows.n, off & 0xffff);
	*ret = code->rule[(w->file.rules_at + PMB_ROW_RULE(row)) & (PMB_RULES_MAX - 1)];
}

/*
 * The rule for a place in code that nobody describes: its frame pointer, but where the epilogue
 * stands right behind the call. CPython's trampolines (-X perf) have none: "call *%rcx; add $8,
 * %rsp; ret".
 */
static __always_inline void code_rule(const struct walk *w, struct pmb_unwind_rule *ret)
{
	*ret = (struct pmb_unwind_rule){.cfa = PMB_CFA_FRAME};
#if defined(__TARGET_ARCH_x86)
	__u64 code;

	/* 48 83 c4 NN c3, with NN below 0x80 */
	if (!w->frame.exact && !bpf_probe_read_user(&code, sizeof(code), (void *)w->frame.ip) &&
	    (code & 0xff80ffffffULL) == 0xc300c48348ULL) {
		ret->cfa = PMB_CFA_SP;
		ret->cfa_off = (code >> 24 & 0x7f) + 8;
		ret->ra_off = -8;
	}
#else
	(void)w;
#endif
}

/* The rule for a place, PMB_END_NONE if it is known. */
static __always_inline __u8 find_rule(struct walk *w, struct pmb_code *code,
				      struct known_rules *known, __u64 pc,
				      struct pmb_unwind_rule *ret)
{
	struct known_rule *k = &known->of[(pc * 0x9e3779b97f4a7c15ULL >> 48) % RULES_KNOWN];

	if (k->pc == pc && k->list == w->list) {
		*ret = k->rule;
		return PMB_END_NONE;
	}
	if ((pc < w->mapping.start || pc >= w->mapping.end) && !walk_mapping(w, code, pc))
		return w->list && w->guessed ? PMB_END_CORRUPT : PMB_END_NO_TABLE;
	if (w->file.state == PMB_FILE_TABLE || w->file.state == PMB_FILE_GROWS)
		walk_rule(w, code, w->mapping.file_off + (pc - w->mapping.start), ret);
	else if (w->file.state == PMB_FILE_FRAMES)
		code_rule(w, ret);
	else
		return w->file.state == PMB_FILE_NEVER ? PMB_END_NO_RULE : PMB_END_NO_TABLE;
	if (ret->cfa == PMB_CFA_NONE) /* may be of a table that is just being written */
		return w->file.state == PMB_FILE_GROWS ? PMB_END_NO_TABLE : PMB_END_NONE;
	k->list = w->list;
	k->pc = pc;
	k->rule = *ret;
	return PMB_END_NONE;
}

/* Which method it is that HotSpot's interpreter runs in the walk's frame takes the place of its
 * address. A function of its own for the verifier. */
__noinline int pmb_method(__u32 bytecode_at)
{
	__u32 zero = 0;
	struct scratch *s = bpf_map_lookup_elem(&pmb_scratch, &zero);
	struct pmb_unwind_rule rule = {.ra = PMB_RA_FP, .reg = bytecode_at};
	struct unwind_memory mem = {s};
	__u64 word;

	if (!s)
		return 0;
	word = unwind_method(&rule, &s->walk.frame, &mem);
	if (!word)
		return 0;
	s->stack.frames[(s->walk.n - 1) & PMB_MAX_FRAMES] = word;
	s->walk.hash = id_mix(s->walk.hash, word);
	return 0;
}

/* From a frame to its caller. PMB_END_NONE: go on. */
static __always_inline __u8 walk_frame(const volatile struct pmb_config *cfg, struct scratch *s,
				       struct pmb_code *code, struct known_rules *known)
{
	struct walk *w = &s->walk;
	__u64 pc = w->frame.ip - !w->frame.exact;
	struct unwind_memory mem = {s};
	struct pmb_unwind_rule rule;
	__u32 n = w->n;
	__u8 end;

	if (PMB_AT_THE_TOP(w->frame.sp, s->sample.fixed.stack_top))
		return PMB_END_COMPLETE;
	end = find_rule(w, code, known, pc, &rule);
	if (end == PMB_END_NO_TABLE && w->runtime && pmb_v8_has_frame()) {
		code_rule(w, &rule);
		end = PMB_END_NONE;
	}
	if (end != PMB_END_NONE)
		return end;
	w->guessed = rule.cfa == PMB_CFA_FRAME;
	w->without_rule |= w->guessed & (rule.cfa_off == PMB_WITHOUT_RULE);
	s->frame_at[(n - 1) & PMB_MAX_FRAMES] = (w->frame.fp & ~7ULL) |
						(!w->guessed | (rule.cfa_off == PMB_WITHOUT_RULE));
	if (rule.ra == PMB_RA_FP)
		pmb_method(rule.reg);
	end = unwind_step(&rule, &w->frame, &mem);
	if (end == PMB_END_NO_RULE && PMB_OUTERMOST(w->frame.sp, s->sample.fixed.stack_top))
		return PMB_END_COMPLETE;
	if (end == PMB_END_NO_RULE)
		w->wants_regs = rule.cfa == PMB_CFA_REG || rule.cfa == PMB_CFA_REG_DEREF;
	if (end != PMB_END_NONE)
		return end;
	w->frame.ip &= cfg->user_mask;
	if (w->frame.ip == s->returns.trampoline)
		w->frame.ip = pmb_return_to(w->frame.sp) & cfg->user_mask;
	if (!w->frame.ip)
		return PMB_END_COMPLETE;
	if (n >= PMB_MAX_FRAMES || n >= cfg->max_frames)
		return PMB_END_TRUNCATED;
	n &= PMB_MAX_FRAMES; /* the verifier forgets the bound on the way to the address */
	UNWIND_HIDE(n);
	s->stack.frames[n & PMB_MAX_FRAMES] = w->frame.ip;
	w->hash = id_mix(w->hash, w->frame.ip);
	w->n = n + 1;
	return PMB_END_NONE;
}

static __always_inline void walk_begin(struct scratch *s, __u32 tgid)
{
	struct pmb_process *process = bpf_map_lookup_elem(&pmb_processes, &tgid);
	struct walk *w = &s->walk;

	/* what has no list yet has no word of when it is true either */
	if (process && process->n && process->stack_top != s->sample.fixed.stack_top)
		process = NULL;

	w->frame.ip = ARCH_IP(&s->regs);
	w->frame.sp = ARCH_SP(&s->regs);
	w->frame.fp = ARCH_FP(&s->regs);
	w->frame.lr = ARCH_LR(&s->regs);
	w->frame.exact = 1;
	w->frame.has_regs = 1;
	w->frame.sp_low = 0;
	w->window.size = 0;
	w->mapping.start = w->mapping.end = 0;
	w->list = process ? process->list : 0;
	w->list_at = process ? process->at : 0;
	w->list_n = process ? process->n : 0;
	w->runtime = process ? process->runtime : 0;
	w->runtime_at = process ? process->runtime_at : 0;
	w->hash = id_mix(id_seed_user(tgid), w->frame.ip);
	w->n = 1;
	w->guessed = 0;
	w->without_rule = 0;
	w->wants_regs = 0;
	s->stack.frames[0] = w->frame.ip;
}

static __always_inline void walk_end(struct scratch *s, __u32 tgid)
{
	s->stack.id = s->walk.hash;
	s->stack.tgid = tgid;
	s->stack.n = s->walk.n;
}

#endif
