// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Probes of allocators: which block a call returned, who called, and which block is given back.
 * Maps but those of scratch (lib/block.h) are those of the overflow programs.
 */
#include "lib/arch.h"
#include "lib/block.h"
#include "lib/emit.h"
#include "lib/maps.h"
#include "lib/pidns.h"
#include "lib/stack_dump.h"
#include "lib/target.h"
#include "lib/undisturbed.h"
#include "lib/uretprobe.h"
#include "lib/ustack.h"
#include "lib/walk.h"
#include "pmubpf/alloc.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile struct pmb_config pmb_cfg = {};

#include "lib/walk_all.h"

/* A call of an allocator that a thread is in: the innermost. */
struct alloc_call {
	__u64 sp; /* at its entry, and where it returns; 0: there is none */
	__u64 size;
	__u64 out; /* where the block's address is stored; 0: it is what the call returns */
	__u64 turn;
};

/* Odd: probes are being taken out, one after another, and what they meet counts no more; set by
 * user. What began at another turn has no end: calls between were not seen. */
volatile __u64 pmb_alloc_turn = 0;

static __always_inline bool is_off(void)
{
	return pmb_alloc_turn & 1;
}

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set by user */
	__type(key, __u32);
	__type(value, struct alloc_call);
} pmb_alloc_calls SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct pmb_alloc_stats);
} pmb_allocs SEC(".maps");

static __always_inline struct pmb_alloc_stats *alloc_stats(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&pmb_allocs, &zero);
}

static __always_inline bool current_is_target(void)
{
	return is_target(&pmb_cfg, (__u32)current_numbers(pmb_cfg.pidns));
}

static __always_inline int call_begins(struct arch_regs *ctx, __u64 size, __u64 out)
{
	__u32 thread = (__u32)bpf_get_current_pid_tgid();
	struct alloc_call fresh = {
		.sp = ARCH_SP(ctx),
		.size = size,
		.out = out,
		.turn = pmb_alloc_turn,
	};
	struct pmb_alloc_stats *stats = alloc_stats();

	if (stats && current_is_target() &&
	    bpf_map_update_elem(&pmb_alloc_calls, &thread, &fresh, BPF_ANY))
		stats->no_room++;
	return 0;
}

/* Of the kernel's memory. What an allocator calls for it is no block: what it returns of it is. */
static __always_inline int pages_begin(struct arch_regs *ctx, __u64 size, bool counts)
{
	__u32 thread = (__u32)bpf_get_current_pid_tgid();
	struct alloc_call *call = bpf_map_lookup_elem(&pmb_alloc_calls, &thread);
	bool inside = call && call->sp > ARCH_SP(ctx) && call->turn == pmb_alloc_turn;

	return counts && !inside ? call_begins(ctx, size, 0) : 0;
}

/* Nobody's file. */
static __always_inline bool is_anonymous(__u64 flags)
{
	enum { ANONYMOUS = 0x20 };

	return flags & ANONYMOUS;
}

static __always_inline int freed(__u64 addr)
{
	__u32 cpu = bpf_get_smp_processor_id();
	__u64 id = current_numbers(pmb_cfg.pidns);
	void *ring = bpf_map_lookup_elem(&pmb_rings, &cpu);
	struct pmb_alloc_stats *stats = alloc_stats();
	struct pmb_freed rec = {
		.rec = {.size = sizeof(rec), .type = PMB_REC_FREED, .time = bpf_ktime_get_ns()},
		.tgid = id >> 32,
		.addr = addr,
	};

	if (!stats || !addr || !is_target(&pmb_cfg, (__u32)id))
		return 0;
	if (!ring || ring_output(&pmb_cfg, ring, &rec, sizeof(rec)))
		stats->frees_lost++;
	else
		stats->freed++;
	return 0;
}

/* The stack of who called, as if the call had not been made. */
static __always_inline __u8 caller_stack(struct arch_regs *ctx, struct scratch *s, __u32 tgid)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct user_regs regs;
	__u64 to = 0;

	s->sample.fixed.stack_top = BPF_CORE_READ(task, mm, start_stack);
	if (tgid == PMB_OUTSIDE)
		return PMB_END_OUTSIDE;
	if (bpf_probe_read_kernel(&s->regs, sizeof(s->regs), ctx) || is_compat(&s->regs))
		return PMB_END_COMPAT;
	returns_begin(&s->returns, task);
	if (bpf_probe_read_user(&to, sizeof(to), (void *)ARCH_SP(&s->regs)) || !to)
		return PMB_END_UNREADABLE;
	ARCH_SP(&s->regs) += sizeof(to);
	if (to == s->returns.trampoline)
		to = pmb_return_to(ARCH_SP(&s->regs));
	/* of the call, not behind it */
	ARCH_IP(&s->regs) = (to & pmb_cfg.user_mask) - 1;
	s->sample.fixed.ip = ARCH_IP(&s->regs);
	if (pmb_cfg.by_table)
		return walk(s, tgid);
	regs.ip = ARCH_IP(&s->regs);
	regs.sp = ARCH_SP(&s->regs);
	regs.fp = ARCH_FP(&s->regs);
	return ustack_walk(&pmb_cfg, s, &regs, tgid);
}

static __always_inline bool tell_block(struct arch_regs *ctx, const struct alloc_call *call)
{
	__u64 id = current_numbers(pmb_cfg.pidns);
	struct block b;

	if (!block_begin(&pmb_cfg, id, PMB_REC_BLOCK, call->out, call->size, &b))
		return false;
	b.s->sample.fixed.user_end = caller_stack(ctx, b.s, id >> 32);
	return block_end(&pmb_cfg, &b);
}

/* What mmap returns then, or sbrk. */
static const __u64 NO_PAGES = -4096ULL;

static __always_inline int call_ends(struct arch_regs *ctx, __u64 result)
{
	__u32 thread = (__u32)bpf_get_current_pid_tgid();
	struct alloc_call *call = bpf_map_lookup_elem(&pmb_alloc_calls, &thread);
	struct pmb_alloc_stats *stats = alloc_stats();
	struct alloc_call block;

	if (!call || !stats || call->sp != ARCH_SP(ctx) || call->turn != pmb_alloc_turn)
		return 0;
	block = *call;
	call->sp = 0;
	if (!block.out)
		block.out = result;
	else if ((__u32)result ||
		 bpf_probe_read_user(&block.out, sizeof(block.out), (void *)block.out))
		return 0;
	if (!block.out || block.out > NO_PAGES)
		return 0;
	if (tell_block(ctx, &block))
		stats->blocks++;
	else
		stats->blocks_lost++;
	return 0;
}

/* The block at a jump out of calloc: to memset, if its arguments are a block and 0. 0: it isn't. */
static __always_inline __u64 cleared_block(struct arch_regs *ctx)
{
	enum { ALIGNMENT = 16, NO_NUMBER = 0x10000 };
	__u64 addr = ARCH_CALL1(ctx);

	return ARCH_CALL2(ctx) || addr % ALIGNMENT || addr < NO_NUMBER ? 0 : addr;
}

static __always_inline int calloc_ends(struct arch_regs *ctx)
{
	__u64 addr = cleared_block(ctx);

	return addr ? call_ends(ctx, addr) : 0;
}

static __always_inline __u64 begin_hit(struct pmb_alloc_stats *stats, __u64 n)
{
	return n % PMB_TIMED_EVERY || !stats ? 0 : bpf_ktime_get_ns();
}

static __always_inline void end_hit(struct pmb_alloc_stats *stats, __u64 before)
{
	if (!before)
		return;
	stats->timed++;
	stats->timed_ns += bpf_ktime_get_ns() - before;
}

/* Of each kind of function one; user space attaches them where they belong. What it costs: some
 * are timed. exits: those that the kernel single-steps. */
#define PROBE(name, column, action)                                      \
	static __always_inline void name##_is_met(struct arch_regs *ctx) \
	{                                                                \
		struct pmb_alloc_stats *stats = alloc_stats();           \
		__u64 before;                                            \
                                                                         \
		if (!stats)                                              \
			return;                                          \
		before = begin_hit(stats, stats->column++);              \
		if (is_off())                                            \
			return;                                          \
		action;                                                  \
		end_hit(stats, before);                                  \
	}                                                                \
                                                                         \
	SEC("uprobe")                                                    \
	int pmb_##name(void *regs)                                       \
	{                                                                \
		begin_undisturbed(regs, &pmb_none);                      \
		name##_is_met(regs);                                     \
		end_undisturbed();                                       \
		return 0;                                                \
	}

#define ENTRY(name, action)            \
	PROBE(name, entries, (action)) \
	PROBE(name##_stepped, exits, (action))

ENTRY(malloc, call_begins(ctx, ARCH_CALL1(ctx), 0))
ENTRY(calloc, call_begins(ctx, ARCH_CALL1(ctx) * ARCH_CALL2(ctx), 0))
ENTRY(memalign, call_begins(ctx, ARCH_CALL2(ctx), 0))
ENTRY(posix_align, call_begins(ctx, ARCH_CALL3(ctx), ARCH_CALL1(ctx)))
ENTRY(free, freed(ARCH_CALL1(ctx)))
/* What is given to it is over, whether it moves or not, before anybody else can get it. */
ENTRY(realloc, (freed(ARCH_CALL1(ctx)), call_begins(ctx, ARCH_CALL2(ctx), 0)))
ENTRY(reallocarray,
      (freed(ARCH_CALL1(ctx)), call_begins(ctx, ARCH_CALL2(ctx) * ARCH_CALL3(ctx), 0)))
ENTRY(map, pages_begin(ctx, ARCH_CALL2(ctx), is_anonymous(ARCH_CALL4(ctx))))
ENTRY(remap, (freed(ARCH_CALL1(ctx)), pages_begin(ctx, ARCH_CALL3(ctx), true)))
ENTRY(break, pages_begin(ctx, ARCH_CALL1(ctx), (__s64)ARCH_CALL1(ctx) > 0))
PROBE(alloc_exit, exits, call_ends(ctx, ARCH_RESULT(ctx)))
PROBE(alloc_clear, exits, calloc_ends(ctx))

static __always_inline int allocates(struct arch_regs *ctx, __u64 kind, __u64 first, __u64 second,
				     __u64 third, __u64 fourth)
{
	switch (kind) {
	case ALLOC_MALLOC:
		return call_begins(ctx, first, 0);
	case ALLOC_CALLOC:
		return call_begins(ctx, first * second, 0);
	case ALLOC_MEMALIGN:
	case ALLOC_REALLOC:
		return call_begins(ctx, second, 0);
	case ALLOC_POSIX:
		return call_begins(ctx, third, first);
	case ALLOC_REALLOCARRAY:
		return call_begins(ctx, second * third, 0);
	case ALLOC_MAP:
		return pages_begin(ctx, second, is_anonymous(fourth));
	case ALLOC_REMAP:
		return pages_begin(ctx, third, true);
	case ALLOC_BREAK:
		return pages_begin(ctx, first, (__s64)first > 0);
	}
	return 0;
}

static __always_inline void any(struct arch_regs *ctx, __u64 kind)
{
	__u64 first = ARCH_CALL1(ctx), second = ARCH_CALL2(ctx), third = ARCH_CALL3(ctx);
	__u64 fourth = ARCH_CALL4(ctx), result = ARCH_RESULT(ctx);

	if (kind == ALLOC_FREE || kind == ALLOC_REALLOC || kind == ALLOC_REALLOCARRAY ||
	    kind == ALLOC_REMAP)
		freed(first);
	if (kind == ALLOC_CLEARING)
		result = cleared_block(ctx);
	if (kind != ALLOC_EXIT && kind != ALLOC_CLEARING)
		allocates(ctx, kind, first, second, third, fourth);
	else if (kind == ALLOC_EXIT || result)
		call_ends(ctx, result);
}

PROGRAMS_OF_NONE(pmb_none_of_many);

static __always_inline void any_is_met(struct arch_regs *ctx)
{
	struct pmb_alloc_stats *stats = alloc_stats();
	__u64 cookie = bpf_get_attach_cookie(ctx), before;

	if (!stats)
		return;
	before = begin_hit(stats, cookie & ALLOC_EMULATED ? stats->entries++ : stats->exits++);
	if (is_off())
		return;
	any(ctx, cookie & ~(__u64)ALLOC_EMULATED);
	end_hit(stats, before);
}

/* All of them, where the kernel has many probes as one thing: by their cookies. */
SEC("uprobe")
int pmb_alloc_any(void *regs)
{
	begin_undisturbed(regs, &pmb_none_of_many);
	any_is_met(regs);
	end_undisturbed();
	return 0;
}
