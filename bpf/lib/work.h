/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Units of work: what is known of a thread's, and where their costs are added up. */
#ifndef PMUBPF_BPF_WORK_H
#define PMUBPF_BPF_WORK_H

#include "lib/paused.h"
#include "lib/shared.h"
#include "lib/stretch.h"
#include "lib/target.h"
#include "pmubpf/work.h"

const volatile struct pmb_config pmb_work = {};     /* windows, whose, n_reads, n_cpus */
const volatile __u8 pmb_work_calls[PMB_CALLS] = {}; /* enum pmb_call */
const volatile bool pmb_work_sums = false;          /* stretches are wanted */
const volatile __u64 pmb_work_longer = 0;           /* only units that last as long, ns */

/* A thread's unit of work. It is the thread's own, and of switches from and to it. Or a
 * goroutine's, and so the thread's that it has. */
struct work {
	__u64 start;
	__u64 switches; /* of the thread before it */
	__u64 waited;   /* for a CPU, before it */
	__u64 sp;       /* of a call, at its entry */
	__u64 tgid;     /* whose thread it is */
	__u64 off;      /* without a CPU: kept as counters are, the other way around */
	__u64 io;       /* of that where it waits for I/O */
	/* of calls of goroutines (lib/work_goroutine.h): without a thread, as off; whose it is; the
	 * return address at its entry; and how often its process had run another program */
	__u64 away, g, returns_to;
	__u32 exec_id;
	__u32 thread; /* that it has; 0: none */
	__u32 outs, ins;
	__u32 in_io;  /* the thread has no CPU, and waits for I/O */
	__u32 torn;   /* a switch came while counters were read */
	__u32 unread; /* a bit for each counter that could not be read */
	struct counted counters[PMB_MAX_READS];
};

/* What a thread's byte says. */
enum { WORK_NONE, WORK_OPENING, WORK_OPEN, WORK_CLOSING };

/* By thread, as the first pid namespace numbers them; looked at where it has a byte. Or by
 * goroutine. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set by user */
	__type(key, __u32);
	__type(value, struct work);
} pmb_works SEC(".maps");

/* Which goroutine's work is a thread's; looked at where that has a byte. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set by user */
	__type(key, __u32);
	__type(value, __u32);
} pmb_carried SEC(".maps");

/* A byte for each thread. Two of them are all that a switch between others looks at. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set by user */
	__type(key, __u32);
	__type(value, struct mark_page);
} pmb_open SEC(".maps");

struct work_run {
	struct work work;
	__u32 thread;
	__u32 pad;
};

/* The run of a thread on this CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct work_run);
} pmb_work_runs SEC(".maps");

/* Descriptors of user space, by counter and CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, 1); /* counters x possible CPUs; set by user */
	__type(key, __u32);
	__type(value, __u32);
} pmb_work_reads SEC(".maps");

/* By units, series and CPU. No per-CPU map, so that it can be mapped. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* set by user */
	__type(key, __u32);
	__type(value, struct pmb_distribution);
} pmb_costs SEC(".maps");

/* By CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* set by user */
	__type(key, __u32);
	__type(value, struct pmb_work_stats);
} pmb_work_stats SEC(".maps");

/* Programs on tracepoints may be preempted (7.0), or interrupted by others. */
#define COUNT(what) __sync_fetch_and_add(&(what), 1)

static __always_inline struct pmb_work_stats *work_stats(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&pmb_work_stats, &cpu);
}

static __always_inline __u8 *open_byte(__u32 thread)
{
	__u32 page = thread / PMB_MARKS_PER_PAGE;
	struct mark_page *marks = bpf_map_lookup_elem(&pmb_open, &page);

	return marks ? &marks->mark[thread % PMB_MARKS_PER_PAGE] : NULL;
}

/* Not static, so that the verifier looks at it once and not at each call. */
int pmb_cost_add(__u32 units, __u32 series, __u64 value);

/* A thread of a process has left its window: if it was the last one, the process's ends. */
static __always_inline void leave_shared(struct pmb_work_stats *stats, __u32 tgid, bool abandoned)
{
	struct gate shared;

	if (!shared_leave(tgid, &shared))
		return;
	if (abandoned)
		COUNT(stats->abandoned);
	else
		pmb_cost_add(PMB_UNITS_REAL, PMB_SERIES_DURATION,
			     bpf_ktime_get_ns() - shared.start);
	if (shared_again(tgid, 0))
		COUNT(stats->began);
}

static __always_inline void enter_shared(struct pmb_work_stats *stats, __u32 tgid)
{
	enum shared_opening opening = shared_enter(tgid, 0);

	if (opening == SHARED_BEGAN)
		COUNT(stats->began);
	else if (opening == SHARED_NESTED)
		COUNT(stats->nested);
	else
		COUNT(stats->no_room);
}

/* Of the goroutine that the thread carries; NULL: none. */
static __always_inline struct work *carried_work(__u32 thread)
{
	__u32 *key = bpf_map_lookup_elem(&pmb_carried, &thread);
	struct work *work = key ? bpf_map_lookup_elem(&pmb_works, key) : NULL;

	return work && work->thread == thread ? work : NULL;
}

/* What a thread that has a byte works on. */
static __always_inline struct work *work_of_thread(__u32 thread)
{
	return pmb_work.of_go ? carried_work(thread) : bpf_map_lookup_elem(&pmb_works, &thread);
}

/* While probes are out. User space leaves all that were open, and threads end meanwhile: whoever
 * deletes it has left it. */
static __always_inline void leave_paused(__u32 thread)
{
	struct pmb_work_stats *stats = work_stats();
	__u8 *byte = open_byte(thread);
	bool was_open = byte && *byte != WORK_NONE;
	struct work *work = bpf_map_lookup_elem(&pmb_works, &thread);
	__u32 tgid = work ? (__u32)work->tgid : 0;

	if (!bpf_map_delete_elem(&pmb_works, &thread) && was_open && stats) {
		if (pmb_work.by_process)
			leave_shared(stats, tgid, true);
		else
			COUNT(stats->abandoned);
	}
	if (byte)
		*byte = WORK_NONE;
}

/* Runs of a CPU that the task waited for, and how long. */
static __always_inline __u64 waited_by(struct task_struct *task)
{
	if (!bpf_core_field_exists(task->sched_info.run_delay))
		return 0;
	return BPF_CORE_READ(task, sched_info.run_delay);
}

__noinline int pmb_cost_add(__u32 units, __u32 series, __u64 value)
{
	__u32 cpu = bpf_get_smp_processor_id();
	__u32 n_series = PMB_SERIES_COUNTERS + pmb_work.n_reads;
	__u32 at = (units * n_series + series) * pmb_work.n_cpus + cpu;
	struct pmb_distribution *d = bpf_map_lookup_elem(&pmb_costs, &at);
	__u64 class = pmb_value_class(value);
	__u64 parts[3];

	if (!d)
		return 0;
	__sync_fetch_and_add(&d->sum, value);
	pmb_square_parts(value, parts);
	for (int i = 0; i < 3; i++) {
		if (parts[i])
			__sync_fetch_and_add(&d->squares[i], parts[i]);
	}
	/* "R0 unbounded memory access" (5.10): the compiler would leave the mask out */
	barrier_var(class);
	COUNT(d->classes[class & (PMB_VALUE_CLASSES - 1)]);
	return 0;
}

/* Where the counters of this CPU stand; a bit for each that can't be read. */
static __always_inline __u32 read_counters(struct counted now[PMB_MAX_READS])
{
	__u32 cpu = bpf_get_smp_processor_id(), unread = 0;
	struct bpf_perf_event_value value;

	for (__u32 i = 0; i < PMB_MAX_READS && i < pmb_work.n_reads; i++) {
		if (bpf_perf_event_read_value(&pmb_work_reads, i * pmb_work.n_cpus + cpu, &value,
					      sizeof(value))) {
			now[i] = (struct counted){};
			unread |= 1U << i;
			continue;
		}
		now[i].count = value.counter;
		now[i].missed = value.enabled - value.running;
	}
	return unread;
}

static __always_inline void flip_counters(struct work *work,
					  const struct counted now[PMB_MAX_READS], __u32 unread)
{
	work->unread |= unread;
	for (__u32 i = 0; i < PMB_MAX_READS && i < pmb_work.n_reads; i++) {
		work->counters[i].count = now[i].count - work->counters[i].count;
		work->counters[i].missed = now[i].missed - work->counters[i].missed;
	}
}

static __always_inline void work_clear(struct work *work, __u64 switches)
{
	work->switches = switches;
	work->waited = work->off = work->io = work->away = 0;
	work->outs = work->ins = work->in_io = work->torn = work->unread = 0;
	for (__u32 i = 0; i < PMB_MAX_READS && i < pmb_work.n_reads; i++)
		work->counters[i] = (struct counted){};
}

/* A unit has ended; its counters have been flipped for the last time. */
static __always_inline void work_account(enum pmb_units units, struct work *work, __u64 duration,
					 __u64 waited, struct pmb_work_stats *stats)
{
	__u64 off = work->off < duration ? work->off : duration;
	__u64 wait = waited < off ? waited : off;
	__u64 io = work->io < off - wait ? work->io : off - wait;
	__u64 away = work->away < off - wait ? work->away : off - wait;

	if (units == PMB_UNITS_REAL && duration < pmb_work_longer) {
		COUNT(stats->quick);
		return;
	}
	pmb_cost_add(units, PMB_SERIES_DURATION, duration);
	if (pmb_work.windows != PMB_WINDOWS_RUN) {
		pmb_cost_add(units, PMB_SERIES_CPU, duration - off);
		pmb_cost_add(units, PMB_SERIES_WAIT, wait);
		pmb_cost_add(units, PMB_SERIES_OFF, off - wait);
		pmb_cost_add(units, PMB_SERIES_IO, io);
	}
	if (pmb_work.of_go)
		pmb_cost_add(units, PMB_SERIES_AWAY, away);
	for (__u32 i = 0; i < PMB_MAX_READS && i < pmb_work.n_reads; i++) {
		if (work->unread >> i & 1 || work->counters[i].missed)
			COUNT(stats->apart[i]);
		else
			pmb_cost_add(units, PMB_SERIES_COUNTERS + i, work->counters[i].count);
	}
}

#endif
