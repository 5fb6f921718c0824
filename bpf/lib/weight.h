/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The weight of an overflow: the period that it stands for. With a fixed period the kernel's word
 * is exact; but a counter goes on where the kernel calls no program for an overflow, and whose that
 * was
 * nobody knows: those that passed are counted, on the counter's own grid, as dropped. The kernel's
 * word isn't exact in two cases.
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

/*
 * A clock reports the period that it was opened with, whatever became of it since (the kernel's
 * timers don't update last_period), and children keep theirs: only the event itself knows its own.
 */
static __always_inline __u64 event_period(const volatile struct pmb_config *cfg,
					  struct bpf_perf_event_data *ctx)
{
	struct bpf_perf_event_data_kern *kern = (void *)ctx;
	__u64 period = cfg->live_period ? BPF_CORE_READ(kern, event, hw.sample_period) : 0;

	return period ? period : ctx->sample_period;
}

/* Of a software event, which has no register beside it. Half of what bpf_perf_prog_read_value()
 * costs. */
static __always_inline bool software_count(struct bpf_perf_event_data *ctx, __u64 *ret)
{
	struct bpf_perf_event_data_kern *kern = (void *)ctx;
	struct perf_event *event = BPF_CORE_READ(kern, event);

	return !bpf_core_read(ret, sizeof(*ret), &event->count);
}

/* Identifies an uninterrupted run of the current task on this CPU: by its thread's number, for
 * where its task_struct lies the next one that is forked may lie. */
static __always_inline __u64 current_run(void)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	__u32 switches = BPF_CORE_READ(task, nvcsw) + BPF_CORE_READ(task, nivcsw);

	return bpf_get_current_pid_tgid() << 32 | switches;
}

/* Of a timer that runs all the time, by the event's own count: it stands still while the kernel
 * throttles the event. */
static __always_inline __u64 cpu_clock_weight(struct pmb_last *last, __u64 period, __u64 count,
					      struct pmb_stats *stats, __u64 *shares)
{
	__u64 run = current_run(), n;
	bool same_run = last->run == run;

	last->run = run;
	n = count > last->at ? (count - last->at) / period : 0;
	if (!n) {
		last->at = count; /* it came earlier than the grid: the better grid */
		return period;
	}
	last->at += n * period;
	if (same_run) {
		stats->late += n - 1;
		return n * period;
	}
	*shares = n;
	stats->skipped += n - 1;
	stats->weight_skipped += (n - 1) * period;
	stats->weight_seen += (n - 1) * period;
	stats->weight_filtered += (n - 1) * period;
	return period;
}

/* Of a timer that is started anew each time its task is switched in. */
static __always_inline __u64 task_clock_weight(struct pmb_last *last, __u64 period, __u64 now,
					       struct pmb_stats *stats)
{
	__u64 run = current_run(), n;

	if (last->run != run || now < last->at + period) {
		last->run = run;
		last->at = now;
		return period;
	}
	n = (now - last->at) / period;
	last->at += n * period;
	stats->late += n - 1;
	return n * period;
}

/* Of a software counter, which overflows exactly where a period ends. A change of the period cuts
 * the one at hand: the next event overflows; the one after it has the length from before still. */
static __always_inline __u64 grid_weight(struct bpf_perf_event_data *ctx, struct pmb_last *last,
					 struct pmb_stats *stats)
{
	__u64 period = ctx->sample_period, length = last->period ? last->period : period;
	__u64 count, passed, unseen;

	if (!software_count(ctx, &count))
		count = last->at + length;
	if (count < last->at) { /* another counter: the CPU went and came back */
		last->at = 0;
		length = period;
	}
	passed = count - last->at;
	last->at = count;
	last->period = period;
	if (passed <= length)
		return passed;
	unseen = passed - length;
	stats->dropped[PMB_DROP_UNSEEN] += (unseen + length - 1) / length;
	stats->weight_dropped[PMB_DROP_UNSEEN] += unseen;
	return length;
}

/* shares: how many periods passed since the last overflow, of which this one stands for one. */
static __always_inline __u64 overflow_weight(const volatile struct pmb_config *cfg,
					     struct bpf_perf_event_data *ctx, __u64 now,
					     struct pmb_stats *stats, __u64 *shares)
{
	__u64 period = event_period(cfg, ctx), before;
	struct bpf_perf_event_value value;
	__u32 event = cfg->event;
	struct pmb_last *last;

	if (cfg->weight == PMB_WEIGHT_PERIOD || !period)
		return period;
	last = bpf_map_lookup_elem(&pmb_last, &event);
	if (!last)
		return period;
	if (cfg->weight == PMB_WEIGHT_CLOCK_TASK)
		return task_clock_weight(last, period, now, stats);
	if (cfg->weight == PMB_WEIGHT_GRID)
		return grid_weight(ctx, last, stats);
	if (bpf_perf_prog_read_value(ctx, &value, sizeof(value)))
		return period;
	if (cfg->weight == PMB_WEIGHT_CLOCK_CPU)
		return cpu_clock_weight(last, period, value.counter, stats, shares);
	before = last->at <= value.counter ? last->at :
					     0; /* 0: another counter, see grid_weight() */
	last->at = value.counter;
	return value.counter - before;
}

#endif
