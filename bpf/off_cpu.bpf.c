// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Where threads get a CPU, and where they are woken. Where they leave theirs is an overflow of a
 * software counter of switches, which bpf/sample.bpf.c handles. User space loads these programs
 * where time without a CPU is wanted.
 */
#include "lib/context.h"
#include "lib/off_cpu.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile struct pmb_config pmb_off = {}; /* event, windows, off_min_ns, ring_wake */

/* What it costs: some are timed. */
static __always_inline bool begins_timed(struct off_cpu *cpu)
{
	return cpu->stats.hooks++ % PMB_TIMED_EVERY == 0;
}

static __always_inline void end_timed(struct off_cpu *cpu, __u64 before)
{
	cpu->stats.hooks_timed++;
	cpu->stats.hooks_timed_ns += bpf_ktime_get_ns() - before;
}

/* A thread that ends leaves its CPU for good. */
static __always_inline void forget(struct task_struct *task, struct off_cpu *cpu)
{
	__u32 thread = task->pid;
	struct pmb_off_thread *t = off_thread(thread, false);
	__u64 now;

	if (!t)
		return;
	now = bpf_ktime_get_ns();
	off_on_cpu(t, cpu, switches_of(task), now);
	cpu->stats.wall_ns += now - t->first;
	bpf_map_delete_elem(&pmb_offs, &thread);
}

static __always_inline bool is_dead(struct task_struct *task)
{
	if (bpf_core_field_exists(task->__state))
		return task->__state & TASK_IS_DEAD;
	return ((struct task_struct___state *)task)->state & TASK_IS_DEAD;
}

static __always_inline void arrive(struct task_struct *next, struct off_cpu *cpu)
{
	__u32 thread = next->pid;
	struct pmb_off_thread *t = thread ? off_thread(thread, false) : NULL;

	cpu->arrived = 0;
	if (t && t->since) {
		off_end(&pmb_off, t, cpu, bpf_ktime_get_ns());
		cpu->arrived = thread;
	}
}

/* Arguments: preempt, the task that goes, the task that comes. */
SEC("tp_btf/sched_switch")
int pmb_off_switch(unsigned long long *ctx)
{
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	struct off_cpu *cpu = off_cpu();
	__u64 before = 0;

	if (!cpu)
		return 0;
	if (begins_timed(cpu))
		before = bpf_ktime_get_ns();
	cpu->preempts = ctx[0] & 1;
	if (is_dead(prev))
		forget(prev, cpu);
	arrive(next, cpu);
	if (before)
		end_timed(cpu, before);
	return 0;
}

/* Arguments: the task that is woken. The first time counts. */
SEC("tp_btf/sched_waking")
int pmb_off_waking(unsigned long long *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	__u32 thread = task->pid;
	struct pmb_off_thread *t = off_thread(thread, false);
	struct off_cpu *cpu;

	if (!t || !t->since || t->outside || t->woken)
		return 0;
	cpu = off_cpu();
	if (!cpu)
		return 0;
	t->rec.off.waker = (__u32)bpf_get_current_pid_tgid();
	t->rec.off.woken = in_interrupt(&pmb_off, &cpu->word) ? PMB_WOKEN_BY_INTERRUPT :
								PMB_WOKEN_BY_THREAD;
	bpf_get_current_comm(t->rec.off.waker_comm, sizeof(t->rec.off.waker_comm));
	t->woken = bpf_ktime_get_ns();
	return 0;
}
