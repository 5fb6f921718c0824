/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What an overflow interrupted: a thread, a softirq, an interrupt's handler, as the kernel counts
 * them on each CPU (its preempt_count). The same bits in all kernels from 5.10 on.
 */
#ifndef PMUBPF_BPF_INTERRUPTED_H
#define PMUBPF_BPF_INTERRUPTED_H

#include "lib/arch.h"
#include "lib/run_queue.h"

enum {
	COUNT_SOFTIRQ = 0x100, /* one is served; more of them: they are kept off */
	COUNT_HARDIRQ_SHIFT = 16,
	COUNT_NMI_SHIFT = 20,
	COUNT_NESTED = 0xf,
	X86_FLAGS_INTERRUPTS = 0x200,
};

#if defined(__TARGET_ARCH_x86)
/*
 * False: not known. It is a variable of each CPU, as the run queue, beside which it lies where the
 * kernel's types say so.
 */
static __always_inline bool preempt_count(const volatile struct pmb_config *cfg, __u32 *ret)
{
	void *rq = cfg->count_beside_rq ? run_queue() : NULL;

	return rq && !bpf_probe_read_kernel(ret, sizeof(*ret), rq + cfg->count_beside_rq);
}

/* Only an NMI meets code that keeps interrupts off. */
static __always_inline bool interrupts_off(const struct arch_regs *regs)
{
	return !(regs->flags & X86_FLAGS_INTERRUPTS);
}
#else
/* arm64 has other things in the word's upper half. */
struct thread_info___counted {
	int preempt_count;
} __attribute__((preserve_access_index));

struct task_struct___counted {
	struct thread_info___counted thread_info;
} __attribute__((preserve_access_index));

static __always_inline bool preempt_count(const volatile struct pmb_config *cfg, __u32 *ret)
{
	struct task_struct___counted *task = (void *)bpf_get_current_task();

	return !BPF_CORE_READ_INTO(ret, task, thread_info.preempt_count);
}

static __always_inline bool interrupts_off(const struct arch_regs *regs)
{
	return false; /* not known */
}
#endif

/* As struct pmb_sample has it. */
static __always_inline __u32 interrupted(const volatile struct pmb_config *cfg,
					 const struct arch_regs *regs)
{
	__u32 count, nmis, hardirqs, off = 0, what = PMB_INTERRUPTED_TASK;

	if (!is_kernel_address(ARCH_IP(regs)))
		return PMB_INTERRUPTED_USER;
	if (!preempt_count(cfg, &count))
		return PMB_INTERRUPTED_UNKNOWN;
	nmis = count >> COUNT_NMI_SHIFT & COUNT_NESTED;
	hardirqs = count >> COUNT_HARDIRQ_SHIFT & COUNT_NESTED;
	if (nmis) {
		nmis--; /* breakpoints count as one, too */
		off = interrupts_off(regs) ? PMB_INTERRUPTS_OFF : 0;
	} else if (hardirqs && cfg->want_interrupted == PMB_INTERRUPTED_BENEATH) {
		hardirqs--;
	}
	if (nmis)
		what = PMB_INTERRUPTED_NMI;
	else if (hardirqs)
		what = PMB_INTERRUPTED_HARDIRQ;
	else if (count & COUNT_SOFTIRQ)
		what = PMB_INTERRUPTED_SOFTIRQ;
	return what | off;
}

#endif
