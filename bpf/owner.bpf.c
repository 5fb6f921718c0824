// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Whose the counts of a CPU's counters are: what they counted since the last switch goes to the
 * task that loses the CPU. Nothing is left out, so that all rows add up to what was counted. Some
 * hosts don't tell of each switch: the scheduler's own count of a task shows it.
 *
 * Or who had the CPU while others waited for it: then what is shared out is their time. Counters
 * beside that are of whom the waits are, by who had the other thread of the core meanwhile.
 */
#include "lib/core_mate.h"
#include "lib/pidns.h"
#include "lib/switches.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile struct pmb_config pmb_owner = {};  /* n_reads, n_cpus, cgroup_subsys, pidns */
const volatile __u32 pmb_owner_by = 0;            /* enum pmb_owner_by */
const volatile bool pmb_owner_waits = false;      /* the first is no counter, but waits */
const volatile struct pmb_config pmb_waiter = {}; /* whose: filter, cgroup_… */
const volatile __u32 pmb_waiter_process = 0;      /* in our pid namespace; 0: of any */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set by user */
	__type(key, struct pmb_owner_key);
	__type(value, struct pmb_owner);
} pmb_owners SEC(".maps");

/* Descriptors of user space, by counter and CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, 1); /* counters x possible CPUs; set by user */
	__type(key, __u32);
	__type(value, __u32);
} pmb_owner_reads SEC(".maps");

/* Who loses a CPU, or has it. */
struct holder {
	struct task_struct *task, *leader; /* read only by probe_read */
	__u32 thread;                      /* the kernel's number; 0: idle */
	__u32 process;                     /* in our pid namespace */
	__u64 began;                       /* the process */
	__u64 losses;
	bool kernel;
};

static __always_inline __u32 process_in(struct task_struct *task, __u32 tgid)
{
	__u32 ns = pmb_owner.pidns;

	return ns && tgid ? process_of(task, ns) : tgid;
}

/* Counters are by who has the core's other thread. */
static __always_inline bool by_mate(void)
{
	return pmb_owner_waits && pmb_owner.n_reads > 1;
}

/* Whether its waits are asked for. */
static __always_inline bool may_wait(struct task_struct *task)
{
	if (pmb_waiter.filter == PMB_FILTER_CGROUP)
		return is_in_target_cgroup(&pmb_waiter, task);
	return !pmb_waiter_process || process_in(task, task->tgid) == pmb_waiter_process;
}

static __always_inline struct pmb_owner_cpu *owner_cpu(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&pmb_owner_cpus, &cpu);
}

/* As may_wait() of one who had a CPU. */
static __always_inline bool is_counted(const struct holder *holder)
{
	if (pmb_waiter.filter == PMB_FILTER_CGROUP)
		return is_in_target_cgroup(&pmb_waiter, holder->task);
	return !pmb_waiter_process || holder->process == pmb_waiter_process;
}

static __always_inline struct pmb_owner_key key_of(const struct holder *holder)
{
	struct pmb_owner_key key = {};
	struct cgroup *cgroup;

	if (pmb_owner_by == PMB_OWNER_BY_CGROUP) {
		cgroup = cgroup_of(holder->task, pmb_owner.cgroup_subsys);
		key.word[0] = cgroup ? BPF_CORE_READ(cgroup, kn, id) : 0;
	} else if (pmb_owner_by == PMB_OWNER_BY_COMM) {
		bpf_probe_read_kernel(&key, sizeof(key), holder->task->comm);
	} else {
		key.word[0] = holder->process;
		key.word[1] = holder->began;
	}
	return key;
}

/* The row of that key, made if there is none. */
static __always_inline struct pmb_owner *owner_of(const struct pmb_owner_key *key)
{
	struct pmb_owner *owner = bpf_map_lookup_elem(&pmb_owners, key);
	struct pmb_owner fresh = {};

	if (owner)
		return owner;
	bpf_map_update_elem(&pmb_owners, key, &fresh, BPF_NOEXIST);
	return bpf_map_lookup_elem(&pmb_owners, key);
}

static __always_inline void row_of(const struct holder *holder, struct pmb_core_mate *ret)
{
	ret->own = !holder->thread ? PMB_OWNER_IDLE :
		   holder->kernel  ? PMB_OWNER_KERNEL :
				     PMB_N_OWNER_OWN;
	ret->process = holder->process;
	ret->key = key_of(holder);
	if (pmb_owner_by == PMB_OWNER_BY_PROCESS)
		bpf_probe_read_kernel(ret->comm, sizeof(ret->comm), holder->leader->comm);
}

static __always_inline void add_to_own(struct pmb_owner_cpu *cpu, __u32 own,
				       const __u64 counts[PMB_MAX_READS], __u32 from, __u32 to)
{
	for (__u32 i = from; own < PMB_N_OWNER_OWN && i < PMB_MAX_READS && i < to; i++)
		cpu->own[own][i] += counts[i];
}

/* Several CPUs may add to one. */
static __always_inline void add_to_row(struct pmb_owner_cpu *cpu, const struct pmb_core_mate *row,
				       const __u64 counts[PMB_MAX_READS], __u32 from, __u32 to)
{
	struct pmb_owner *owner = owner_of(&row->key);

	if (!owner) {
		cpu->no_room++;
		add_to_own(cpu, PMB_OWNER_OTHER, counts, from, to);
		return;
	}
	owner->process = row->process;
	if (pmb_owner_by == PMB_OWNER_BY_PROCESS)
		__builtin_memcpy(owner->comm, row->comm, sizeof(owner->comm));
	for (__u32 i = from; i < PMB_MAX_READS && i < to; i++) {
		if (counts[i])
			__sync_fetch_and_add(&owner->count[i], counts[i]);
	}
}

/* What was counted since the last time; a counter that can't be read stands. */
static __always_inline void read_counters(struct pmb_owner_cpu *cpu, __u64 ret[PMB_MAX_READS])
{
	__u32 at = bpf_get_smp_processor_id(), first = pmb_owner_waits;
	struct bpf_perf_event_value value;

	if (pmb_owner_waits)
		ret[0] = wait_due(cpu, bpf_ktime_get_ns());
	for (__u32 i = first; i < PMB_MAX_READS && i < pmb_owner.n_reads; i++) {
		ret[i] = 0;
		if (bpf_perf_event_read_value(&pmb_owner_reads, (i - first) * pmb_owner.n_cpus + at,
					      &value, sizeof(value)))
			continue;
		ret[i] = value.counter - cpu->last[i];
		cpu->last[i] = value.counter;
	}
}

/* Counters of a stretch of the holder's time, by who had the core's other thread. */
static __always_inline void share_by_mate(struct pmb_owner_cpu *cpu, const struct holder *holder,
					  bool seen, const __u64 counts[PMB_MAX_READS])
{
	struct pmb_core_mate mate = {};

	mate_of(cpu, &mate);
	if (!seen)
		mate.own = PMB_OWNER_UNSEEN;
	else if (!is_counted(holder))
		return;
	if (mate.own == PMB_N_OWNER_OWN)
		add_to_row(cpu, &mate, counts, 1, pmb_owner.n_reads);
	else
		add_to_own(cpu, mate.own, counts, 1, pmb_owner.n_reads);
}

/* losses: how often the holder had lost a CPU, had each switch since been seen. Whether it was. */
static __always_inline bool share_out(struct pmb_owner_cpu *cpu, const struct holder *holder,
				      __u64 losses)
{
	bool seen = !cpu->known || (cpu->thread == holder->thread && losses == cpu->losses);
	__u32 own = !seen ? PMB_OWNER_UNSEEN : !holder->thread ? PMB_OWNER_IDLE : PMB_OWNER_KERNEL;
	__u32 n = pmb_owner_waits ? 1 : pmb_owner.n_reads;
	struct pmb_core_mate row = {};
	__u64 counts[PMB_MAX_READS];

	read_counters(cpu, counts);
	if (by_mate())
		share_by_mate(cpu, holder, seen, counts);
	if (pmb_owner_waits && !counts[0]) /* nobody waited: most switches */
		return seen;
	if (seen && holder->thread && !holder->kernel) {
		row_of(holder, &row);
		add_to_row(cpu, &row, counts, 0, n);
		return seen;
	}
	add_to_own(cpu, own, counts, 0, n);
	return seen;
}

/* From here on, and how often it has lost a CPU. Whether that is another one than before. */
static __always_inline bool hand_over(struct pmb_owner_cpu *cpu, __u32 thread, __u64 losses)
{
	bool other = !cpu->known || cpu->thread != thread || cpu->losses != losses;

	cpu->known = 1;
	cpu->thread = thread;
	cpu->losses = losses;
	return other;
}

/* The other thread of its core is told. */
static __always_inline void tell_mate(struct pmb_owner_cpu *cpu, const struct holder *holder)
{
	struct pmb_core_mate mate = {};

	row_of(holder, &mate);
	mate_changes(cpu, &mate);
}

static __always_inline bool is_ready(struct task_struct *task)
{
	if (bpf_core_field_exists(task->__state))
		return !task->__state;
	return !((struct task_struct___state *)task)->state;
}

/* Who loses the CPU and could go on waits from here on; who gets it, no more. */
static __always_inline void waits_change(struct task_struct *prev, struct task_struct *next,
					 bool preempts, bool seen)
{
	struct pmb_wait *had = seen ? NULL : wait_of(prev->pid), *wait = wait_of(next->pid);
	__u64 now = bpf_ktime_get_ns();

	if (had)
		wait_leave(prev->pid, had, now, false);
	if (wait)
		wait_leave(next->pid, wait, now, true);
	if (prev->pid && (preempts || is_ready(prev)) && may_wait(prev))
		wait_join(prev, bpf_get_smp_processor_id(), now);
}

enum { PF_KTHREAD = 0x00200000 };

/* clang-format off */
#define HOLDER(of) {                                    \
	.task = of,                                     \
	.leader = of->group_leader,                     \
	.thread = of->pid,                              \
	.process = process_in(of, of->tgid),            \
	.began = of->group_leader->start_time,          \
	.losses = of->nvcsw + of->nivcsw,               \
	.kernel = of->flags & PF_KTHREAD,               \
}
/* clang-format on */

/* Arguments: preempt, the task that goes, the task that comes. With types: they are read at no
 * cost. */
SEC("tp_btf/sched_switch")
int pmb_owner_switch(unsigned long long *ctx)
{
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	struct pmb_owner_cpu *cpu = owner_cpu();
	struct holder loses = HOLDER(prev);
	bool known, seen, other;

	if (!cpu || cpu->counted != PMB_OWNER_COUNTED)
		return 0;
	known = cpu->known;
	seen = share_out(cpu, &loses, loses.losses - 1);
	other = hand_over(cpu, next->pid, next->nvcsw + next->nivcsw);
	if (by_mate() && other) {
		struct holder gets = HOLDER(next);

		tell_mate(cpu, &gets);
	}
	if (pmb_owner_waits)
		waits_change(prev, next, ctx[0] & 1, known && seen);
	return 0;
}

/* Arguments: the task that is woken. One that hasn't left its CPU yet doesn't wait; one that lost
 * it on its way to sleep does already. */
static __always_inline int woken(struct task_struct *task)
{
	struct pmb_wait *wait;
	__u64 now;

	if (task->on_cpu || !may_wait(task))
		return 0;
	wait = wait_of(task->pid);
	if (wait && wait->switches == (__u32)(task->nvcsw + task->nivcsw))
		return 0;
	now = bpf_ktime_get_ns();
	if (wait)
		wait_leave(task->pid, wait, now, false);
	wait_join(task, cpu_of(task), now);
	return 0;
}

SEC("tp_btf/sched_wakeup")
int pmb_wait_woken(unsigned long long *ctx)
{
	return woken((void *)ctx[0]);
}

SEC("tp_btf/sched_wakeup_new")
int pmb_wait_new(unsigned long long *ctx)
{
	return woken((void *)ctx[0]);
}

/* Arguments: the task, the CPU for which it waits from here on. */
SEC("tp_btf/sched_migrate_task")
int pmb_wait_moved(unsigned long long *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	struct pmb_wait *wait = wait_of(task->pid);
	__u64 now;

	if (!wait)
		return 0;
	now = bpf_ktime_get_ns();
	wait_leave(task->pid, wait, now, true);
	wait_join(task, (__u32)ctx[1], now);
	return 0;
}

/* Whoever ends has a CPU. */
SEC("tp_btf/sched_process_exit")
int pmb_wait_exit(unsigned long long *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	struct pmb_wait *wait = wait_of(task->pid);

	if (wait)
		wait_leave(task->pid, wait, bpf_ktime_get_ns(), false);
	return 0;
}

/* User space calls this on each CPU before it reads: whoever has it gets what it has so far. */
SEC("raw_tp")
int pmb_owner_settle(void *ctx)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct pmb_owner_cpu *cpu = owner_cpu();
	struct holder holder = {
		.task = task,
		.leader = BPF_CORE_READ(task, group_leader),
		.thread = BPF_CORE_READ(task, pid),
		.process = process_in(task, BPF_CORE_READ(task, tgid)),
		.began = BPF_CORE_READ(task, group_leader, start_time),
		.losses = switches_of(task),
		.kernel = BPF_CORE_READ(task, flags) & PF_KTHREAD,
	};

	(void)ctx;
	if (!cpu || !cpu->counted || cpu->counted == PMB_OWNER_STOPS)
		return 0;
	share_out(cpu, &holder, holder.losses);
	if (hand_over(cpu, holder.thread, holder.losses) && by_mate())
		tell_mate(cpu, &holder);
	return 0;
}
