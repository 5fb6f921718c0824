// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Keeps the set of target tasks, and of processes whose mappings are known, in step with fork, exec
 * and exit, before the new task runs its first instruction. A task has one byte (its mark), indexed
 * by thread id. Every fork writes the child's byte, target or not, so a reused id can't inherit a
 * stale mark and nothing is cleaned up at exit.
 */
#include "lib/pidns.h"
#include "lib/tasks.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile bool pmb_inherit = true;
const volatile __u32 pmb_pidns = 0; /* as in struct pmb_config */

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

static __always_inline int on_fork(struct bpf_raw_tracepoint_args *ctx, __u32 ns)
{
	struct task_struct *parent = (void *)ctx->args[0], *child = (void *)ctx->args[1];
	__u8 *from = task_mark(number_of(parent, ns));
	__u8 *to = task_mark(number_of(child, ns));

	if (from && to)
		*to = pmb_inherit ? *from : PMB_MARK_NONE;
	else if (ns && to) /* of a parent outside */
		*to = PMB_MARK_NONE;
	child_mappings(process_of(parent, ns), process_of(child, ns));
	return 0;
}

/* args: task, its thread id before the exec (a thread other than the leader takes over the
 * leader's) */
static __always_inline int on_exec(struct bpf_raw_tracepoint_args *ctx, __u32 ns)
{
	struct task_struct *task = (void *)ctx->args[0];
	/* what the thread was called in another namespace is lost by now: there it gets the
	 * leader's mark */
	__u8 *from = task_mark(ns ? number_of(task, ns) : (__u32)ctx->args[1]);
	__u8 *to = task_mark(number_of(task, ns));
	__u32 tgid;

	if (from && to)
		*to = *from == PMB_MARK_ARMED ? PMB_MARK_TARGET : *from;
	tgid = process_of(task, ns);
	bpf_map_delete_elem(&pmb_processes, &tgid);
	return 0;
}

static __always_inline int on_exit(struct bpf_raw_tracepoint_args *ctx, __u32 ns)
{
	struct task_struct *task = (void *)ctx->args[0];
	__u32 tgid = process_of(task, ns);

	if (number_of(task, ns) == tgid)
		bpf_map_delete_elem(&pmb_processes, &tgid);
	return 0;
}

/* Each once for the first pid namespace and once for others: user space loads one of the two. */
#define FOLLOW(what, tracepoint)                                 \
	SEC("raw_tp/" tracepoint)                                \
	int pmb_##what(struct bpf_raw_tracepoint_args *ctx)      \
	{                                                        \
		return on_##what(ctx, 0);                        \
	}                                                        \
	SEC("raw_tp/" tracepoint)                                \
	int pmb_##what##_ns(struct bpf_raw_tracepoint_args *ctx) \
	{                                                        \
		return on_##what(ctx, pmb_pidns);                \
	}

FOLLOW(fork, "sched_process_fork")
FOLLOW(exec, "sched_process_exec")
FOLLOW(exit, "sched_process_exit")
