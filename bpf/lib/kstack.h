/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Stacks by the kernel's own unwinder: the kernel side's, and the user side's where nothing else
 * can. */
#ifndef PMUBPF_BPF_KSTACK_H
#define PMUBPF_BPF_KSTACK_H

#include "lib/ids.h"

/* flags: 0 or BPF_F_USER_STACK. Fills id, n and frames of `stack`; returns how the walk ended. */
static __always_inline __u8 stack_by_kernel(const volatile struct pmb_config *cfg,
					    struct bpf_perf_event_data *ctx,
					    struct pmb_stack *stack, __u32 tgid, __u64 flags)
{
	long bytes = bpf_get_stack(ctx, stack->frames, sizeof(stack->frames), flags);
	__u64 h = tgid ? id_seed_user(tgid) : ID_SEED_KERNEL;
	__u32 n;

	if (bytes <= 0)
		return PMB_END_FAILED;
	n = (__u32)bytes / sizeof(__u64);
	if (n > cfg->max_frames)
		n = cfg->max_frames;
	for (__u32 i = 0; i < PMB_MAX_FRAMES; i++) {
		if (i >= n)
			break;
		h = id_mix(h, stack->frames[i]);
	}
	stack->id = h;
	stack->tgid = tgid;
	stack->n = n;
	return n == cfg->max_frames ? PMB_END_TRUNCATED : PMB_END_COMPLETE;
}

#endif
