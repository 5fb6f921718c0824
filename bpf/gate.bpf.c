// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What opens and closes windows, without a probe in any program. User space loads those of these
 * programs that the windows asked for need, or none.
 */
#include "lib/calls.h"
#include "lib/ended.h"
#include "lib/exits.h"
#include "lib/gate.h"
#include "lib/kernel_call.h"
#include "lib/maps.h"
#include "lib/pidns.h"
#include "lib/target.h"
#include "lib/undisturbed.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile struct pmb_config pmb_gate = {};     /* windows, and whose */
const volatile __u8 pmb_gate_calls[PMB_CALLS] = {}; /* enum pmb_call */

static __always_inline bool current_is_target(void)
{
	return is_target(&pmb_gate, (__u32)current_numbers(pmb_gate.pidns));
}

/* Of a target; gate: the thread's, NULL: it has none yet. Looked up once: of what a hit takes,
 * look-ups are the most. */
static __always_inline int open_gate(struct pmb_window_stats *stats, struct gate *gate, __u32 what,
				     __u64 sp, __u64 returns_to)
{
	__u32 thread = (__u32)bpf_get_current_pid_tgid(), tgid = bpf_get_current_pid_tgid() >> 32;
	struct gate fresh = {.what = what, .sp = sp, .returns_to = returns_to, .tgid = tgid};
	bool was_open = gate && gate->start;

	if (gate) {
		gate_open(gate, bpf_ktime_get_ns(), what, sp, returns_to);
	} else {
		fresh.start = bpf_ktime_get_ns();
		if (bpf_map_update_elem(&pmb_gates, &thread, &fresh, BPF_NOEXIST)) {
			stats->no_room++;
			return 0;
		}
	}
	if (!pmb_gate.by_process)
		stats->began++;
	else if (!was_open)
		count_opening(stats, shared_enter(tgid, what));
	return 0;
}

static __always_inline int open_window(__u32 what)
{
	__u32 thread = (__u32)bpf_get_current_pid_tgid();
	struct pmb_window_stats *stats = window_stats();

	if (!stats || !current_is_target())
		return 0;
	return open_gate(stats, bpf_map_lookup_elem(&pmb_gates, &thread), what, 0, 0);
}

static __always_inline int close_window(void)
{
	__u32 thread = (__u32)bpf_get_current_pid_tgid();
	struct gate *gate = bpf_map_lookup_elem(&pmb_gates, &thread);

	if (gate && gate->start)
		gate_close(&pmb_gate, gate, thread, bpf_ktime_get_ns());
	return 0;
}

/* A probe was met. */
static __always_inline int probe_opens(void *ctx)
{
	__u32 thread = (__u32)bpf_get_current_pid_tgid();
	struct pmb_window_stats *stats = window_stats();
	struct gate *gate = bpf_map_lookup_elem(&pmb_gates, &thread);

	(void)ctx;
	if (!stats || !current_may_open())
		return 0;
	if (!gate || !gate->start)
		return current_is_target() ? open_gate(stats, gate, 0, 0, 0) : 0;
	if (pmb_gate.windows == PMB_WINDOWS_TOGGLE) {
		gate_close(&pmb_gate, gate, thread, bpf_ktime_get_ns());
		return 0;
	}
	stats->nested++;
	return 0;
}

static __always_inline int probe_closes(void *ctx)
{
	(void)ctx;
	return close_window();
}

static __always_inline int call_begins_at(__u64 sp, __u64 returns_to)
{
	__u32 thread = (__u32)bpf_get_current_pid_tgid();
	struct pmb_window_stats *stats = window_stats();
	struct gate *gate = bpf_map_lookup_elem(&pmb_gates, &thread);

	if (!stats || !current_may_open())
		return 0;
	if (gate && gate->start && sp < gate->sp) {
		stats->nested++;
		return 0;
	}
	if (gate && gate->start)
		gate_abandon(&pmb_gate, gate, thread);
	return current_is_target() ? open_gate(stats, gate, 0, sp, returns_to) : 0;
}

/* It has left its window, whose place is another's from now on. */
static __always_inline void goroutine_leave(const struct goroutine *who, struct gate *gate,
					    bool abandoned)
{
	if (abandoned)
		gate_abandon(&pmb_gate, gate, who->key);
	else
		gate_close(&pmb_gate, gate, who->key, bpf_ktime_get_ns());
	bpf_map_delete_elem(&pmb_gates, &who->key);
}

static __always_inline int goroutine_begins(const struct arch_regs *regs)
{
	struct pmb_window_stats *stats = window_stats();
	struct gate fresh = {0}, *gate;
	struct goroutine who;
	__u64 sp;

	if (pmb_gate.grows && holds(ARCH_FLAGS(regs), pmb_gate.grows - 1))
		return 0; /* it will be back here, on a larger stack */
	if (!stats || !goroutine_of_thread(&who))
		return 0;
	sp = goroutine_sp(&who, ARCH_SP(regs));
	gate = goroutine_gate(&who);
	if (gate && sp < gate->sp && goroutine_is_called(&who, gate)) {
		stats->nested++;
		return 0;
	}
	if (gate)
		goroutine_leave(&who, gate, true);
	if (!current_may_open() || !current_is_target())
		return 0;
	fresh.sp = sp;
	fresh.returns_to = return_address(regs);
	fresh.g = who.g;
	fresh.tgid = who.tgid;
	fresh.exec_id = current_exec_id();
	fresh.start = bpf_ktime_get_ns();
	if (bpf_map_update_elem(&pmb_gates, &who.key, &fresh, BPF_NOEXIST))
		stats->no_room++;
	else
		stats->began++;
	return 0;
}

static __always_inline int goroutine_ends(const struct arch_regs *regs)
{
	struct goroutine who;
	struct gate *gate;
	__u64 sp;

	if (!is_left_here(&pmb_gate, regs) || !goroutine_of_thread(&who))
		return 0;
	gate = goroutine_gate(&who);
	if (!gate)
		return 0;
	sp = goroutine_sp(&who, ARCH_SP(regs));
	if (sp >= gate->sp)
		goroutine_leave(&who, gate, sp > gate->sp);
	return 0;
}

static __always_inline int call_begins(void *ctx)
{
	const struct arch_regs *regs = ctx;

	if (pmb_gate.of_go)
		return goroutine_begins(regs);
	return call_begins_at(ARCH_SP(regs), return_address(regs));
}

/* The current thread leaves a call whose stack pointer is sp, or up to slack above where it was at
 * the entry. False: no call ends here, or one is abandoned. */
static __always_inline bool call_ends_at(__u64 sp, __u64 slack)
{
	__u32 thread = (__u32)bpf_get_current_pid_tgid();
	struct gate *gate = bpf_map_lookup_elem(&pmb_gates, &thread);

	if (!gate || !gate->start || sp < gate->sp)
		return false;
	if (sp > gate->sp + slack) {
		gate_abandon(&pmb_gate, gate, thread);
		return false;
	}
	gate_close(&pmb_gate, gate, thread, bpf_ktime_get_ns());
	return true;
}

static __always_inline int call_ends(void *ctx)
{
	if (pmb_gate.of_go)
		return goroutine_ends(ctx);
	if (is_left_here(&pmb_gate, ctx))
		call_ends_at(exit_sp(&pmb_gate, ctx), 0);
	return 0;
}

/* Whoever catches an exception called what it has left, or one that called it: there the stack
 * pointer is no lower than at the entry. */
static __always_inline int exception_caught(void *ctx)
{
	struct pmb_window_stats *stats = window_stats();
	bool ended = call_ends_at(ARCH_SP((struct arch_regs *)ctx), CATCHER_MAX);

	if (ended && stats && !pmb_gate.by_process)
		stats->caught++;
	return 0;
}

static __always_inline int kernel_call_begins(void *at)
{
	if (!is_on_own_stack((__u64)at))
		return 0;
	return pmb_gate.windows == PMB_WINDOWS_KERNEL ? call_begins_at((__u64)at, 0) :
							probe_opens(at);
}

static __always_inline int kernel_call_ends(void *at)
{
	if (!is_on_own_stack((__u64)at))
		return 0;
	if (pmb_gate.windows != PMB_WINDOWS_KERNEL)
		return probe_closes(at);
	call_ends_at((__u64)at, KERNEL_CALL_SLACK);
	return 0;
}

/* What it costs: some are timed. */
static __always_inline int timed(int (*what)(void *ctx), void *ctx)
{
	struct pmb_window_stats *stats = window_stats();
	__u64 before;

	if (is_paused(pmb_gate.sliced))
		return 0;
	if (!stats || stats->hits++ % PMB_TIMED_EVERY)
		return what(ctx);
	before = bpf_ktime_get_ns();
	what(ctx);
	stats->timed++;
	stats->timed_ns += bpf_ktime_get_ns() - before;
	return 0;
}

/* The same of a probe in a program. Whoever meets it pays, and also while it is being taken out. */
static __always_inline int met(int (*what)(void *ctx), void *ctx)
{
	struct pmb_window_stats *stats = window_stats();

	if (stats && is_stepped(ctx))
		stats->stepped++;
	else if (stats)
		stats->emulated++;
	return timed(what, ctx);
}

/* The same of a function of the kernel. */
static __always_inline int met_in_kernel(int (*what)(void *at), void *at)
{
	struct pmb_window_stats *stats = window_stats();

	if (stats)
		stats->emulated++;
	return timed(what, at);
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
int pmb_probe_open(void *ctx)
{
	return timed(probe_opens, ctx);
}

SEC("raw_tp")
int pmb_probe_close(void *ctx)
{
	return timed(probe_closes, ctx);
}

SEC("uprobe")
int pmb_user_open(void *ctx)
{
	if (pmb_gate.windows == PMB_WINDOWS_FUNCTION)
		return met_undisturbed(call_begins, ctx);
	return met_undisturbed(probe_opens, ctx);
}

SEC("uprobe")
int pmb_user_close(void *ctx)
{
	if (pmb_gate.windows == PMB_WINDOWS_FUNCTION)
		return met_undisturbed(call_ends, ctx);
	return met_undisturbed(probe_closes, ctx);
}

/* Where exceptions are caught. */
SEC("uprobe")
int pmb_user_catch(void *ctx)
{
	return met_undisturbed(exception_caught, ctx);
}

SEC("kprobe")
int pmb_kprobe_open(struct arch_regs *ctx)
{
	return met_in_kernel(kernel_call_begins, (void *)ARCH_SP(ctx));
}

SEC("kprobe")
int pmb_kprobe_close(struct arch_regs *ctx)
{
	return met_in_kernel(kernel_call_ends, (void *)ARCH_SP(ctx));
}

SEC("fentry")
int pmb_fentry_open(void *ctx)
{
	return met_in_kernel(kernel_call_begins, (void *)address_of(ctx));
}

SEC("fentry")
int pmb_fentry_close(void *ctx)
{
	return met_in_kernel(kernel_call_ends, (void *)address_of(ctx));
}

SEC("perf_event")
int pmb_event_open(void *ctx)
{
	return timed(probe_opens, ctx);
}

SEC("perf_event")
int pmb_event_close(void *ctx)
{
	return timed(probe_closes, ctx);
}

SEC("raw_tp/sys_enter")
int pmb_call_enter(struct bpf_raw_tracepoint_args *ctx)
{
	if (!is_meant(pmb_gate_calls, (void *)ctx->args[0], ctx->args[1]))
		return 0;
	return pmb_gate.windows == PMB_WINDOWS_LOOP ? close_window() :
						      open_window((__u32)ctx->args[1] + 1);
}

SEC("raw_tp/sys_exit")
int pmb_call_exit(struct bpf_raw_tracepoint_args *ctx)
{
	struct arch_regs *regs = (void *)ctx->args[0];

	if (!is_meant(pmb_gate_calls, regs, arch_syscall(regs)))
		return 0;
	return pmb_gate.windows == PMB_WINDOWS_LOOP ? open_window(0) : close_window();
}

/* args: preempt, the task that goes, the task that comes */
SEC("raw_tp/sched_switch")
int pmb_run_switch(struct bpf_raw_tracepoint_args *ctx)
{
	__u32 thread = (__u32)bpf_get_current_pid_tgid();
	struct task_struct *next = (void *)ctx->args[2];
	struct pmb_window_stats *stats = window_stats();
	struct run *run = current_cpu_run();
	__u64 now = bpf_ktime_get_ns();

	if (!run || !stats)
		return 0;
	if (run->gate.start && run->thread == thread) {
		if (current_is_target()) {
			stats->began++;
			gate_close(&pmb_gate, &run->gate, thread, now);
		}
	} else if (run->gate.samples) {
		run_forget(&pmb_gate, run);
	}
	run->gate.start = 0;
	barrier();
	run->gate.samples = 0;
	run->thread = BPF_CORE_READ(next, pid);
	run->switches = switches_of(next);
	barrier();
	run->gate.start = run->thread ? now : 0;
	return 0;
}

static __always_inline bool has_calls(void)
{
	return pmb_gate.windows == PMB_WINDOWS_FUNCTION || pmb_gate.windows == PMB_WINDOWS_KERNEL;
}

/* A call is not left, but what would have left it is no more. */
static __always_inline void leave_call(void)
{
	__u32 thread = (__u32)bpf_get_current_pid_tgid();
	struct gate *gate = bpf_map_lookup_elem(&pmb_gates, &thread);

	if (gate && gate->start)
		gate_abandon(&pmb_gate, gate, thread);
}

/* While probes are out. User space leaves all that were open, and threads end meanwhile: whoever
 * deletes it has left it. ended: only if its process has. */
static __always_inline void leave_paused(__u32 thread, bool ended)
{
	struct gate *gate = bpf_map_lookup_elem(&pmb_gates, &thread), copy;

	if (!gate || (ended && !has_ended(gate->tgid, gate->exec_id)))
		return;
	copy = *gate;
	if (!bpf_map_delete_elem(&pmb_gates, &thread) && copy.start)
		gate_abandon(&pmb_gate, &copy, thread);
}

/* User space calls this for each thread or goroutine that had a window, once the last probe is
 * out, or a process has ended. args: its number, whether it is for that */
SEC("raw_tp")
int pmb_gate_leave(struct bpf_raw_tracepoint_args *ctx)
{
	leave_paused((__u32)ctx->args[0], ctx->args[1]);
	return 0;
}

/* A thread's number may be used again. */
SEC("raw_tp/sched_process_exit")
int pmb_gate_exit(struct bpf_raw_tracepoint_args *ctx)
{
	__u32 thread = (__u32)bpf_get_current_pid_tgid();

	(void)ctx;
	if (is_over())
		return 0;
	if (pmb_gate.of_go) {
		if (current_is_target())
			ended_note_exit();
		return 0;
	}
	if (is_paused(pmb_gate.sliced))
		leave_paused(thread, false);
	else if (has_calls())
		leave_call();
	else
		close_window();
	if (pmb_gate.by_process)
		shared_forget(bpf_get_current_pid_tgid() >> 32);
	if (!pmb_gate.keep_threads)
		bpf_map_delete_elem(&pmb_gates, &thread);
	return 0;
}

/* So may that of one that goes on under its leader's. args: task, its number before */
SEC("raw_tp/sched_process_exec")
int pmb_gate_exec(struct bpf_raw_tracepoint_args *ctx)
{
	__u32 thread = (__u32)bpf_get_current_pid_tgid(), before = (__u32)ctx->args[1];
	struct gate *gate;

	if (is_over())
		return 0;
	if (pmb_gate.of_go) {
		if (current_is_target())
			ended_note(1);
		return 0;
	}
	if (is_paused(pmb_gate.sliced)) {
		leave_paused(before, false);
		leave_paused(thread, false);
		return 0;
	}
	if (has_calls())
		leave_call();
	if (before == thread)
		return 0;
	gate = bpf_map_lookup_elem(&pmb_gates, &before);
	if (gate && gate->start && pmb_gate.by_process)
		gate_abandon(&pmb_gate, gate, before);
	else if (gate)
		gate->start = 0;
	if (!pmb_gate.keep_threads)
		bpf_map_delete_elem(&pmb_gates, &before);
	return 0;
}
