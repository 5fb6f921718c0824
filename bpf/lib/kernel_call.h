/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls of a function of the kernel, known by where they are on the thread's own stack there: a
 * probe's stack pointer, or the frame of the kernel's call of our program, which is the same at a
 * function's entry and at its end. What interrupts a thread runs on another stack, mostly, and is
 * none of its calls.
 */
#ifndef PMUBPF_BPF_KERNEL_CALL_H
#define PMUBPF_BPF_KERNEL_CALL_H

#include "lib/arch.h"

/* On x86-64 the return address has gone when a return probe is met. */
#define KERNEL_CALL_SLACK sizeof(__u64)
/* A stack has 16 KiB, or 32, and what is next to it is further away than that. */
#define KERNEL_STACK_MAX (32 * 1024)

/* The verifier counts with no address that it knows: "pointer arithmetic on ctx prohibited". Of a
 * sign that was changed twice it knows nothing. */
static __always_inline __u64 address_of(void *ctx)
{
	__u64 at = (__u64)ctx;

	asm volatile("%[at] = -%[at]\n%[at] = -%[at]" : [at] "+r"(at));
	return at;
}

static __always_inline bool is_on_own_stack(__u64 at)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	return at - (__u64)BPF_CORE_READ(task, stack) < KERNEL_STACK_MAX;
}

#endif
