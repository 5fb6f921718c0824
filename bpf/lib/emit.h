/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Records into the ring of this CPU. */
#ifndef PMUBPF_BPF_EMIT_H
#define PMUBPF_BPF_EMIT_H

#include "lib/ids.h"

#include "pmubpf/unwind_find.h"

/*
 * A wake-up from an interrupt costs ten times the record. So the reader polls, and is woken only
 * when the waiting bytes cross a multiple of cfg->ring_wake.
 */
static __always_inline long ring_output(const volatile struct pmb_config *cfg, void *ring,
					void *data, __u64 size)
{
	__u64 waiting = bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA);
	__u64 wake = (waiting ^ (waiting + size)) & ~((__u64)cfg->ring_wake - 1);

	return bpf_ringbuf_output(ring, data, size, wake ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP);
}

/*
 * Sends the stack in scratch unless its id is known. Returns its status: PMB_END_LOST if it should
 * have been sent and found no room (only then is it not remembered).
 */
static __always_inline __u8 stack_send(const volatile struct pmb_config *cfg, void *ring,
				       struct pmb_stack *stack, struct pmb_stats *stats, __u16 type,
				       __u8 status)
{
	struct id_bucket *bucket = id_bucket(stack->id);
	__u64 size, n = stack->n;

	if (!bucket)
		return PMB_END_LOST;
	if (id_known(bucket, stack->id)) {
		stats->stacks_known++;
		return status;
	}
	/* "R3 unbounded memory access": the compiler may know the bound, and leave the mask out */
	UNWIND_HIDE(n);
	n &= 127;
	size = offsetof(struct pmb_stack, frames) + n * sizeof(__u64);
	stack->rec.size = size;
	stack->rec.type = type;
	stack->rec.parts = 0;
	if (ring_output(cfg, ring, stack, size)) {
		stats->stacks_lost++;
		return PMB_END_LOST;
	}
	id_remember(bucket, stack->id);
	stats->stacks_sent++;
	stats->ring_bytes += size;
	return status;
}

#endif
