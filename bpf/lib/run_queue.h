/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A CPU's run queue. It is a variable of each CPU, and programs that name such a one aren't loaded
 * by kernels that keep no symbols of data (CONFIG_KALLSYMS_ALL). But each task has a pointer to
 * that of its CPU.
 */
#ifndef PMUBPF_BPF_RUN_QUEUE_H
#define PMUBPF_BPF_RUN_QUEUE_H

#include "lib/port.h"

struct rq___its {
	struct task_struct *curr;
} __attribute__((preserve_access_index));

struct cfs_rq___its {
	struct rq___its *rq;
} __attribute__((preserve_access_index));

struct sched_entity___its {
	struct cfs_rq___its *cfs_rq; /* with CONFIG_FAIR_GROUP_SCHED */
} __attribute__((preserve_access_index));

struct task_struct___its {
	struct sched_entity___its se;
} __attribute__((preserve_access_index));

/* Of the CPU on which this is run; NULL: not known. */
static __always_inline struct rq___its *run_queue(void)
{
	struct task_struct___its *task = (void *)bpf_get_current_task();

	return bpf_core_field_exists(task->se.cfs_rq) ? BPF_CORE_READ(task, se.cfs_rq, rq) : NULL;
}

#endif
