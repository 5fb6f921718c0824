/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tasks by the numbers of our own pid namespace, which are those of /proc, of perf's side-band
 * records and of the user. bpf_get_ns_current_pid_tgid() only knows tasks of just that namespace,
 * not those of namespaces below it.
 */
#ifndef PMUBPF_BPF_PIDNS_H
#define PMUBPF_BPF_PIDNS_H

#include "lib/port.h"

enum { PIDNS_LEVELS = 33 }; /* the first and MAX_PID_NS_LEVEL below it */

/* Static: where nothing calls it, in the first namespace, the verifier doesn't look at it
 * either. */
static __noinline __u32 number_in(struct task_struct *task, __u32 ns)
{
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	__u32 levels = BPF_CORE_READ(pid, level);

	for (__u32 i = 0; i < PIDNS_LEVELS && i <= levels; i++) {
		struct upid *at = (void *)pid + bpf_core_field_offset(pid->numbers) +
				  i * bpf_core_type_size(struct upid);

		if (BPF_CORE_READ(at, ns, ns.inum) == ns)
			return (__u32)BPF_CORE_READ(at, nr);
	}
	return PMB_OUTSIDE;
}

static __always_inline __u32 number_of(struct task_struct *task, __u32 ns)
{
	return ns ? number_in(task, ns) : (__u32)BPF_CORE_READ(task, pid);
}

static __always_inline __u32 process_of(struct task_struct *task, __u32 ns)
{
	return ns ? number_in(BPF_CORE_READ(task, group_leader), ns) :
		    (__u32)BPF_CORE_READ(task, tgid);
}

/* As bpf_get_current_pid_tgid(). The idle task is 0 in all of them. */
static __always_inline __u64 current_numbers(__u32 ns)
{
	__u64 id = bpf_get_current_pid_tgid();
	struct task_struct *task = (void *)bpf_get_current_task();

	if (!ns || !id)
		return id;
	return (__u64)process_of(task, ns) << 32 | number_of(task, ns);
}

#endif
