/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The weight of an overflow: the period that it stands for, as the kernel says, except that for clock
 * events the kernel doesn't say all. Their timer may come late (interrupts off, a hypervisor busy
 * elsewhere), and the kernel then skips the expirations that were missed: the counter goes on, the
 * overflows don't. So the expirations since the last overflow are counted here, on the timer's own
 * grid: an overflow stands for all of them.
 *
 *   expirations   |    |    |    |    |
 *   overflows     x    x              x     the last one stands for three periods
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

static __always_inline __u64 overflow_weight(const volatile struct pmb_config *cfg, __u64 period,
					     __u64 now, struct pmb_stats *stats)
{
	__u32 event = cfg->event;
	struct clock_grid *grid;
	__u64 run = 0, n = 1;

	if (cfg->clock == PMB_CLOCK_NO || !period)
		return period;
	grid = bpf_map_lookup_elem(&pmb_grids, &event);
	if (!grid)
		return period;
	if (cfg->clock == PMB_CLOCK_TASK)
		run = current_run();
	if (grid->time && grid->run == run && now >= grid->time + period) {
		n = (now - grid->time) / period;
		grid->time += n * period;
	} else {
		grid->time = now; /* the first, or one that was earlier than the grid: the better grid */
		grid->run = run;
	}
	stats->late += n - 1;
	return n * period;
}

#endif
