/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Windows whose probes are taken out and put in again, by slices of time: meanwhile nothing opens
 * or closes one, and what was open is left. User space says so before it takes the first probe out
 * and once the last one is in. Once they are taken out for good, what was open stays so.
 */
#ifndef PMUBPF_BPF_PAUSED_H
#define PMUBPF_BPF_PAUSED_H

#include "lib/port.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} pmb_paused SEC(".maps") __weak;

/* What user space says. */
static __always_inline __u32 paused(void)
{
	__u32 zero = 0, *said = bpf_map_lookup_elem(&pmb_paused, &zero);

	return said ? *(volatile __u32 *)said : PMB_PAUSED_NOT;
}

/* sliced: whether that can be, a constant of the load. */
static __always_inline bool is_paused(bool sliced)
{
	return sliced && paused() != PMB_PAUSED_NOT;
}

static __always_inline bool is_over(void)
{
	return paused() == PMB_PAUSED_OVER;
}

#endif
