/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Windows that are calls of a function. A call is known by its stack pointer, which at each exit is
 * where it was at the entry: lower, and it is a call inside, or a jump that doesn't leave; higher,
 * and the call is over though no exit was met (an exception, longjmp).
 */
#ifndef PMUBPF_BPF_CALL_H
#define PMUBPF_BPF_CALL_H

#include "lib/arch.h"
#include "lib/maps.h"

/* Where a call returns to, at its entry; 0: not known. */
static __always_inline __u64 return_address(__u64 sp)
{
	__u64 address = 0;

	if (bpf_probe_read_user(&address, sizeof(address), (void *)sp))
		return 0;
	return address;
}

/*
 * Whether the thread is still in the call, by its stack pointer. Others may be as deep, later; they
 * have written over its return address, as a rule. Somebody's return probe has, too.
 */
static __always_inline bool is_in_call(const struct gate *gate, __u64 sp)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	__u64 now;

	if (sp > gate->sp)
		return false;
	now = return_address(gate->sp);
	if (!now || now == gate->returns_to)
		return true;
	return bpf_core_field_exists(task->utask) &&
	       BPF_CORE_READ(task, utask, return_instances) != NULL;
}

#endif
