/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the running kernel's type information (BTF) tells that BPF programs can't ask themselves. */
#ifndef PMUBPF_COLLECT_KERNEL_TYPES_H
#define PMUBPF_COLLECT_KERNEL_TYPES_H

#include <stdint.h>

/* Index of a v1 controller in this kernel's css_set; -ENOENT if it has none of that name. */
int cgroup_subsys_index(const char *controller);
/* x86-64: from a CPU's struct rq to its preempt_count, in bytes. 0: it isn't told, or no variable
 * of the CPU. */
int64_t preempt_count_beside_rq(void);

#endif
