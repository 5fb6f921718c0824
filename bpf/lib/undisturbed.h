/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Programs at probes in user space may be preempted: then another thread meets a probe on the same
 * CPU in the midst of one.
 *
 * From 6.13 on (x86-64) the stack of a program that has 64 bytes of it and more lies in memory of
 * each CPU. So two write over each other, and the kernel crashes (seen with 7.2, PREEMPT_LAZY). A
 * program that could call another one has the thread's own stack.
 *
 * And what was counted when such a program began is no more what it is when it ends; so it isn't
 * preempted where the kernel has a call for that (6.10).
 */
#ifndef PMUBPF_BPF_UNDISTURBED_H
#define PMUBPF_BPF_UNDISTURBED_H

#include "lib/port.h"

/* Of one kind of program each: what may call each other must be alike. */
#define PROGRAMS_OF_NONE(name)                         \
	struct {                                       \
		__uint(type, BPF_MAP_TYPE_PROG_ARRAY); \
		__uint(max_entries, 1);                \
		__uint(key_size, sizeof(__u32));       \
		__uint(value_size, sizeof(__u32));     \
	} name SEC(".maps") __weak

PROGRAMS_OF_NONE(pmb_none);

void bpf_preempt_disable(void) __ksym __weak;
void bpf_preempt_enable(void) __ksym __weak;

/* Stays as it is: the verifier knows that, and takes the call away. */
const volatile __u8 pmb_never __weak = 0;
/* Whether the kernel has both functions. */
const volatile __u8 pmb_may_hold __weak = 0;

/* At the beginning of a program. none: &pmb_none, or another of its kind. */
static __always_inline void begin_undisturbed(void *ctx, void *none)
{
	if (pmb_never)
		bpf_tail_call(ctx, none, 0);
	if (pmb_may_hold)
		bpf_preempt_disable();
}

/* At its end, whichever way it takes. */
static __always_inline void end_undisturbed(void)
{
	if (pmb_may_hold)
		bpf_preempt_enable();
}

#endif
