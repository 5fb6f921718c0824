/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The maps by which tasks are known: who is a target, of which process the mappings are known. */
#ifndef PMUBPF_BPF_TASKS_H
#define PMUBPF_BPF_TASKS_H

#include "lib/port.h"

/* By tgid. Overflow programs only look up, which takes no lock: forks, execs and exits change it.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PMB_PROCESSES_MAX);
	__type(key, __u32);
	__type(value, struct pmb_process);
} pmb_processes SEC(".maps") __weak;

/* Which cgroups are of containers that were asked for: user space says so when it first meets one.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set by user */
	__type(key, __u64);
	__type(value, __u32); /* enum pmb_cgroup_mark */
} pmb_cgroups SEC(".maps") __weak;

struct mark_page {
	__u8 mark[PMB_MARKS_PER_PAGE];
};

/* Mapped by user space, which sets single bytes while forks set others. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* pid_max / PMB_MARKS_PER_PAGE; set by user */
	__type(key, __u32);
	__type(value, struct mark_page);
} pmb_tasks SEC(".maps") __weak;

static __always_inline __u8 *task_mark(__u32 tid)
{
	__u32 page = tid / PMB_MARKS_PER_PAGE;
	struct mark_page *marks = bpf_map_lookup_elem(&pmb_tasks, &page);

	return marks ? &marks->mark[tid % PMB_MARKS_PER_PAGE] : NULL;
}

#endif
