// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What units of work cost: counters are read where a window of a thread opens and where it closes,
 * and set aside while the thread is off its CPU. The hard thing is that they are the CPU's, not the
 * thread's. So each is kept as a base while the thread runs and as a count while it doesn't, and
 * one step makes either of the other: x = now - x.
 */
#include "lib/calls.h"
#include "lib/ended.h"
#include "lib/pidns.h"
#include "lib/undisturbed.h"
#include "lib/work_goroutine.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

static __always_inline int call_or_probe_begins(void *ctx)
{
	if (pmb_work.of_go)
		return goroutine_begins(ctx);
	return pmb_work.windows == PMB_WINDOWS_FUNCTION ? call_begins(ctx) : probe_opens();
}

static __always_inline int call_or_probe_ends(void *ctx)
{
	if (pmb_work.of_go)
		return goroutine_ends(ctx);
	return pmb_work.windows == PMB_WINDOWS_FUNCTION ? call_ends(ctx) : close_window();
}

static __always_inline int caught(void *ctx)
{
	return exception_caught(ctx);
}

static __always_inline int goes(void *ctx)
{
	(void)ctx;
	return goroutine_goes();
}

static __always_inline int comes(void *ctx)
{
	return goroutine_comes(ctx);
}

/* A probe, of which these are the hits. Whoever meets it pays, and also while it is being taken
 * out. */
static __always_inline int timed(int (*what)(void *at), void *ctx, struct pmb_work_stats *stats,
				 __u64 *hits)
{
	__u64 before;

	COUNT(*hits);
	if (is_paused(pmb_work.sliced))
		return 0;
	if (*hits % PMB_TIMED_EVERY)
		return what(ctx);
	before = bpf_ktime_get_ns();
	what(ctx);
	COUNT(stats->timed);
	__sync_fetch_and_add(&stats->timed_ns, bpf_ktime_get_ns() - before);
	return 0;
}

/* In a program. */
static __always_inline int met(int (*what)(void *ctx), void *ctx)
{
	struct pmb_work_stats *stats = work_stats();

	if (!stats)
		return 0;
	return timed(what, ctx, stats, is_stepped(ctx) ? &stats->stepped : &stats->emulated);
}

/* At a function of the kernel. */
static __always_inline int met_in_kernel(int (*what)(void *at), void *at)
{
	struct pmb_work_stats *stats = work_stats();

	return stats ? timed(what, at, stats, &stats->emulated) : 0;
}

static __always_inline int met_undisturbed(int (*what)(void *ctx), void *ctx)
{
	begin_undisturbed(ctx, &pmb_none);
	met(what, ctx);
	end_undisturbed();
	return 0;
}

/* User space attaches these to what was asked for. */
SEC("raw_tp")
int pmb_work_open(void *ctx)
{
	(void)ctx;
	return is_paused(pmb_work.sliced) ? 0 : probe_opens();
}

SEC("raw_tp")
int pmb_work_close(void *ctx)
{
	(void)ctx;
	return is_paused(pmb_work.sliced) ? 0 : close_window();
}

SEC("uprobe")
int pmb_user_start(void *ctx)
{
	return met_undisturbed(call_or_probe_begins, ctx);
}

SEC("uprobe")
int pmb_user_stop(void *ctx)
{
	return met_undisturbed(call_or_probe_ends, ctx);
}

SEC("uprobe")
int pmb_user_caught(void *ctx)
{
	return met_undisturbed(caught, ctx);
}

/* Where a thread lets go of a goroutine, and where one is given to it. */
SEC("uprobe")
int pmb_user_goes(void *ctx)
{
	return met_undisturbed(goes, ctx);
}

SEC("uprobe")
int pmb_user_comes(void *ctx)
{
	return met_undisturbed(comes, ctx);
}

SEC("kprobe")
int pmb_kprobe_start(struct arch_regs *ctx)
{
	return met_in_kernel(kernel_begins, (void *)ARCH_SP(ctx));
}

SEC("kprobe")
int pmb_kprobe_stop(struct arch_regs *ctx)
{
	return met_in_kernel(kernel_ends, (void *)ARCH_SP(ctx));
}

SEC("fentry")
int pmb_fentry_start(void *ctx)
{
	return met_in_kernel(kernel_begins, (void *)address_of(ctx));
}

SEC("fentry")
int pmb_fentry_stop(void *ctx)
{
	return met_in_kernel(kernel_ends, (void *)address_of(ctx));
}

SEC("perf_event")
int pmb_work_start(void *ctx)
{
	(void)ctx;
	return is_paused(pmb_work.sliced) ? 0 : probe_opens();
}

SEC("perf_event")
int pmb_work_stop(void *ctx)
{
	(void)ctx;
	return is_paused(pmb_work.sliced) ? 0 : close_window();
}

SEC("raw_tp/sys_enter")
int pmb_work_enter(struct bpf_raw_tracepoint_args *ctx)
{
	if (!is_meant(pmb_work_calls, (void *)ctx->args[0], ctx->args[1]))
		return 0;
	return pmb_work.windows == PMB_WINDOWS_LOOP ? close_window() : open_window(0);
}

SEC("raw_tp/sys_exit")
int pmb_work_exit(struct bpf_raw_tracepoint_args *ctx)
{
	struct arch_regs *regs = (void *)ctx->args[0];

	if (!is_meant(pmb_work_calls, regs, arch_syscall(regs)))
		return 0;
	return pmb_work.windows == PMB_WINDOWS_LOOP ? open_window(0) : close_window();
}

/* One side of a switch, of a thread in a unit; io: it goes to wait for I/O. */
static __always_inline void work_switch(__u32 thread, bool goes, bool io, __u64 time,
					const struct counted now[PMB_MAX_READS], __u32 unread)
{
	struct work *work = work_of_thread(thread);

	if (!work)
		return;
	if (goes) {
		work->outs++;
		work->in_io = io;
	} else {
		work->ins++;
	}
	work->off = time - work->off;
	if (work->in_io)
		work->io = time - work->io;
	if (!goes)
		work->in_io = 0;
	flip_counters(work, now, unread);
}

static __always_inline void add_stretch(struct task_struct *prev, struct task_struct *next,
					bool inside, const struct counted now[PMB_MAX_READS],
					__u32 unread)
{
	struct pmb_work_stats *stats = work_stats();

	if (stats)
		stretch_switch(&pmb_work, prev, next, current_is_target(), inside, now, unread,
			       stats);
}

/* Arguments: preempt, the task that goes, the task that comes. With types: they are read at no
 * cost. */
SEC("tp_btf/sched_switch")
int pmb_work_switch(unsigned long long *ctx)
{
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	__u32 from = prev->pid, to = next->pid, unread;
	__u8 *from_byte = open_byte(from), *to_byte = open_byte(to);
	bool goes = from_byte && *from_byte, comes = to_byte && *to_byte;
	bool sums = pmb_work_sums && (goes || comes || may_be_target(&pmb_work, from) ||
				      may_be_target(&pmb_work, to));
	struct counted now[PMB_MAX_READS];
	__u64 time;

	if (!goes && !comes && !sums)
		return 0;
	time = bpf_ktime_get_ns();
	unread = read_counters(now);
	if (sums)
		add_stretch(prev, next, goes && *from_byte != WORK_OPENING, now, unread);
	if (goes)
		work_switch(from, true, BPF_CORE_READ_BITFIELD(prev, in_iowait), time, now, unread);
	if (comes)
		work_switch(to, false, false, time, now, unread);
	return 0;
}

/* A run of a thread whose number of switches was `before`; if it began unseen, or the thread was
 * switched unseen, it is none that is known. */
static __always_inline void run_close(struct work_run *run, __u32 thread, __u64 before, __u64 time,
				      struct pmb_work_stats *stats)
{
	struct work *work = &run->work;

	COUNT(stats->began);
	if (run->thread != thread || work->switches != before)
		COUNT(stats->unsure);
	else
		work_account(PMB_UNITS_REAL, work, time - work->start, 0, stats);
}

static __always_inline void run_begin(struct work_run *run, __u32 thread, __u64 switches,
				      __u64 time, const struct counted now[PMB_MAX_READS],
				      __u32 unread)
{
	run->thread = thread;
	work_clear(&run->work, switches);
	flip_counters(&run->work, now, unread);
	run->work.start = time;
}

SEC("tp_btf/sched_switch")
int pmb_work_run(unsigned long long *ctx)
{
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	__u64 time = bpf_ktime_get_ns();
	struct pmb_work_stats *stats = work_stats();
	struct counted now[PMB_MAX_READS];
	__u32 zero = 0, unread;
	struct work_run *run = bpf_map_lookup_elem(&pmb_work_runs, &zero);

	if (!run || !stats)
		return 0;
	unread = read_counters(now);
	if (pmb_work_sums)
		add_stretch(prev, next, true, now, unread);
	flip_counters(&run->work, now, unread);
	if (prev->pid && current_is_target())
		run_close(run, prev->pid, switches_of(prev) - 1, time, stats);
	run_begin(run, next->pid, switches_of(next), time, now, unread);
	return 0;
}

/* The run in which a thread ends is over where its counters stop; the switch that follows is none
 * of a target's. */
static __always_inline void run_last(__u64 switches, const struct counted now[PMB_MAX_READS],
				     __u32 unread, struct pmb_work_stats *stats)
{
	__u32 zero = 0, thread = (__u32)bpf_get_current_pid_tgid();
	struct work_run *run = bpf_map_lookup_elem(&pmb_work_runs, &zero);

	if (!run)
		return;
	flip_counters(&run->work, now, unread);
	/* a switch in the midst of it began another run */
	if (switches_of((void *)bpf_get_current_task()) != switches)
		run->thread = 0;
	run_close(run, thread, switches, bpf_ktime_get_ns(), stats);
	run->thread = 0;
}

/* User space calls this for each thread or goroutine that had a unit, once the last probe is out,
 * or a process has ended. args: its number, whether it is for that */
SEC("raw_tp")
int pmb_work_leave(struct bpf_raw_tracepoint_args *ctx)
{
	if (pmb_work.of_go)
		goroutine_leave_paused((__u32)ctx->args[0], ctx->args[1]);
	else
		leave_paused((__u32)ctx->args[0]);
	return 0;
}

/* A thread is no more, or goes by another number. */
static __always_inline void forget(__u32 thread)
{
	struct pmb_work_stats *stats = work_stats();
	__u8 *byte = open_byte(thread);

	if (pmb_work.of_go) {
		goroutine_forget(thread);
		return;
	}
	if (is_paused(pmb_work.sliced)) {
		leave_paused(thread);
		return;
	}
	if (byte && *byte != WORK_NONE && stats)
		abandon(byte, stats);
	if (!pmb_work.keep_threads)
		bpf_map_delete_elem(&pmb_works, &thread);
}

/* Right behind this the kernel stops a task's own counters. */
static __always_inline void stretch_last(void)
{
	__u64 switches = switches_of((void *)bpf_get_current_task());
	__u8 *mark = task_mark((__u32)bpf_get_current_pid_tgid());
	bool run = pmb_work.windows == PMB_WINDOWS_RUN;
	struct pmb_work_stats *stats = work_stats();
	struct counted now[PMB_MAX_READS];
	__u32 unread;

	if (pmb_work.filter != PMB_FILTER_TASKS || pmb_work.pidns || !mark || !stats ||
	    *mark != PMB_MARK_TARGET)
		return;
	unread = read_counters(now);
	if (run)
		run_last(switches, now, unread, stats);
	stretch_cut(&pmb_work, run, switches, now, unread, stats);
	*mark = PMB_MARK_NONE;
}

SEC("raw_tp/sched_process_exit")
int pmb_work_gone(void *ctx)
{
	(void)ctx;
	forget((__u32)bpf_get_current_pid_tgid());
	if (pmb_work.of_go && current_is_target())
		ended_note_exit();
	if (pmb_work_sums)
		stretch_last();
	if (pmb_work.by_process)
		shared_forget(bpf_get_current_pid_tgid() >> 32);
	return 0;
}

/* args: task, its number before */
SEC("raw_tp/sched_process_exec")
int pmb_work_renamed(struct bpf_raw_tracepoint_args *ctx)
{
	__u32 zero = 0, thread = (__u32)bpf_get_current_pid_tgid(), before = (__u32)ctx->args[1];
	struct work_run *run = bpf_map_lookup_elem(&pmb_work_runs, &zero);
	struct stretch *stretch = current_stretch();

	if (pmb_work.windows == PMB_WINDOWS_FUNCTION || pmb_work.windows == PMB_WINDOWS_KERNEL)
		forget(thread); /* what would have left its call is no more */
	if (pmb_work.of_go && current_is_target())
		ended_note(1);
	if (before == thread)
		return 0;
	if (stretch && stretch->thread == before)
		stretch->thread = thread;
	if (run && run->thread == before)
		run->thread = thread;
	/* it had a switch amid that, when nobody by its new number was a target yet */
	if (stretch && stretch->thread == thread)
		stretch->known = 1;
	forget(before);
	return 0;
}

/* A command becomes a target here, for here the kernel starts its counters. Its exec is told of
 * later, when it has caused page faults. */
SEC("raw_tp/task_rename")
int pmb_work_named(void *ctx)
{
	__u8 *mark = task_mark((__u32)current_numbers(pmb_work.pidns));
	__u64 switches = switches_of((void *)bpf_get_current_task());
	__u32 zero = 0, unread, thread = (__u32)bpf_get_current_pid_tgid();
	struct work_run *run = bpf_map_lookup_elem(&pmb_work_runs, &zero);
	struct stretch *stretch = current_stretch();
	struct counted now[PMB_MAX_READS];

	(void)ctx;
	if (!mark || *mark != PMB_MARK_ARMED || !stretch || !run)
		return 0;
	unread = read_counters(now);
	stretch_begin(&pmb_work, stretch, thread, switches, now, unread);
	if (pmb_work.by_process)
		stretch->phase = phase_of(bpf_get_current_pid_tgid() >> 32);
	run_begin(run, thread, switches, bpf_ktime_get_ns(), now, unread);
	*mark = PMB_MARK_TARGET;
	return 0;
}

/* User space calls this on each CPU, to begin with and before it reads: whoever has it gets what it
 * has so far. */
SEC("raw_tp")
int pmb_work_settle(void *ctx)
{
	__u8 *byte = open_byte((__u32)bpf_get_current_pid_tgid());
	struct pmb_work_stats *stats = work_stats();
	bool open = byte && *byte == WORK_OPEN;

	(void)ctx;
	/* it is about to do that itself */
	if (!stats || (byte && *byte != WORK_NONE && !open))
		return 0;
	if (current_is_target())
		cut_here(open || pmb_work.windows == PMB_WINDOWS_RUN, stats);
	return 0;
}

/* A unit with nothing in it. User space calls this, before anything is attached. */
SEC("raw_tp")
int pmb_work_empty(void *ctx)
{
	__u32 thread = (__u32)bpf_get_current_pid_tgid();
	struct pmb_work_stats *stats = work_stats();
	__u8 *byte = open_byte(thread);
	__u64 before = bpf_ktime_get_ns();
	struct work *work = byte ? work_of(thread) : NULL;

	(void)ctx;
	if (!work || !stats)
		return 0;
	work_open(PMB_UNITS_EMPTY, byte, work, stats);
	work_close(PMB_UNITS_EMPTY, byte, work, stats);
	pmb_cost_add(PMB_UNITS_EMPTY, PMB_SERIES_PAIR, bpf_ktime_get_ns() - before);
	return 0;
}
