/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Processes that ended, or went on as another program: windows of their goroutines are over, whose
 * ends no thread's end tells. User space looks for them (collect/gates_left.c), for on 5.10 no
 * program goes through a map.
 */
#ifndef PMUBPF_BPF_ENDED_H
#define PMUBPF_BPF_ENDED_H

#include "lib/goroutine.h"
#include "lib/port.h"

/* By tgid: the exec_id of the last windows that are over. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set by user */
	__type(key, __u32);
	__type(value, __u32);
} pmb_ended SEC(".maps") __weak;

/* Now the current process has; programs: how many it has gone on as since. */
static __always_inline void ended_note(__u32 programs)
{
	__u32 tgid = bpf_get_current_pid_tgid() >> 32, last = current_exec_id() - programs;

	bpf_map_update_elem(&pmb_ended, &tgid, &last, BPF_ANY);
}

/* Its last thread exits. */
static __always_inline void ended_note_exit(void)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	if (BPF_CORE_READ(task, signal, live.counter) <= 0)
		ended_note(0);
}

static __always_inline bool has_ended(__u32 tgid, __u32 exec_id)
{
	__u32 *last = bpf_map_lookup_elem(&pmb_ended, &tgid);

	return last && (__s32)(exec_id - *last) <= 0;
}

#endif
