// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Keeps the set of target tasks in step with fork and exec, before the new task runs its first
 * instruction. A task has one byte (its mark), indexed by thread id. Every fork writes the child's
 * byte, target or not, so a reused id can't inherit a stale mark and nothing is cleaned up at exit.
 */
#include "lib/maps.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile bool pmb_inherit = true;

SEC("raw_tp/sched_process_fork")
int pmb_fork(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *parent = (void *)ctx->args[0], *child = (void *)ctx->args[1];
	__u8 *from = task_mark(BPF_CORE_READ(parent, pid));
	__u8 *to = task_mark(BPF_CORE_READ(child, pid));

	if (from && to)
		*to = pmb_inherit ? *from : PMB_MARK_NONE;
	return 0;
}

/* args: task, its thread id before the exec (a thread other than the leader takes over the leader's) */
SEC("raw_tp/sched_process_exec")
int pmb_exec(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = (void *)ctx->args[0];
	__u8 *from = task_mark((__u32)ctx->args[1]);
	__u8 *to = task_mark(BPF_CORE_READ(task, pid));

	if (from && to)
		*to = *from == PMB_MARK_ARMED ? PMB_MARK_TARGET : *from;
	return 0;
}
