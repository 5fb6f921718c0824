/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where a unit of work begins and ends, on the thread that meets it. */
#ifndef PMUBPF_BPF_WORK_WINDOW_H
#define PMUBPF_BPF_WORK_WINDOW_H

#include "lib/exits.h"
#include "lib/kernel_call.h"
#include "lib/stretch.h"
#include "lib/work.h"

/* Of the current thread, whose byte and work these are. */
static __always_inline void work_open(enum pmb_units units, __u8 *byte, struct work *work,
				      struct pmb_work_stats *stats)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	bool was_open = *byte != WORK_NONE;
	struct counted now[PMB_MAX_READS];
	__u32 unread;

	*byte = WORK_OPENING; /* switches tell from here on, and probes met in interrupts don't */
	barrier();
	work_clear(work, switches_of(task));
	work->waited = waited_by(task);
	barrier();
	unread = read_counters(now);
	flip_counters(work, now, unread);
	if (pmb_work_sums && units == PMB_UNITS_REAL)
		stretch_cut(&pmb_work, was_open, work->switches, now, unread, stats);
	if (pmb_work.by_process && units == PMB_UNITS_REAL) {
		enter_shared(stats, (__u32)work->tgid);
		stretch_changed();
	}
	barrier();
	work->torn = switches_of(task) != work->switches;
	work->start = bpf_ktime_get_ns();
	barrier();
	*byte = WORK_OPEN;
}

static __always_inline void work_close(enum pmb_units units, __u8 *byte, struct work *work,
				       struct pmb_work_stats *stats)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	__u64 end = bpf_ktime_get_ns(), switches = switches_of(task);
	struct counted now[PMB_MAX_READS];
	__u32 unread;

	*byte = WORK_CLOSING;
	barrier();
	unread = read_counters(now);
	flip_counters(work, now, unread);
	if (pmb_work_sums && units == PMB_UNITS_REAL)
		stretch_cut(&pmb_work, true, switches, now, unread, stats);
	barrier();
	if (pmb_work.by_process && units == PMB_UNITS_REAL) {
		leave_shared(stats, (__u32)work->tgid, false);
		stretch_changed();
	} else if (work->torn || switches_of(task) != switches || work->outs != work->ins ||
		   switches - work->switches != work->outs) {
		COUNT(stats->unsure);
	} else {
		work_account(units, work, end - work->start, waited_by(task) - work->waited, stats);
	}
	barrier();
	*byte = WORK_NONE;
}

static __always_inline bool current_is_target(void)
{
	return is_target(&pmb_work, (__u32)current_numbers(pmb_work.pidns));
}

/* The current thread's, made if there is none. */
static __always_inline struct work *work_of(__u32 thread)
{
	struct work *work = bpf_map_lookup_elem(&pmb_works, &thread);
	struct work fresh = {};

	if (work)
		return work;
	bpf_map_update_elem(&pmb_works, &thread, &fresh, BPF_NOEXIST);
	return bpf_map_lookup_elem(&pmb_works, &thread);
}

/* The current thread goes on; inside: it was in a window. */
static __always_inline void cut_here(bool inside, struct pmb_work_stats *stats)
{
	__u64 switches = switches_of((void *)bpf_get_current_task());
	struct counted now[PMB_MAX_READS];
	__u32 unread = read_counters(now);

	if (stats)
		stretch_cut(&pmb_work, inside, switches, now, unread, stats);
}

/* The current thread's window ends, and nobody knows what it cost. */
static __always_inline void abandon(__u8 *byte, struct pmb_work_stats *stats)
{
	if (pmb_work_sums)
		cut_here(true, stats);
	if (pmb_work.by_process) {
		leave_shared(stats, bpf_get_current_pid_tgid() >> 32, true);
		stretch_changed();
	} else {
		COUNT(stats->abandoned);
	}
	*byte = WORK_NONE;
}

static __always_inline int open_window(__u64 sp)
{
	__u32 thread = (__u32)bpf_get_current_pid_tgid();
	struct pmb_work_stats *stats = work_stats();
	__u8 *byte = open_byte(thread);
	struct work *work;

	if (!stats || !current_is_target())
		return 0;
	work = byte ? work_of(thread) : NULL;
	if (!work) {
		COUNT(stats->no_room);
		return 0;
	}
	if (*byte != WORK_NONE && pmb_work.by_process)
		abandon(byte, stats);
	else if (*byte != WORK_NONE)
		COUNT(stats->abandoned);
	if (!pmb_work.by_process)
		COUNT(stats->began);
	work->sp = sp;
	work->tgid = bpf_get_current_pid_tgid() >> 32;
	work_open(PMB_UNITS_REAL, byte, work, stats);
	return 0;
}

static __always_inline int close_window(void)
{
	__u32 thread = (__u32)bpf_get_current_pid_tgid();
	__u8 *byte = open_byte(thread);
	struct pmb_work_stats *stats;
	struct work *work;

	if (!byte || *byte != WORK_OPEN)
		return 0;
	work = bpf_map_lookup_elem(&pmb_works, &thread);
	stats = work_stats();
	if (work && stats)
		work_close(PMB_UNITS_REAL, byte, work, stats);
	return 0;
}

static __always_inline int probe_opens(void)
{
	__u32 thread = (__u32)bpf_get_current_pid_tgid();
	struct pmb_work_stats *stats = work_stats();
	__u8 *byte = open_byte(thread);

	if (!stats || !current_may_open())
		return 0;
	if (!byte || *byte == WORK_NONE)
		return open_window(0);
	if (pmb_work.windows == PMB_WINDOWS_BETWEEN || *byte != WORK_OPEN) {
		COUNT(stats->nested);
		return 0;
	}
	close_window();
	return pmb_work.windows == PMB_WINDOWS_HITS ? open_window(0) : 0;
}

static __always_inline int call_begins_at(__u64 sp)
{
	__u32 thread = (__u32)bpf_get_current_pid_tgid();
	struct work *work = bpf_map_lookup_elem(&pmb_works, &thread);
	struct pmb_work_stats *stats = work_stats();
	__u8 *byte = open_byte(thread);

	if (!stats || !current_may_open())
		return 0;
	if (byte && work && *byte != WORK_NONE && (*byte != WORK_OPEN || sp < work->sp)) {
		COUNT(stats->nested);
		return 0;
	}
	return open_window(sp);
}

/* The current thread leaves a call whose stack pointer is sp, or up to slack above where it was at
 * the entry. False: no call ends here, or one is abandoned. */
static __always_inline bool call_ends_at(__u64 sp, __u64 slack)
{
	__u32 thread = (__u32)bpf_get_current_pid_tgid();
	struct pmb_work_stats *stats = work_stats();
	__u8 *byte = open_byte(thread);
	struct work *work;

	if (!byte || *byte != WORK_OPEN || !stats)
		return false;
	work = bpf_map_lookup_elem(&pmb_works, &thread);
	if (!work || sp < work->sp)
		return false;
	if (sp > work->sp + slack) {
		abandon(byte, stats);
		return false;
	}
	work_close(PMB_UNITS_REAL, byte, work, stats);
	return true;
}

static __always_inline int call_begins(const struct arch_regs *regs)
{
	return call_begins_at(ARCH_SP(regs));
}

static __always_inline int call_ends(const struct arch_regs *regs)
{
	if (is_left_here(&pmb_work, regs))
		call_ends_at(exit_sp(&pmb_work, regs), 0);
	return 0;
}

/* As exception_caught() of bpf/gate.bpf.c. */
static __always_inline int exception_caught(const struct arch_regs *regs)
{
	struct pmb_work_stats *stats = work_stats();
	bool ended = call_ends_at(ARCH_SP(regs), CATCHER_MAX);

	if (ended && stats && !pmb_work.by_process)
		COUNT(stats->caught);
	return 0;
}

static __always_inline int kernel_begins(void *at)
{
	if (!is_on_own_stack((__u64)at))
		return 0;
	return pmb_work.windows == PMB_WINDOWS_KERNEL ? call_begins_at((__u64)at) : probe_opens();
}

static __always_inline int kernel_ends(void *at)
{
	if (!is_on_own_stack((__u64)at))
		return 0;
	if (pmb_work.windows != PMB_WINDOWS_KERNEL)
		return close_window();
	call_ends_at((__u64)at, KERNEL_CALL_SLACK);
	return 0;
}

#endif
