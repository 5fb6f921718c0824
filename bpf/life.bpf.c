// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Keeps the set of target tasks, and of processes whose mappings are known, in step with fork, exec and
 * exit, before the new task runs its first instruction. A task has one byte (its mark), indexed by thread id. Every fork writes the child's
 * byte, target or not, so a reused id can't inherit a stale mark and nothing is cleaned up at exit.
 */
#include "lib/maps.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile bool pmb_inherit = true;

/* A new process has its parent's mappings, until its exec. */
static __always_inline void child_mappings(__u32 parent, __u32 child)
{
	struct pmb_process *list;

	if (child == parent)
		return;
	list = bpf_map_lookup_elem(&pmb_processes, &parent);
	if (list)
		bpf_map_update_elem(&pmb_processes, &child, list, BPF_ANY);
}

SEC("raw_tp/sched_process_fork")
int pmb_fork(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *parent = (void *)ctx->args[0], *child = (void *)ctx->args[1];
	__u8 *from = task_mark(BPF_CORE_READ(parent, pid));
	__u8 *to = task_mark(BPF_CORE_READ(child, pid));

	if (from && to)
		*to = pmb_inherit ? *from : PMB_MARK_NONE;
	child_mappings(BPF_CORE_READ(parent, tgid), BPF_CORE_READ(child, tgid));
	return 0;
}

/* args: task, its thread id before the exec (a thread other than the leader takes over the leader's) */
SEC("raw_tp/sched_process_exec")
int pmb_exec(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = (void *)ctx->args[0];
	__u8 *from = task_mark((__u32)ctx->args[1]);
	__u8 *to = task_mark(BPF_CORE_READ(task, pid));
	__u32 tgid;

	if (from && to)
		*to = *from == PMB_MARK_ARMED ? PMB_MARK_TARGET : *from;
	tgid = BPF_CORE_READ(task, tgid);
	bpf_map_delete_elem(&pmb_processes, &tgid);
	return 0;
}

SEC("raw_tp/sched_process_exit")
int pmb_exit(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = (void *)ctx->args[0];
	__u32 tgid = BPF_CORE_READ(task, tgid);

	if (BPF_CORE_READ(task, pid) == (int)tgid)
		bpf_map_delete_elem(&pmb_processes, &tgid);
	return 0;
}
