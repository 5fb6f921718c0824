/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The weight of an overflow: the period that it stands for. With a fixed period the kernel's word is
 * exact. It isn't in two cases.
 *
 * Clocks: their timer may come late (interrupts off, a hypervisor busy elsewhere), and the kernel
 * then skips the expirations that were missed: the counter goes on, the overflows don't. So
 * expirations are counted here, on the timer's own grid. If the same task ran without a break since
 * the last overflow, they are its own; else they may have been anybody's, idle time most of all: in
 * the ledger they are filtered weight, for they can't be said to be the target's.
 *
 *   expirations   |    |    |    |    |
 *   overflows     x    x              x     the last one stands for three periods, or two are skipped
 *
 * Frequency mode: when the kernel shortens the period it lets the event overflow at once, but still
 * reports the long period that was never completed. So the counter itself is read.
 */
#ifndef PMUBPF_BPF_WEIGHT_H
#define PMUBPF_BPF_WEIGHT_H

#include "lib/maps.h"

/* Identifies an uninterrupted run of the current task on this CPU. */
static __always_inline __u64 current_run(void)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	return (__u64)task + BPF_CORE_READ(task, nvcsw) + BPF_CORE_READ(task, nivcsw);
}

static __always_inline __u64 clock_weight(const volatile struct pmb_config *cfg, struct mark *last,
					  __u64 period, __u64 now, struct pmb_stats *stats)
{
	__u64 run = current_run(), n = 1;
	bool same_run = last->run == run;

	last->run = run;
	if (!last->at || now < last->at + period ||
	    (!same_run && cfg->weight == PMB_WEIGHT_CLOCK_TASK)) {
		/* the first, or one that came earlier than the grid (the better grid), or a timer that
		 * was started anew with the task */
		last->at = now;
		return period;
	}
	n = (now - last->at) / period;
	last->at += n * period;
	if (!same_run) {
		stats->skipped += n - 1;
		stats->weight_seen += (n - 1) * period;
		stats->weight_filtered += (n - 1) * period;
		return period;
	}
	stats->late += n - 1;
	return n * period;
}

static __always_inline __u64 count_weight(struct bpf_perf_event_data *ctx, struct mark *last,
					  __u64 period)
{
	struct bpf_perf_event_value value;
	__u64 before = last->at;

	if (bpf_perf_prog_read_value(ctx, &value, sizeof(value)))
		return period;
	last->at = value.counter;
	return value.counter - before;
}

static __always_inline __u64 overflow_weight(const volatile struct pmb_config *cfg,
					     struct bpf_perf_event_data *ctx, __u64 now,
					     struct pmb_stats *stats)
{
	__u64 period = ctx->sample_period;
	__u32 event = cfg->event;
	struct mark *last;

	if (cfg->weight == PMB_WEIGHT_PERIOD || !period)
		return period;
	last = bpf_map_lookup_elem(&pmb_marks, &event);
	if (!last)
		return period;
	if (cfg->weight == PMB_WEIGHT_COUNT)
		return count_weight(ctx, last, period);
	return clock_weight(cfg, last, period, now, stats);
}

#endif
