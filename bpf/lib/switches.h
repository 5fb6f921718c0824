/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the scheduler counts of a task itself. */
#ifndef PMUBPF_BPF_SWITCHES_H
#define PMUBPF_BPF_SWITCHES_H

#include "lib/port.h"

/* How often it has left a CPU: the scheduler counts that, whether tracepoints tell of it or not. */
static __always_inline __u64 switches_of(struct task_struct *task)
{
	return BPF_CORE_READ(task, nvcsw) + BPF_CORE_READ(task, nivcsw);
}

#endif
