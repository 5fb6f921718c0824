/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Windows: spans of a thread's time that something opens and closes. Overflows look whether they
 * fall into one; only in windows that had some is the end of interest to user space. Of a run it is
 * the CPU that remembers, for there one thread runs at a time; a run whose beginning nobody saw (on
 * some hosts not every switch is told) begins with its first overflow.
 */
#ifndef PMUBPF_BPF_GATE_H
#define PMUBPF_BPF_GATE_H

#include "lib/call.h"
#include "lib/emit.h"
#include "lib/goroutine_gate.h"
#include "lib/maps.h"
#include "lib/paused.h"
#include "lib/shared.h"
#include "lib/switches.h"

#include "pmubpf/bits.h"

static __always_inline struct pmb_window_stats *window_stats(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&pmb_windows, &zero);
}

static __always_inline void gate_open(struct gate *gate, __u64 now, __u32 what, __u64 sp,
				      __u64 returns_to)
{
	gate->start = 0;
	barrier();
	gate->samples = 0;
	gate->what = what;
	gate->sp = sp;
	gate->returns_to = returns_to;
	barrier();
	gate->start = now;
}

/* Tells user space of the end, if it knows of the window; false: there was no room. */
static __always_inline bool gate_tell(const volatile struct pmb_config *cfg,
				      const struct gate *gate, __u32 thread, __u64 start, __u64 end)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct pmb_window_end rec = {
		.rec = {.size = sizeof(rec), .type = PMB_REC_WINDOW},
		.start = start,
		.end = end,
		.thread = thread,
		.what = gate->what,
	};
	void *ring;

	if (!gate->samples)
		return true;
	ring = bpf_map_lookup_elem(&pmb_rings, &cpu);
	rec.rec.time = bpf_ktime_get_ns();
	return ring && !ring_output(cfg, ring, &rec, sizeof(rec));
}

static __always_inline void count_end(struct pmb_window_stats *stats, __u64 lasted)
{
	stats->ended++;
	stats->ended_ns += lasted;
	stats->by_duration[log2_of(lasted)]++;
}

static __always_inline void count_opening(struct pmb_window_stats *stats,
					  enum shared_opening opening)
{
	if (opening == SHARED_BEGAN)
		stats->began++;
	else if (opening == SHARED_NESTED)
		stats->nested++;
	else
		stats->no_room++;
}

/* A thread of a process has left its window: if it was the last one, the process's ends. */
static __always_inline void leave_shared(const volatile struct pmb_config *cfg,
					 struct pmb_window_stats *stats, __u32 tgid, bool abandoned)
{
	struct gate shared;
	__u64 now;

	if (!shared_leave(tgid, &shared))
		return;
	now = bpf_ktime_get_ns();
	if (abandoned)
		stats->abandoned++;
	else
		count_end(stats, now - shared.start);
	if (!gate_tell(cfg, &shared, tgid, shared.start, abandoned ? shared.last : now))
		stats->ends_lost++;
	if (shared_again(tgid, shared.what))
		stats->began++;
}

static __always_inline void gate_close(const volatile struct pmb_config *cfg, struct gate *gate,
				       __u32 thread, __u64 now)
{
	struct pmb_window_stats *stats = window_stats();
	__u64 start = gate->start;

	gate->start = 0;
	barrier(); /* an overflow from here on is outside */
	if (!stats)
		return;
	if (cfg->by_process) {
		leave_shared(cfg, stats, gate->tgid, false);
		return;
	}
	count_end(stats, now - start);
	if (!gate_tell(cfg, gate, thread, start, now))
		stats->ends_lost++;
}

/* A call that was left nobody knows when, or a window whose probes have gone: it lasted until its
 * last overflow at least. */
static __always_inline void gate_abandon(const volatile struct pmb_config *cfg, struct gate *gate,
					 __u32 thread)
{
	struct pmb_window_stats *stats = window_stats();
	__u64 start = gate->start;

	gate->start = 0;
	barrier();
	if (!stats)
		return;
	if (cfg->by_process) {
		leave_shared(cfg, stats, gate->tgid, true);
		return;
	}
	stats->abandoned++;
	if (!gate_tell(cfg, gate, thread, start, gate->last))
		stats->ends_lost++;
}

static __always_inline struct run *current_cpu_run(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&pmb_runs, &zero);
}

/* A run that ended unseen lasted until its last overflow at least. */
static __always_inline void run_forget(const volatile struct pmb_config *cfg, struct run *run)
{
	struct pmb_window_stats *stats = window_stats();

	if (!run->gate.start || !stats)
		return;
	stats->began++;
	gate_close(cfg, &run->gate, run->thread, run->last);
}

static __always_inline struct gate *run_around(const volatile struct pmb_config *cfg, __u64 now)
{
	__u64 switches = switches_of((void *)bpf_get_current_task());
	__u32 thread = (__u32)bpf_get_current_pid_tgid();
	struct pmb_window_stats *stats = window_stats();
	struct run *run = current_cpu_run();

	if (!run || !thread)
		return NULL;
	if (!run->gate.start || run->thread != thread || run->switches != switches) {
		if (run->gate.samples)
			run_forget(cfg, run);
		run->thread = thread;
		run->switches = switches;
		gate_open(&run->gate, now, 0, 0, 0);
		if (stats)
			stats->began_before++;
	}
	run->last = now;
	return &run->gate;
}

/* The window that the current thread is in; false: none. regs: of calls. */
static __always_inline bool gate_around(const volatile struct pmb_config *cfg, __u64 now,
					const struct arch_regs *regs, struct inside *ret)
{
	__u32 thread = (__u32)bpf_get_current_pid_tgid();
	struct pmb_window_stats *stats;
	struct goroutine who = {0};
	struct gate *gate;

	if (is_paused(cfg->sliced)) {
		stats = window_stats();
		if (stats)
			stats->unwatched++;
		return false;
	}
	if (cfg->by_process)
		return shared_around(cfg, now, ret);
	if (cfg->of_go) {
		gate = goroutine_around(regs, &who);
		thread = who.key;
	} else {
		gate = cfg->windows == PMB_WINDOWS_RUN ? run_around(cfg, now) :
							 bpf_map_lookup_elem(&pmb_gates, &thread);
	}
	if (!gate || !gate->start || now - gate->start < cfg->after_ns)
		return false;
	if (cfg->windows == PMB_WINDOWS_FUNCTION && !cfg->of_go && !is_in_call(cfg, gate, regs))
		return false;
	gate->last = now;
	gate->samples++;
	*ret = (struct inside){.start = gate->start, .thread = thread, .what = gate->what};
	return true;
}

/* Fills the part in; returns its size. */
static __always_inline __u64 gate_part(const struct inside *in, struct pmb_part_window *part)
{
	part->part.size = sizeof(*part);
	part->part.type = PMB_PART_WINDOW;
	part->part.pad = 0;
	part->start = in->start;
	part->thread = in->thread;
	part->what = in->what;
	return sizeof(*part);
}

#endif
