/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Time without a CPU. Where a thread leaves its CPU it is still the current one, and its stacks can
 * be walked; how long it will be gone nobody knows. So all that a sample has is kept by thread
 * until it gets a CPU again. That is a switch to it, which another task makes: nothing but the two
 * times and what was kept is needed there.
 */
#ifndef PMUBPF_BPF_OFF_CPU_H
#define PMUBPF_BPF_OFF_CPU_H

#include "lib/context.h"
#include "lib/emit.h"
#include "lib/gate.h"
#include "lib/maps.h"

#include "pmubpf/off_cpu.h"

/* As the kernel has them since 4.14. */
enum {
	TASK_SLEEPS = 1,
	TASK_SLEEPS_UNBROKEN = 2,
	TASK_IS_STOPPED = 4 | 8,
	TASK_IS_DEAD = 0x80,
};

/* By thread, as the first pid namespace numbers them. Nothing that may interrupt others touches it:
 * a software counter of switches overflows where the scheduler is. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set by user */
	__type(key, __u32);
	__type(value, struct pmb_off_thread);
} pmb_offs SEC(".maps") __weak;

struct off_cpu {
	struct pmb_off_stats stats;
	__u64 word;     /* lib/context.h */
	__u32 preempts; /* the switch that is being made on this CPU is by force */
	__u32 arrived; /* the thread that has this CPU since its `last`; 0: none that is known to */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct off_cpu);
} pmb_off_cpus SEC(".maps") __weak;

/* A new thread's value: too large for the stack. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct pmb_off_thread);
} pmb_off_fresh SEC(".maps") __weak;

static __always_inline struct off_cpu *off_cpu(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&pmb_off_cpus, &zero);
}

static __always_inline __u64 task_state(struct task_struct *task)
{
	if (bpf_core_field_exists(task->__state))
		return BPF_CORE_READ(task, __state);
	return (__u32)BPF_CORE_READ((struct task_struct___state *)task, state);
}

static __always_inline __u32 off_state(struct task_struct *task, __u64 state,
				       const struct off_cpu *cpu)
{
	if (cpu->preempts || !state)
		return PMB_OFF_PREEMPTED;
	if (BPF_CORE_READ_BITFIELD_PROBED(task, in_iowait))
		return PMB_OFF_IO;
	if (state & TASK_SLEEPS)
		return PMB_OFF_BLOCKED;
	return state & TASK_IS_STOPPED ? PMB_OFF_STOPPED : PMB_OFF_UNBROKEN;
}

static __always_inline struct pmb_off_thread *off_thread(__u32 thread, bool make)
{
	struct pmb_off_thread *t = bpf_map_lookup_elem(&pmb_offs, &thread), *fresh;
	__u32 zero = 0;

	if (t || !make)
		return t;
	fresh = bpf_map_lookup_elem(&pmb_off_fresh, &zero);
	if (!fresh || bpf_map_update_elem(&pmb_offs, &thread, fresh, BPF_NOEXIST))
		return NULL;
	return bpf_map_lookup_elem(&pmb_offs, &thread);
}

/* Until now the thread had its CPU, if no switch since the last was missed: not told, or not
 * recorded. */
static __always_inline void off_on_cpu(struct pmb_off_thread *t, struct off_cpu *cpu,
				       __u64 switches, __u64 now)
{
	if (!t->first) {
		t->first = now;
	} else if (t->since || t->switches + 1 != switches) {
		cpu->stats.unseen++;
		cpu->stats.unseen_ns += now - t->last;
	} else {
		cpu->stats.on_ns += now - t->last;
	}
}

/* The thread that leaves its CPU; since when is not set yet. Outside of windows only of one that
 * was in one before: the others would take all room. NULL: there is none for it. */
static __always_inline struct pmb_off_thread *off_leaves(struct off_cpu *cpu, __u64 scale,
							 bool outside)
{
	struct pmb_off_thread *t = off_thread((__u32)bpf_get_current_pid_tgid(), !outside);
	struct task_struct *task = (void *)bpf_get_current_task();
	__u64 switches = switches_of(task), now;

	if (!t)
		return NULL;
	now = bpf_ktime_get_ns();
	off_on_cpu(t, cpu, switches, now);
	t->since = 0;
	barrier();
	t->last = now;
	t->woken = 0;
	t->scale = scale;
	t->switches = switches;
	t->outside = outside;
	return t;
}

/* In no window: it waits for work. */
static __always_inline void off_begin_outside(struct off_cpu *cpu, __u64 scale)
{
	struct pmb_off_thread *t = off_leaves(cpu, scale, true);

	barrier();
	if (t)
		t->since = t->last;
}

/* Its stacks are in the sample: they were walked before, which it isn't without a CPU for. False:
 * there is no room for it. */
static __always_inline bool off_begin(const volatile struct pmb_config *cfg,
				      const struct pmb_sample *sample, const struct inside *in,
				      struct off_cpu *cpu, __u64 state, __u64 scale)
{
	struct pmb_off_thread *t = off_leaves(cpu, scale, false);
	struct task_struct *task = (void *)bpf_get_current_task();

	if (!t)
		return false;
	t->rec.fixed = *sample;
	t->rec.fixed.rec.size = sizeof(t->rec.fixed) + sizeof(t->rec.off);
	t->rec.fixed.rec.parts = 1;
	t->rec.off.part.size = sizeof(t->rec.off);
	t->rec.off.part.type = PMB_PART_OFF;
	t->rec.off.state = off_state(task, state, cpu);
	t->rec.off.call = current_call(cfg);
	t->rec.off.waker = t->rec.off.woken = t->rec.off.more = 0;
	t->rec.off.waker_comm[0] = '\0';
	if (in) {
		t->rec.fixed.rec.parts++;
		t->rec.fixed.rec.size += gate_part(in, &t->rec.window);
	}
	barrier();
	t->since = t->last;
	cpu->stats.recorded++;
	return true;
}

/* The sample of a thread's time, or of a part of it. */
static __always_inline void off_send(const volatile struct pmb_config *cfg,
				     struct pmb_off_thread *t, struct pmb_stats *stats, __u32 state,
				     __u64 ns)
{
	__u32 cpu = bpf_get_smp_processor_id();
	__u64 weight = ns * t->scale, size = sizeof(t->rec);
	void *ring = bpf_map_lookup_elem(&pmb_rings, &cpu);
	enum pmb_drop reason = PMB_DROP_NO_RING;

	if (!cfg->windows)
		size -= sizeof(t->rec.window);
	stats->seen++;
	stats->weight_seen += weight;
	t->rec.fixed.weight = weight;
	t->rec.off.state = state;
	if (ring) {
		reason = PMB_DROP_RING_FULL;
		if (!ring_output(cfg, ring, &t->rec, size)) {
			stats->emitted++;
			stats->ring_bytes += size;
			stats->weight_emitted += weight;
			return;
		}
	}
	stats->dropped[reason]++;
	stats->weight_dropped[reason] += weight;
}

/* The thread gets a CPU. */
static __always_inline void off_end(const volatile struct pmb_config *cfg, struct pmb_off_thread *t,
				    struct off_cpu *cpu, __u64 now)
{
	__u64 since = t->since, woken = t->woken, gone = now - since;
	struct pmb_stats *stats;
	__u32 event = cfg->event;

	t->since = 0;
	t->last = now;
	if (t->outside)
		cpu->stats.outside_ns += gone;
	else
		cpu->stats.off_ns += gone;
	stats = bpf_map_lookup_elem(&pmb_stats, &event);
	if (!stats)
		return;
	if (t->outside) {
		stats->weight_seen += gone * t->scale;
		stats->weight_closed += gone * t->scale;
		return;
	}
	if (gone < cfg->off_min_ns) {
		stats->seen++;
		stats->filtered++;
		stats->weight_seen += gone * t->scale;
		stats->weight_filtered += gone * t->scale;
		cpu->stats.brief++;
		cpu->stats.brief_ns += gone;
		return;
	}
	t->rec.fixed.rec.time = now;
	if (t->rec.off.state == PMB_OFF_PREEMPTED) {
		off_send(cfg, t, stats, PMB_OFF_PREEMPTED, gone);
		return;
	}
	if (woken < since || woken > now)
		woken = now;
	t->rec.off.more = now > woken;
	off_send(cfg, t, stats, t->rec.off.state, woken - since);
	t->rec.off.more = 0;
	if (now > woken)
		off_send(cfg, t, stats, PMB_OFF_WAITING, now - woken);
}

#endif
