/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Units of work that are calls of goroutines (lib/goroutine.h). A thread carries a goroutine from
 * runtime.gogo until that calls runtime.mcall, or the runtime puts it aside itself; meanwhile its
 * unit is the thread's, and what the thread counts is the unit's. Then it is set aside as it is
 * where a thread loses its CPU, and whichever thread carries it next goes on with it.
 */
#ifndef PMUBPF_BPF_WORK_GOROUTINE_H
#define PMUBPF_BPF_WORK_GOROUTINE_H

#include "lib/goroutine.h"
#include "lib/work_window.h"

/* In what runtime.gogo is given: where the goroutine goes on, and which it is. */
enum {
	GO_GOBUF_SP = 0,
	GO_GOBUF_G = 16,
};

static __always_inline bool is_work_of(const struct work *work, const struct goroutine *who)
{
	return work->g == who->g && work->tgid == who->tgid;
}

/* Whether its unit can still be there, when it goes on at sp. */
static __always_inline bool is_in_unit(const struct work *work, const struct goroutine *who,
				       __u64 sp)
{
	return goroutine_sp(who, sp) < work->sp &&
	       goroutine_is_in_call(who, work->sp, work->returns_to, work->exec_id);
}

/* The unit that the current thread has, whose byte it is, was left: nobody saw where. */
static __always_inline void carried_abandon(__u32 thread, __u8 *byte, struct pmb_work_stats *stats)
{
	__u32 *key = bpf_map_lookup_elem(&pmb_carried, &thread);
	struct work *work = key ? bpf_map_lookup_elem(&pmb_works, key) : NULL;

	abandon(byte, stats);
	if (work && work->thread == thread)
		bpf_map_delete_elem(&pmb_works, key);
}

/* A unit that no thread has. */
static __always_inline void parked_abandon(const struct goroutine *who,
					   struct pmb_work_stats *stats)
{
	if (!bpf_map_delete_elem(&pmb_works, &who->key))
		COUNT(stats->abandoned);
}

/* The current thread, which has none, has the work from now on. */
static __always_inline void carry(__u32 thread, const struct goroutine *who, struct work *work)
{
	work->thread = thread;
	bpf_map_update_elem(&pmb_carried, &thread, &who->key, BPF_ANY);
}

/* A place for the goroutine's; NULL: another one has it. */
static __always_inline struct work *goroutine_work(const struct goroutine *who,
						   struct pmb_work_stats *stats)
{
	struct work *work = bpf_map_lookup_elem(&pmb_works, &who->key);

	if (work && is_work_of(work, who))
		parked_abandon(who, stats);
	else if (work)
		return NULL;
	return work_of(who->key);
}

static __always_inline int goroutine_opens(__u32 thread, const struct goroutine *who, __u8 *byte,
					   __u64 sp, __u64 returns_to, struct pmb_work_stats *stats)
{
	struct work *work;

	if (!current_may_open() || !current_is_target())
		return 0;
	work = goroutine_work(who, stats);
	if (!work) {
		COUNT(stats->no_room);
		return 0;
	}
	COUNT(stats->began);
	work->sp = sp;
	work->g = who->g;
	work->tgid = who->tgid;
	work->returns_to = returns_to;
	work->exec_id = current_exec_id();
	carry(thread, who, work);
	work_open(PMB_UNITS_REAL, byte, work, stats);
	return 0;
}

static __always_inline int goroutine_begins(const struct arch_regs *regs)
{
	__u32 thread = (__u32)bpf_get_current_pid_tgid();
	struct pmb_work_stats *stats = work_stats();
	__u8 *byte = open_byte(thread);
	struct goroutine who;
	struct work *work;

	if (pmb_work.grows && holds(ARCH_FLAGS(regs), pmb_work.grows - 1))
		return 0; /* it will be back here, on a larger stack */
	if (!stats || !byte || !goroutine_of_thread(&who))
		return 0;
	work = *byte == WORK_NONE ? NULL : carried_work(thread);
	if (work && is_work_of(work, &who) && is_in_unit(work, &who, ARCH_SP(regs))) {
		COUNT(stats->nested);
		return 0;
	}
	if (*byte != WORK_NONE)
		carried_abandon(thread, byte, stats);
	return goroutine_opens(thread, &who, byte, goroutine_sp(&who, ARCH_SP(regs)),
			       return_address(regs), stats);
}

static __always_inline int goroutine_ends(const struct arch_regs *regs)
{
	__u32 thread = (__u32)bpf_get_current_pid_tgid();
	struct pmb_work_stats *stats = work_stats();
	__u8 *byte = open_byte(thread);
	struct goroutine who;
	struct work *work;
	__u64 sp;

	if (!byte || *byte != WORK_OPEN || !stats || !is_left_here(&pmb_work, regs) ||
	    !goroutine_of_thread(&who))
		return 0;
	work = carried_work(thread);
	if (!work || !is_work_of(work, &who))
		return 0;
	sp = goroutine_sp(&who, ARCH_SP(regs));
	if (sp < work->sp)
		return 0;
	if (sp > work->sp)
		abandon(byte, stats);
	else
		work_close(PMB_UNITS_REAL, byte, work, stats);
	bpf_map_delete_elem(&pmb_works, &who.key);
	return 0;
}

/* What is to be set aside, or to go on, with the thread that does that. now is lost. */
static __always_inline void work_hand_over(struct work *work, bool goes, __u64 switches,
					   struct pmb_work_stats *stats)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct counted now[PMB_MAX_READS];
	__u64 time = bpf_ktime_get_ns();
	__u32 unread = read_counters(now);

	flip_counters(work, now, unread);
	work->waited = waited_by(task) - work->waited;
	work->off = time - work->off;
	work->away = time - work->away;
	if (pmb_work_sums)
		stretch_cut(&pmb_work, goes, switches, now, unread, stats);
	barrier();
	if (switches_of(task) != switches)
		work->torn = 1;
}

/* The current thread lets its goroutine go: from here on another one may carry it. */
static __always_inline int goroutine_goes(void)
{
	__u32 thread = (__u32)bpf_get_current_pid_tgid();
	__u64 switches = switches_of((void *)bpf_get_current_task());
	struct pmb_work_stats *stats = work_stats();
	__u8 *byte = open_byte(thread);
	struct work *work;

	if (!byte || *byte != WORK_OPEN || !stats)
		return 0;
	work = carried_work(thread);
	if (!work) {
		abandon(byte, stats);
		return 0;
	}
	*byte = WORK_CLOSING;
	barrier();
	if (work->outs != work->ins || switches - work->switches != work->outs)
		work->torn = 1;
	work_hand_over(work, true, switches, stats);
	work->thread = 0;
	barrier();
	*byte = WORK_NONE;
	return 0;
}

static __always_inline void goroutine_goes_on(__u32 thread, const struct goroutine *who,
					      struct work *work, __u8 *byte,
					      struct pmb_work_stats *stats)
{
	__u64 switches = switches_of((void *)bpf_get_current_task());

	if (work->thread) /* nobody saw how it lost that one */
		work->torn = 1;
	carry(thread, who, work);
	*byte = WORK_OPENING;
	barrier();
	work->switches = switches;
	work->outs = work->ins = 0;
	work_hand_over(work, false, switches, stats);
	barrier();
	*byte = WORK_OPEN;
}

/* The current thread is about to carry a goroutine, which may be the one it carries: on another
 * stack, or elsewhere on it, after a panic. */
static __always_inline int goroutine_comes(const struct arch_regs *regs)
{
	__u32 thread = (__u32)bpf_get_current_pid_tgid();
	__u64 buf = word_at(ARCH_SP(regs) + ARCH_RETURN_BYTES);
	struct pmb_work_stats *stats = work_stats();
	__u8 *byte = open_byte(thread);
	struct goroutine who;
	struct work *work;
	bool carried;

	if (!byte || !stats)
		return 0;
	goroutine_set(&who, word_at(buf + GO_GOBUF_G));
	work = bpf_map_lookup_elem(&pmb_works, &who.key);
	if (work && !is_work_of(work, &who))
		work = NULL;
	carried = *byte != WORK_NONE && work && work->thread == thread;
	if (*byte != WORK_NONE && !carried)
		carried_abandon(thread, byte, stats);
	if (!work || (carried && is_in_unit(work, &who, word_at(buf + GO_GOBUF_SP))))
		return 0;
	if (carried)
		carried_abandon(thread, byte, stats);
	else if (is_in_unit(work, &who, word_at(buf + GO_GOBUF_SP)))
		goroutine_goes_on(thread, &who, work, byte, stats);
	else
		parked_abandon(&who, stats);
	return 0;
}

/* While probes are out: as leave_paused(). ended: only if its process has. */
static __always_inline void goroutine_leave_paused(__u32 key, bool ended)
{
	struct work *work = bpf_map_lookup_elem(&pmb_works, &key);
	struct pmb_work_stats *stats = work_stats();
	__u8 *byte;

	if (!work || !stats || (ended && !has_ended((__u32)work->tgid, work->exec_id)))
		return;
	byte = work->thread ? open_byte(work->thread) : NULL;
	if (!work->g || bpf_map_delete_elem(&pmb_works, &key))
		return; /* it is the one that was empty, or another has left it */
	COUNT(stats->abandoned);
	if (byte)
		*byte = WORK_NONE;
}

/* The current thread ends, or goes on as another program. */
static __always_inline void goroutine_forget(__u32 thread)
{
	struct pmb_work_stats *stats = work_stats();
	__u8 *byte = open_byte(thread);
	__u32 *key;

	if (!byte || !stats)
		return;
	key = bpf_map_lookup_elem(&pmb_carried, &thread);
	if (*byte != WORK_NONE && !is_paused(pmb_work.sliced))
		carried_abandon(thread, byte, stats);
	else if (*byte != WORK_NONE && key)
		goroutine_leave_paused(*key, false);
	bpf_map_delete_elem(&pmb_carried, &thread);
}

#endif
