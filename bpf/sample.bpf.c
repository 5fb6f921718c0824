// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The overflow handler. Runs when a counter overflows, often in NMI context: bounded, no
 * allocation, no locks. Every overflow ends in exactly one of emitted, filtered, closed, or dropped
 * for a counted reason; a sample is emitted even if its stacks failed, and says how each of them
 * ended.
 */
#include "lib/arch.h"
#include "lib/branch_records.h"
#include "lib/chain.h"
#include "lib/data.h"
#include "lib/emit.h"
#include "lib/gate.h"
#include "lib/interrupted.h"
#include "lib/kstack.h"
#include "lib/maps.h"
#include "lib/off_cpu.h"
#include "lib/pidns.h"
#include "lib/reads.h"
#include "lib/sibling.h"
#include "lib/stack_dump.h"
#include "lib/target.h"
#include "lib/thread_context.h"
#include "lib/uretprobe.h"
#include "lib/ustack.h"
#include "lib/walk.h"
#include "lib/weight.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile struct pmb_config pmb_cfg = {};

#include "lib/walk_all.h"

static __always_inline int drop(struct pmb_stats *stats, enum pmb_drop reason, __u64 weight)
{
	stats->dropped[reason]++;
	stats->weight_dropped[reason] += weight;
	reads_end(&pmb_cfg, reason);
	return 0;
}

static __always_inline int closed(struct pmb_stats *stats, __u64 weight)
{
	stats->closed++;
	stats->weight_closed += weight;
	reads_end(&pmb_cfg, READS_CLOSED);
	return 0;
}

/*
 * The registers with which the task last was in user space: those of the interrupt itself, or those
 * saved when it entered the kernel. False: a kernel thread, or this kernel can't tell.
 */
static __always_inline bool user_regs(struct bpf_perf_event_data *ctx, struct scratch *s)
{
	struct task_struct *task;

	if (!is_kernel_address(ARCH_IP(&ctx->regs))) {
		s->regs = ctx->regs;
		return true;
	}
	if (!pmb_cfg.has_task_regs)
		return arch_saved_regs(&s->regs);
	task = bpf_get_current_task_btf();
	return !bpf_probe_read_kernel(&s->regs, sizeof(s->regs), (void *)bpf_task_pt_regs(task));
}

static __always_inline __u8 user_stack(struct bpf_perf_event_data *ctx, struct scratch *s,
				       __u32 tgid)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct mm_struct *mm = BPF_CORE_READ(task, mm);
	struct user_regs regs;

	if (!mm)
		return PMB_END_NONE;
	if (tgid == PMB_OUTSIDE)
		return PMB_END_OUTSIDE;
	s->sample.fixed.stack_top = BPF_CORE_READ(mm, start_stack);
	if (!s->sample.fixed.stack_top)
		return PMB_END_EXECING;
	if (!user_regs(ctx, s))
		/* before 5.15: the kernel's frame-pointer walk finds the saved registers itself */
		return stack_by_kernel(&pmb_cfg, ctx, &s->stack, tgid, BPF_F_USER_STACK);
	returns_begin(&s->returns, task);
	if (s->returns.utask)
		pmb_leave_uprobe();
	regs.ip = ARCH_IP(&s->regs);
	regs.sp = ARCH_SP(&s->regs);
	regs.fp = ARCH_FP(&s->regs);
	if (is_kernel_address(regs.ip) || !regs.ip)
		/* a kernel task with a borrowed mm, or one that never was in user space */
		return PMB_END_NONE;
	if (is_compat(&s->regs)) {
		walk_begin(s, tgid);
		walk_end(s, tgid);
		return PMB_END_COMPAT;
	}
	if (pmb_cfg.by_table)
		return walk(s, tgid);
	return ustack_walk(&pmb_cfg, s, &regs, tgid);
}

static __always_inline void sample_stacks(struct bpf_perf_event_data *ctx, struct scratch *s,
					  struct pmb_stats *stats, void *ring)
{
	struct pmb_sample *sample = &s->sample.fixed;

	sample->kernel_stack = 0;
	sample->kernel_end = PMB_END_NONE;
	sample->user_stack = 0;
	sample->user_end = PMB_END_NONE;
	sample->stack_top = 0;
	sample->python_stack = 0;
	s->stack.rec.time = sample->rec.time;
	if (pmb_cfg.want_kernel && is_kernel_address(sample->ip)) {
		s->stack.n = 0;
		sample->kernel_end = stack_by_kernel(&pmb_cfg, ctx, &s->stack, 0, 0);
		if (s->stack.n) {
			sample->kernel_stack = s->stack.id;
			sample->kernel_end = stack_send(&pmb_cfg, ring, &s->stack, stats,
							PMB_REC_STACK, sample->kernel_end);
		}
	}
	if (pmb_cfg.want_user) {
		s->stack.n = 0;
		s->walk.runtime = 0;
		sample->user_end = user_stack(ctx, s, sample->tgid);
		user_stack_send(&pmb_cfg, ring, s, stats);
		if (s->walk.runtime)
			sample->python_stack =
				runtime_chain(&pmb_cfg, s, stats, ring, sample->tgid);
	}
}

/* What the thread says it is working on. */
static __always_inline void sample_context(struct bpf_perf_event_data *ctx, struct scratch *s,
					   struct pmb_stats *stats, void *ring)
{
	struct pmb_sample *sample = &s->sample.fixed;

	sample->context = PMB_CONTEXT_NONE;
	if (!pmb_cfg.want_context)
		return;
	if (ARCH_THREAD_POINTER_IN_REGS && !user_regs(ctx, s)) {
		sample->context = PMB_CONTEXT_NOT_FOUND;
		return;
	}
	sample->context = thread_context(sample->tgid, arch_thread_pointer(&s->regs), ring,
					 sample->rec.time, stats);
}

/* Behind the parts that are there already. */
static __always_inline void *part_room(struct sample_buf *buf, __u64 at)
{
	return (__u8 *)buf->parts + at;
}

/* Fills in what its event has, one after the other; returns the size of the sample with it. */
static __always_inline __u64 sample_parts(struct bpf_perf_event_data *ctx, struct scratch *s,
					  const struct inside *in)
{
	struct sample_buf *buf = &s->sample;
	__u64 at = 0, size;

	buf->fixed.rec.parts = 0;
	if (in) {
		at += gate_part(in, part_room(buf, at));
		buf->fixed.rec.parts++;
	}
	if (pmb_cfg.want_sibling) {
		at += sibling_part(part_room(buf, at));
		buf->fixed.rec.parts++;
	}
	if (pmb_cfg.n_reads) {
		size = reads_part(&pmb_cfg, part_room(buf, at));
		buf->fixed.rec.parts += size > 0;
		at += size;
	}
	if (pmb_cfg.want_data) {
		at += data_part(ctx, user_regs(ctx, s) ? &s->regs : NULL, part_room(buf, at));
		buf->fixed.rec.parts++;
	} else if (pmb_cfg.want_addr) {
		size = addr_part(ctx, part_room(buf, at));
		buf->fixed.rec.parts += size > 0;
		at += size;
	}
	if (pmb_cfg.want_branches) { /* last: how long it is, is known here alone */
		size = branches_part(ctx, part_room(buf, at), &s->branches);
		buf->fixed.rec.parts += size > 0;
		at += size;
	}
	return sizeof(buf->fixed) + at;
}

static __always_inline bool is_in_window(struct bpf_perf_event_data *ctx, __u64 now,
					 struct inside *ret)
{
	const struct arch_regs *regs = NULL;
	struct scratch *s;
	__u32 zero = 0;

	if (pmb_cfg.windows == PMB_WINDOWS_FUNCTION) {
		s = bpf_map_lookup_elem(&pmb_scratch, &zero);
		if (s && user_regs(ctx, s))
			regs = &s->regs;
	}
	return gate_around(&pmb_cfg, now, regs, ret);
}

/* When and whose it is, all but its weight. */
static __always_inline void sample_head(struct bpf_perf_event_data *ctx, struct pmb_sample *sample,
					__u64 id, __u64 now)
{
	sample->rec.type = PMB_REC_SAMPLE;
	sample->rec.time = now;
	sample->tgid = id >> 32;
	sample->tid = (__u32)id;
	sample->cpu = bpf_get_smp_processor_id();
	sample->event = pmb_cfg.event;
	sample->cgroup = current_cgroup_id(&pmb_cfg);
	sample->uid = (__u32)bpf_get_current_uid_gid();
	sample->ip = ARCH_IP(&ctx->regs);
	sample->interrupted = pmb_cfg.want_interrupted ? interrupted(&pmb_cfg, &ctx->regs) :
							 PMB_INTERRUPTED_UNKNOWN;
	bpf_get_current_comm(sample->comm, sizeof(sample->comm));
}

static __always_inline int overflow(struct bpf_perf_event_data *ctx, struct pmb_stats *stats,
				    __u64 now)
{
	__u32 zero = 0, cpu = bpf_get_smp_processor_id();
	__u64 id = current_numbers(pmb_cfg.pidns), shares = 1, weight, size;
	struct inside in;
	struct scratch *s;
	void *ring;

	weight = overflow_weight(&pmb_cfg, ctx, now, stats, &shares);
	if (pmb_cfg.n_reads)
		reads_take(&pmb_cfg, cpu, shares);
	stats->seen++;
	stats->weight_seen += weight;
	if (!(__u32)id)
		stats->weight_idle += weight;
	if (!is_target(&pmb_cfg, (__u32)id)) {
		stats->filtered++;
		stats->weight_filtered += weight;
		reads_end(&pmb_cfg, READS_FILTERED);
		return 0;
	}
	if (pmb_cfg.windows) {
		if (!is_in_window(ctx, now, &in))
			return closed(stats, weight);
	}
	s = bpf_map_lookup_elem(&pmb_scratch, &zero);
	if (!s)
		return drop(stats, PMB_DROP_NO_SCRATCH, weight);
	ring = bpf_map_lookup_elem(&pmb_rings, &cpu);
	if (!ring)
		return drop(stats, PMB_DROP_NO_RING, weight);
	sample_head(ctx, &s->sample.fixed, id, now);
	s->sample.fixed.weight = weight;
	sample_stacks(ctx, s, stats, ring);
	sample_context(ctx, s, stats, ring);
	size = sample_parts(ctx, s, pmb_cfg.windows ? &in : NULL);
	s->sample.fixed.rec.size = size;
	if (pmb_cfg.want_branches)
		stats->branches_seen += s->branches;
	if (ring_output(&pmb_cfg, ring, &s->sample, size)) {
		if (pmb_cfg.want_branches)
			stats->branches_lost += s->branches;
		return drop(stats, PMB_DROP_RING_FULL, weight);
	}
	stats->emitted++;
	stats->ring_bytes += size;
	stats->weight_emitted += weight;
	reads_end(&pmb_cfg, READS_EMITTED);
	return 0;
}

/* In a column without weight: how long it will be is not known. */
static __always_inline int not_recorded(__u64 *column, struct pmb_stats *stats)
{
	stats->seen++;
	(*column)++;
	return 0;
}

/* A thread leaves its CPU. The sample is written when it gets one again. */
static __always_inline int departure(struct bpf_perf_event_data *ctx, struct pmb_stats *stats,
				     struct off_cpu *off, __u64 id)
{
	__u64 state, now = bpf_ktime_get_ns();
	__u32 zero = 0, cpu = bpf_get_smp_processor_id();
	struct inside in;
	struct scratch *s;
	void *ring;

	state = task_state((void *)bpf_get_current_task());
	if (state & TASK_IS_DEAD)
		return not_recorded(&stats->filtered, stats);
	if (pmb_cfg.windows) {
		if (!is_in_window(ctx, now, &in)) {
			off_begin_outside(off, ctx->sample_period);
			return not_recorded(&stats->closed, stats);
		}
	}
	s = bpf_map_lookup_elem(&pmb_scratch, &zero);
	if (!s)
		return not_recorded(&stats->dropped[PMB_DROP_NO_SCRATCH], stats);
	ring = bpf_map_lookup_elem(&pmb_rings, &cpu);
	if (!ring)
		return not_recorded(&stats->dropped[PMB_DROP_NO_RING], stats);
	sample_head(ctx, &s->sample.fixed, id, now);
	sample_stacks(ctx, s, stats, ring);
	sample_context(ctx, s, stats, ring);
	if (!off_begin(&pmb_cfg, &s->sample.fixed, pmb_cfg.windows ? &in : NULL, off, state,
		       ctx->sample_period))
		return not_recorded(&stats->dropped[PMB_DROP_NO_THREAD], stats);
	return 0;
}

/* Most are of others than the targets, and cost no more than to see that. */
static __always_inline int any_departure(struct bpf_perf_event_data *ctx)
{
	__u64 id = current_numbers(pmb_cfg.pidns), before;
	__u32 event = pmb_cfg.event;
	struct pmb_stats *stats = bpf_map_lookup_elem(&pmb_stats, &event);
	struct off_cpu *off;

	if (!stats)
		return 0;
	if (!(__u32)bpf_get_current_pid_tgid() || !is_target(&pmb_cfg, (__u32)id))
		return not_recorded(&stats->filtered, stats);
	off = off_cpu();
	if (!off)
		return not_recorded(&stats->dropped[PMB_DROP_NO_SCRATCH], stats);
	if (off->stats.departures++ % PMB_TIMED_EVERY)
		return departure(ctx, stats, off, id);
	before = bpf_ktime_get_ns();
	departure(ctx, stats, off, id);
	off->stats.timed++;
	off->stats.timed_ns += bpf_ktime_get_ns() - before;
	return 0;
}

/* What it costs: some are timed. The clock is read at the beginning in any case. */
SEC("perf_event")
int pmb_overflow(struct bpf_perf_event_data *ctx)
{
	__u32 event = pmb_cfg.event;
	struct pmb_stats *stats;
	__u64 now;

	if (pmb_cfg.off_cpu)
		return any_departure(ctx);
	now = bpf_ktime_get_ns();
	stats = bpf_map_lookup_elem(&pmb_stats, &event);
	if (!stats)
		return 0; /* can't be: user space sizes the map by the events */
	overflow(ctx, stats, now);
	if (stats->seen % PMB_TIMED_EVERY == 1) {
		stats->timed++;
		stats->timed_ns += bpf_ktime_get_ns() - now;
	}
	return 0;
}
