// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Who asks the kernel for memory: the ends of mmap, mremap and brk, and the beginning of munmap,
 * after which others may get it. The kernel has few places for calls whose ends are to be seen, of
 * the whole host, and leaves out the end of one that finds none. So beginnings are noted, too. Maps
 * but those of scratch (lib/block.h) and of calls are those of the overflow programs.
 */
#include "lib/arch.h"
#include "lib/block.h"
#include "lib/context.h"
#include "lib/pidns.h"
#include "lib/uretprobe.h"
#include "lib/ustack.h"
#include "lib/walk.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile struct pmb_config pmb_cfg = {};

/* What it may take of a CPU's time: of each 1,024 ns. 0: any. */
const volatile __u64 pmb_mapped_share = 0;
/* Since when that is counted. */
const volatile __u64 pmb_mapped_since = 0;

#include "lib/walk_all.h"

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct pmb_mapped_stats);
} pmb_mapped SEC(".maps");

/* Calls of targets that have begun: when, by thread. Those that stay there never returned to us. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set by user */
	__type(key, __u64);
	__type(value, __u64);
} pmb_mapped_calls SEC(".maps");

static __always_inline bool may_walk(const struct pmb_mapped_stats *stats, __u64 now)
{
	enum { AT_ONCE_NS = 20 * 1000 * 1000 };

	return !pmb_mapped_share ||
	       stats->ns < AT_ONCE_NS + (now - pmb_mapped_since) / 1024 * pmb_mapped_share;
}

static __always_inline __u8 caller_stack(struct scratch *s, struct arch_regs *saved, __u32 tgid)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct user_regs regs;

	s->sample.fixed.stack_top = BPF_CORE_READ(task, mm, start_stack);
	if (tgid == PMB_OUTSIDE)
		return PMB_END_OUTSIDE;
	if (bpf_probe_read_kernel(&s->regs, sizeof(s->regs), saved))
		return PMB_END_UNREADABLE;
	if (is_compat(&s->regs))
		return PMB_END_COMPAT;
	returns_begin(&s->returns, task);
	s->sample.fixed.ip = ARCH_IP(&s->regs);
	if (pmb_cfg.by_table)
		return walk(s, tgid);
	regs.ip = ARCH_IP(&s->regs);
	regs.sp = ARCH_SP(&s->regs);
	regs.fp = ARCH_FP(&s->regs);
	return ustack_walk(&pmb_cfg, s, &regs, tgid);
}

/* What is left of a ring is for samples: calls have no rate that could be made lower. */
static __always_inline bool has_room(void *ring)
{
	return ring && bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA) <
			       bpf_ringbuf_query(ring, BPF_RB_RING_SIZE) / 2;
}

/* asks: or it only learns where the heap ends. */
static __always_inline void tell(struct pmb_mapped_stats *stats, struct arch_regs *saved, __u64 id,
				 __u16 type, __u64 addr, __u64 bytes, bool asks)
{
	struct block b;
	bool pays = asks && may_walk(stats, bpf_ktime_get_ns());
	__u32 cpu = bpf_get_smp_processor_id();

	if (!has_room(bpf_map_lookup_elem(&pmb_rings, &cpu)) ||
	    !block_begin(&pmb_cfg, id, type, addr, bytes, &b)) {
		stats->lost++;
		return;
	}
	stats->unpaid += asks && !pays;
	b.s->sample.fixed.user_end = pays ? caller_stack(b.s, saved, id >> 32) : PMB_END_NONE;
	if (block_end(&pmb_cfg, &b))
		stats->mapped++;
	else
		stats->lost++;
}

static __always_inline void tell_unmapped(struct pmb_mapped_stats *stats, __u64 id, __u64 addr,
					  __u64 bytes)
{
	__u32 cpu = bpf_get_smp_processor_id();
	void *ring = bpf_map_lookup_elem(&pmb_rings, &cpu);
	struct pmb_freed rec = {
		.rec = {.size = sizeof(rec), .type = PMB_REC_UNMAPPED, .time = bpf_ktime_get_ns()},
		.tgid = id >> 32,
		.addr = addr,
		.bytes = bytes,
	};

	if (!bytes)
		return;
	if (!has_room(ring) || ring_output(&pmb_cfg, ring, &rec, sizeof(rec)))
		stats->lost++;
	else
		stats->unmapped++;
}

/* Of registers that the kernel has saved; word_at(), in lib/user_word.h, reads the program's. */
static __always_inline __u64 saved_word(const void *at)
{
	__u64 ret = 0;

	bpf_probe_read_kernel(&ret, sizeof(ret), at);
	return ret;
}

static __always_inline void returned(struct pmb_mapped_stats *stats, __u64 id,
				     struct arch_regs *saved, __u64 result)
{
	__u64 first = saved_word(&ARCH_SYSCALL1(saved)), second = saved_word(&ARCH_CALL2(saved));
	struct task_struct *task = (void *)bpf_get_current_task();
	__u64 call = arch_syscall(saved), heap;
	__u16 type = PMB_REC_MAPPED;

	if (is_kernel_address(result)) /* it is an error */
		return;
	if (call == ARCH_SYS_BRK) {
		heap = BPF_CORE_READ(task, mm, start_brk);
		type = PMB_REC_BREAK;
		second = result - heap;
		result = heap;
	} else if (call == ARCH_SYS_MREMAP) {
		tell_unmapped(stats, id, first, second);
		second = saved_word(&ARCH_CALL3(saved));
	} else if (call != ARCH_SYS_MMAP) {
		return;
	}
	/* brk(0) asks where the heap ends */
	tell(stats, saved, id, type, result, second, type == PMB_REC_MAPPED || first);
}

/* One that a target has met: whose books it is in, and when it began. */
struct hit {
	struct pmb_mapped_stats *stats;
	__u64 id, began;
};

static __always_inline bool hit_begin(struct hit *ret)
{
	__u32 zero = 0;

	ret->began = bpf_ktime_get_ns();
	ret->stats = bpf_map_lookup_elem(&pmb_mapped, &zero);
	if (!ret->stats)
		return false;
	ret->stats->hits++;
	ret->id = current_numbers(pmb_cfg.pidns);
	if (is_target(&pmb_cfg, (__u32)ret->id))
		return true;
	ret->stats->others_ns += bpf_ktime_get_ns() - ret->began;
	return false;
}

static __always_inline void hit_end(const struct hit *hit)
{
	hit->stats->ns += bpf_ktime_get_ns() - hit->began;
}

/* Where they begin. */
SEC("kprobe")
int pmb_memory_asked(struct arch_regs *ctx)
{
	__u64 thread = bpf_get_current_pid_tgid();
	struct hit hit;

	(void)ctx;
	if (!hit_begin(&hit))
		return 0;
	if (bpf_map_update_elem(&pmb_mapped_calls, &thread, &hit.began, BPF_NOEXIST)) {
		hit.stats->lost++; /* the one before did not return to us, or there is no room */
		bpf_map_update_elem(&pmb_mapped_calls, &thread, &hit.began, BPF_ANY);
	}
	hit_end(&hit);
	return 0;
}

/* Where mmap, mremap and brk return. One for all: it is verified once. */
SEC("kprobe")
int pmb_memory_returned(struct arch_regs *ctx)
{
	__u64 thread = bpf_get_current_pid_tgid();
	struct arch_regs *saved;
	struct hit hit;

	if (!hit_begin(&hit))
		return 0;
	bpf_map_delete_elem(&pmb_mapped_calls, &thread);
	saved = saved_regs(&pmb_cfg);
	if (saved)
		returned(hit.stats, hit.id, saved, ARCH_RESULT(ctx));
	hit_end(&hit);
	return 0;
}

/* Where munmap begins: before it returns others may have the memory. */
SEC("kprobe")
int pmb_memory_goes(struct arch_regs *ctx)
{
	struct arch_regs *saved;
	struct hit hit;

	(void)ctx;
	if (!hit_begin(&hit))
		return 0;
	saved = saved_regs(&pmb_cfg);
	if (saved)
		tell_unmapped(hit.stats, hit.id, saved_word(&ARCH_SYSCALL1(saved)),
			      saved_word(&ARCH_CALL2(saved)));
	hit_end(&hit);
	return 0;
}
