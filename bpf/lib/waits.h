/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Threads that wait for a CPU, ready to run: how long all of them together have, on each CPU. How
 * many wait is known, and when each came; so their time is (how many) x now - (the sum of when they
 * came), and nobody has to go through them at a switch.
 */
#ifndef PMUBPF_BPF_WAITS_H
#define PMUBPF_BPF_WAITS_H

#include "lib/target.h"
#include "pmubpf/owner.h"

/* By CPU. What is of waits others add to. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* set by user */
	__type(key, __u32);
	__type(value, struct pmb_owner_cpu);
} pmb_owner_cpus SEC(".maps") __weak;

/* By thread, as the first pid namespace numbers it. Nothing that may interrupt others touches
 * it. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set by user */
	__type(key, __u32);
	__type(value, struct pmb_wait);
} pmb_waits SEC(".maps") __weak;

/* NULL: it doesn't, as far as was told. */
static __always_inline struct pmb_wait *wait_of(__u32 thread)
{
	return thread ? bpf_map_lookup_elem(&pmb_waits, &thread) : NULL;
}

static __always_inline void wait_join(struct task_struct *task, __u32 cpu, __u64 now)
{
	__u32 thread = task->pid;
	struct pmb_owner_cpu *at = bpf_map_lookup_elem(&pmb_owner_cpus, &cpu);
	const struct pmb_wait wait = {
		.since = now,
		.cpu = cpu,
		.switches = task->nvcsw + task->nivcsw,
	};

	if (!thread || !at || at->counted != PMB_OWNER_COUNTED)
		return;
	if (bpf_map_update_elem(&pmb_waits, &thread, &wait, BPF_NOEXIST)) {
		__sync_fetch_and_add(&at->unheld, 1);
		return;
	}
	__sync_fetch_and_add(&at->waiting, 1);
	__sync_fetch_and_add(&at->joined, PMB_WAIT_NOW(now));
}

/* told: by the switch that gave it a CPU; else it has had one since, and nobody knows when. */
static __always_inline void wait_leave(__u32 thread, const struct pmb_wait *wait, __u64 now,
				       bool told)
{
	__u32 cpu = wait->cpu;
	struct pmb_owner_cpu *at = bpf_map_lookup_elem(&pmb_owner_cpus, &cpu);
	__u64 waited = now - wait->since;

	if (!at || at->counted != PMB_OWNER_COUNTED)
		return;
	bpf_map_delete_elem(&pmb_waits, &thread);
	__sync_fetch_and_add(&at->waiting, (__u64)-1);
	__sync_fetch_and_add(&at->joined, -PMB_WAIT_NOW(now));
	__sync_fetch_and_add(&at->ended_ns, waited);
	if (told)
		return;
	__sync_fetch_and_add(&at->lost, 1);
	__sync_fetch_and_add(&at->lost_ns, waited);
}

/*
 * What has been waited for this CPU since the last time. A thread may be coming or going elsewhere
 * just now, with one of the two numbers changed: then it is next time's. No wait is as long as
 * times have been moved by.
 */
static __always_inline __u64 wait_due(struct pmb_owner_cpu *cpu, __u64 now)
{
	__u64 all = cpu->waiting * PMB_WAIT_NOW(now) - cpu->joined, due = all - cpu->last[0];

	if (due >= PMB_WAIT_EPOCH / 2)
		return 0;
	cpu->last[0] = all;
	cpu->looked_ns = now;
	return due;
}

static __always_inline __u32 cpu_of(struct task_struct *task)
{
	if (bpf_core_field_exists(((struct task_struct___cpu *)task)->cpu))
		return BPF_CORE_READ((struct task_struct___cpu *)task, cpu);
	return BPF_CORE_READ(task, thread_info.cpu);
}

#endif
