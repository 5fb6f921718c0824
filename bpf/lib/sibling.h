/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Who has the other thread of a core. The kernel's run queue of that CPU says it at any moment, so
 * nothing has to be done at switches, and one that isn't told of is no matter.
 */
#ifndef PMUBPF_BPF_SIBLING_H
#define PMUBPF_BPF_SIBLING_H

#include "lib/run_queue.h"

/* By CPU. User space says which two are a core's, a program run on each where its run queue is. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set by user */
	__type(key, __u32);
	__type(value, struct pmb_core_thread);
} pmb_siblings SEC(".maps") __weak;

enum { SIBLING_IS_KERNEL = 0x00200000 /* PF_KTHREAD */ };

static __always_inline struct task_struct *on_sibling(void)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct pmb_core_thread *its = bpf_map_lookup_elem(&pmb_siblings, &cpu);
	struct rq___its *rq;

	if (!its || !its->sibling)
		return NULL;
	cpu = its->sibling - 1;
	its = bpf_map_lookup_elem(&pmb_siblings, &cpu);
	rq = its ? (void *)its->rq : NULL;
	return rq ? BPF_CORE_READ(rq, curr) : NULL;
}

/* What it reads may be another task's by then, or memory that was one: no more than a wrong name
 * comes of that. */
static __always_inline __u32 who_on_sibling(char comm[PMB_COMM_LEN])
{
	struct task_struct *task = on_sibling(), *leader;

	if (!task)
		return PMB_SIBLING_NONE;
	if (!BPF_CORE_READ(task, pid))
		return PMB_SIBLING_IDLE;
	if (BPF_CORE_READ(task, flags) & SIBLING_IS_KERNEL)
		return PMB_SIBLING_KERNEL;
	if ((__u32)BPF_CORE_READ(task, tgid) == bpf_get_current_pid_tgid() >> 32)
		return PMB_SIBLING_SAME;
	leader = BPF_CORE_READ(task, group_leader);
	bpf_probe_read_kernel(comm, PMB_COMM_LEN, leader->comm);
	return PMB_SIBLING_OTHER;
}

static __always_inline __u64 sibling_part(struct pmb_part_sibling *part)
{
	part->part.size = sizeof(*part);
	part->part.type = PMB_PART_SIBLING;
	part->part.pad = part->pad = 0;
	__builtin_memset(part->comm, 0, sizeof(part->comm));
	part->who = who_on_sibling(part->comm);
	return sizeof(*part);
}

#endif
