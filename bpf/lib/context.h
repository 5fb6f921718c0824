/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Does the current task run here, or an interrupt on its CPU? The kernel's own count
 * (preempt_count) can't be read everywhere: on x86 it is a variable of the CPU, which not every
 * kernel has a symbol of. But an interrupt of the kernel has a stack of its own, and this program
 * stands on the stack of whom it was called by: as long as it takes less than 64 bytes, from where
 * on the kernel gives it another. One of user space may have the task's, but then that is in no
 * system call.
 */
#ifndef PMUBPF_BPF_CONTEXT_H
#define PMUBPF_BPF_CONTEXT_H

#include "lib/arch.h"

/* What the current task last had in user space; NULL: not known here. */
static __always_inline struct arch_regs *saved_regs(const volatile struct pmb_config *cfg)
{
	if (cfg->has_task_regs)
		return (void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	return arch_saved_at();
}

/* One more than the number of the system call that the current task is in; 0: none. */
static __always_inline __u32 current_call(const volatile struct pmb_config *cfg)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct arch_regs *regs;
	__u64 number;

	if (!BPF_CORE_READ(task, mm))
		return 0;
	regs = saved_regs(cfg);
	number = regs ? arch_syscall(regs) : ~0ULL;
	return number < PMB_CALLS ? (__u32)number + 1 : 0;
}

/* word: any of a map. Only from there can the verifier be made to read an address as a number. */
static __always_inline bool in_interrupt(const volatile struct pmb_config *cfg, __u64 *word)
{
	enum { TASK_STACK = 16384 };
	struct task_struct *task = (void *)bpf_get_current_task();
	__u64 here = 0;

	*(volatile __u64 *)word = (__u64)&here;
	barrier();
	if (*(volatile __u64 *)word - (__u64)BPF_CORE_READ(task, stack) >= TASK_STACK)
		return true;
	return BPF_CORE_READ(task, mm) && !current_call(cfg);
}

#endif
