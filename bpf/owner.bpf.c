// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Whose the counts of a CPU's counters are: what they counted since the last switch goes to the
 * task that loses the CPU. Nothing is left out, so that all rows add up to what was counted. Some
 * hosts don't tell of each switch: the scheduler's own count of a task shows it.
 */
#include "lib/pidns.h"
#include "lib/switches.h"
#include "lib/target.h"
#include "pmubpf/owner.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile struct pmb_config pmb_owner = {}; /* n_reads, n_cpus, cgroup_subsys, pidns */
const volatile __u32 pmb_owner_by = 0;           /* enum pmb_owner_by */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set by user */
	__type(key, struct pmb_owner_key);
	__type(value, struct pmb_owner);
} pmb_owners SEC(".maps");

/* By CPU, each written there alone. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* set by user */
	__type(key, __u32);
	__type(value, struct pmb_owner_cpu);
} pmb_owner_cpus SEC(".maps");

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

static __always_inline struct pmb_owner_cpu *owner_cpu(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&pmb_owner_cpus, &cpu);
}

static __always_inline struct pmb_owner_key key_of(const struct holder *holder)
{
	struct pmb_owner_key key = {};

	if (pmb_owner_by == PMB_OWNER_BY_CGROUP) {
		key.word[0] = current_cgroup_id(&pmb_owner);
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

/* Several CPUs may add to one. */
static __always_inline void add_to_row(struct pmb_owner_cpu *cpu, const struct holder *holder,
				       const __u64 counts[PMB_MAX_READS])
{
	struct pmb_owner_key key = key_of(holder);
	struct pmb_owner *owner = owner_of(&key);

	if (owner)
		owner->process = holder->process;
	else
		cpu->no_room++;
	if (owner && pmb_owner_by == PMB_OWNER_BY_PROCESS)
		bpf_probe_read_kernel(owner->comm, sizeof(owner->comm), holder->leader->comm);
	for (__u32 i = 0; i < PMB_MAX_READS && i < pmb_owner.n_reads; i++) {
		if (!owner)
			cpu->own[PMB_OWNER_OTHER][i] += counts[i];
		else if (counts[i])
			__sync_fetch_and_add(&owner->count[i], counts[i]);
	}
}

/* What was counted since the last time; a counter that can't be read stands. */
static __always_inline void read_counters(struct pmb_owner_cpu *cpu, __u64 ret[PMB_MAX_READS])
{
	__u32 at = bpf_get_smp_processor_id();
	struct bpf_perf_event_value value;

	for (__u32 i = 0; i < PMB_MAX_READS && i < pmb_owner.n_reads; i++) {
		ret[i] = 0;
		if (bpf_perf_event_read_value(&pmb_owner_reads, i * pmb_owner.n_cpus + at, &value,
					      sizeof(value)))
			continue;
		ret[i] = value.counter - cpu->last[i];
		cpu->last[i] = value.counter;
	}
}

/* losses: how often the holder had lost a CPU, had each switch since been seen. */
static __always_inline void share_out(struct pmb_owner_cpu *cpu, const struct holder *holder,
				      __u64 losses)
{
	bool seen = !cpu->known || (cpu->thread == holder->thread && losses == cpu->losses);
	__u32 own = !seen ? PMB_OWNER_UNSEEN : !holder->thread ? PMB_OWNER_IDLE : PMB_OWNER_KERNEL;
	__u64 counts[PMB_MAX_READS];

	read_counters(cpu, counts);
	if (seen && holder->thread && !holder->kernel) {
		add_to_row(cpu, holder, counts);
		return;
	}
	for (__u32 i = 0; i < PMB_MAX_READS && i < pmb_owner.n_reads; i++)
		cpu->own[own][i] += counts[i];
}

/* From here on, and how often it has lost a CPU. */
static __always_inline void hand_over(struct pmb_owner_cpu *cpu, __u32 thread, __u64 losses)
{
	cpu->known = 1;
	cpu->thread = thread;
	cpu->losses = losses;
}

enum { PF_KTHREAD = 0x00200000 };

/* Arguments: preempt, the task that goes, the task that comes. With types: they are read at no
 * cost. */
SEC("tp_btf/sched_switch")
int pmb_owner_switch(unsigned long long *ctx)
{
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	struct pmb_owner_cpu *cpu = owner_cpu();
	struct holder holder = {
		.task = prev,
		.leader = prev->group_leader,
		.thread = prev->pid,
		.process = process_in(prev, prev->tgid),
		.began = prev->group_leader->start_time,
		.losses = prev->nvcsw + prev->nivcsw,
		.kernel = prev->flags & PF_KTHREAD,
	};

	if (!cpu || !cpu->counted)
		return 0;
	share_out(cpu, &holder, holder.losses - 1);
	hand_over(cpu, next->pid, next->nvcsw + next->nivcsw);
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
	if (!cpu || !cpu->counted)
		return 0;
	share_out(cpu, &holder, holder.losses);
	hand_over(cpu, holder.thread, holder.losses);
	return 0;
}
