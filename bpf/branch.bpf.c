// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Probes at conditional jumps, before which the flags say whether they will be taken. The hard
 * thing is that each hit counts, once: another thread may meet a probe on the same CPU while one is
 * in the midst, so all sums are atomic.
 */
#include "lib/arch.h"
#include "lib/condition.h"
#include "lib/undisturbed.h"
#include "pmubpf/branch.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Probes are being taken out, one after another; set by user. */
volatile __u32 pmb_branch_off = 0;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set by user */
	__type(key, __u64);     /* an address */
	__type(value, struct pmb_branch_place);
} pmb_branch_places SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1); /* jumps; set by user */
	__type(key, __u32);
	__type(value, struct pmb_branch_counts);
} pmb_branch_counts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct pmb_branch_stats);
} pmb_branch_stats SEC(".maps");

static __always_inline void count(struct arch_regs *ctx, struct pmb_branch_stats *stats)
{
	__u64 at = ARCH_IP(ctx);
	struct pmb_branch_place *place = bpf_map_lookup_elem(&pmb_branch_places, &at);
	struct pmb_branch_counts *counts =
		place ? bpf_map_lookup_elem(&pmb_branch_counts, &place->jump) : NULL;

	if (pmb_branch_off)
		return;
	if (!counts)
		__sync_fetch_and_add(&stats->elsewhere, 1);
	else if (holds(ARCH_FLAGS(ctx), place->condition))
		__sync_fetch_and_add(&counts->taken, 1);
	else
		__sync_fetch_and_add(&counts->not_taken, 1);
}

SEC("uprobe")
int pmb_branch(void *regs)
{
	struct pmb_branch_stats *stats;
	__u64 before = 0;
	__u32 zero = 0;

	begin_undisturbed(regs, &pmb_none);
	stats = bpf_map_lookup_elem(&pmb_branch_stats, &zero);
	if (stats) {
		if (stats->hits % PMB_TIMED_EVERY == 0)
			before = bpf_ktime_get_ns();
		__sync_fetch_and_add(&stats->hits, 1);
		count(regs, stats);
		if (before) {
			__sync_fetch_and_add(&stats->timed, 1);
			__sync_fetch_and_add(&stats->timed_ns, bpf_ktime_get_ns() - before);
		}
	}
	end_undisturbed();
	return 0;
}
