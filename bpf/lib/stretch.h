/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Stretches: what a CPU's counters count from when a thread gets the CPU, or its window opens or
 * closes, until the next of these. Each stretch of a target lies inside of a window or outside, and
 * is added up as that; windows are added up apart from them. Only a thread that has the CPU changes
 * its stretch; if it loses it in the midst of that, the scheduler's count tells.
 */
#ifndef PMUBPF_BPF_STRETCH_H
#define PMUBPF_BPF_STRETCH_H

#include "lib/paused.h"
#include "lib/shared.h"
#include "lib/switches.h"
#include "lib/target.h"
#include "pmubpf/work.h"

struct counted {
	__u64 count;
	__u64 missed; /* ns that it was to count and didn't */
};

struct stretch {
	__u32 thread;
	__u32 based;  /* the counters have been read on this CPU */
	__u32 known;  /* thread and switches are somebody's who may be a target */
	__u32 unread; /* a bit for each counter that could not be read */
	__u64 switches;
	__u64 phase; /* of windows of processes, its own; where it began */
	struct counted base[PMB_MAX_READS];
};

/* Of this CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct stretch);
} pmb_stretches SEC(".maps");

static __always_inline struct stretch *current_stretch(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&pmb_stretches, &zero);
}

/* Every switch is of interest where targets aren't known by their numbers. */
static __always_inline bool may_be_target(const volatile struct pmb_config *cfg, __u32 tid)
{
	__u8 *mark;

	if (cfg->filter != PMB_FILTER_TASKS || cfg->pidns)
		return true;
	mark = task_mark(tid);
	return mark && *mark != PMB_MARK_NONE;
}

/* began, phase: of its process's window, where the stretch began and now. */
static __always_inline enum pmb_stretch where_is(const volatile struct pmb_config *cfg, __u64 began,
						 bool inside, __u64 phase)
{
	if (is_paused(cfg->sliced))
		return PMB_STRETCH_UNWATCHED;
	if (cfg->by_process && phase != began)
		return PMB_STRETCH_PARTLY;
	if (cfg->by_process)
		inside = phase & 1;
	return inside ? PMB_STRETCH_INSIDE : PMB_STRETCH_OUTSIDE;
}

/* Of a stretch; whole: its counter could be read at both ends. A counter that can't be read has no
 * sum. */
static __always_inline void stretch_sum(enum pmb_stretch where, __u32 i, bool whole, __u64 count,
					__u64 missed, struct pmb_work_stats *stats)
{
	if (!whole || missed)
		__sync_fetch_and_add(&stats->shared[i], 1);
	if (whole)
		__sync_fetch_and_add(&stats->stretches[where][i], count);
}

/* Those of which not all is known. */
static __always_inline void stretch_tell(enum pmb_stretch where, struct pmb_work_stats *stats)
{
	if (where == PMB_STRETCH_UNSEEN)
		__sync_fetch_and_add(&stats->unseen, 1);
	else if (where == PMB_STRETCH_PARTLY)
		__sync_fetch_and_add(&stats->partly, 1);
}

/* What was counted since. */
static __always_inline void stretch_add(const volatile struct pmb_config *cfg,
					const struct stretch *stretch, enum pmb_stretch where,
					const struct counted now[PMB_MAX_READS], __u32 unread,
					struct pmb_work_stats *stats)
{
	unread |= stretch->unread;
	stretch_tell(where, stats);
	for (__u32 i = 0; i < PMB_MAX_READS && i < cfg->n_reads; i++)
		stretch_sum(where, i, !(unread >> i & 1), now[i].count - stretch->base[i].count,
			    now[i].missed - stretch->base[i].missed, stats);
}

static __always_inline void stretch_belongs_to(struct stretch *stretch, __u32 thread,
					       __u64 switches, __u32 unread)
{
	stretch->thread = thread;
	stretch->switches = switches;
	stretch->unread = unread;
	stretch->based = stretch->known = 1;
}

static __always_inline void stretch_begin(const volatile struct pmb_config *cfg,
					  struct stretch *stretch, __u32 thread, __u64 switches,
					  const struct counted now[PMB_MAX_READS], __u32 unread)
{
	stretch_belongs_to(stretch, thread, switches, unread);
	for (__u32 i = 0; i < PMB_MAX_READS && i < cfg->n_reads; i++)
		stretch->base[i] = now[i];
}

/* prev, the current task, loses the CPU. What can't be seen to be somebody's is at most what was
 * counted since the last time. */
static __always_inline void stretch_switch(const volatile struct pmb_config *cfg,
					   struct task_struct *prev, struct task_struct *next,
					   bool target, bool inside,
					   const struct counted now[PMB_MAX_READS], __u32 unread,
					   struct pmb_work_stats *stats)
{
	struct stretch *stretch = current_stretch();
	__u64 switches = prev->nvcsw + prev->nivcsw; /* with types: at no cost */
	bool seen;

	if (!stretch)
		return;
	seen = stretch->known && stretch->thread == (__u32)prev->pid &&
	       switches == stretch->switches + 1;
	if (stretch->based && !seen && (stretch->known || target)) {
		stretch_add(cfg, stretch, PMB_STRETCH_UNSEEN, now, unread, stats);
	} else if (seen && target) {
		stretch_add(cfg, stretch,
			    where_is(cfg, stretch->phase, inside,
				     cfg->by_process ? phase_of((__u32)prev->tgid) : 0),
			    now, unread, stats);
	}
	stretch_begin(cfg, stretch, next->pid, next->nvcsw + next->nivcsw, now, unread);
	stretch->known = may_be_target(cfg, next->pid);
	if (cfg->by_process)
		stretch->phase = stretch->known ? phase_of((__u32)next->tgid) : 0;
}

/* A stretch begins where one ends. now becomes what that one has: on the stack there is no room for
 * both (512 bytes, and clang 19 takes more of them than clang 14). */
static __always_inline void stretch_exchange(const volatile struct pmb_config *cfg,
					     struct stretch *stretch,
					     struct counted now[PMB_MAX_READS])
{
	for (__u32 i = 0; i < PMB_MAX_READS && i < cfg->n_reads; i++) {
		struct counted began = stretch->base[i];

		stretch->base[i] = now[i];
		now[i].count -= began.count;
		now[i].missed -= began.missed;
	}
}

/* The current task, a target, goes on, in a window or outside; switches: its number before its
 * counters were read. now is lost. */
static __always_inline void stretch_cut(const volatile struct pmb_config *cfg, bool inside,
					__u64 switches, struct counted now[PMB_MAX_READS],
					__u32 unread, struct pmb_work_stats *stats)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	__u32 thread = (__u32)bpf_get_current_pid_tgid(), before;
	struct stretch *stretch = current_stretch();
	__u64 phase = cfg->by_process ? phase_of(bpf_get_current_pid_tgid() >> 32) : 0, began;
	enum pmb_stretch where;
	bool based, seen;

	if (!stretch)
		return;
	seen = stretch->known && stretch->thread == thread && stretch->switches == switches;
	based = stretch->based;
	before = unread | stretch->unread;
	began = stretch->phase;
	stretch_exchange(cfg, stretch, now);
	stretch_belongs_to(stretch, thread, switches, unread);
	stretch->phase = phase;
	barrier();
	if (switches_of(task) != switches) {
		stretch->known = 0;
		return;
	}
	if (!seen && !based)
		return;
	where = seen ? where_is(cfg, began, inside, phase) : PMB_STRETCH_UNSEEN;
	stretch_tell(where, stats);
	for (__u32 i = 0; i < PMB_MAX_READS && i < cfg->n_reads; i++)
		stretch_sum(where, i, !(before >> i & 1), now[i].count, now[i].missed, stats);
}

/* Right behind that: the current thread itself has changed its process's window. */
static __always_inline void stretch_changed(void)
{
	__u64 switches = switches_of((void *)bpf_get_current_task());
	__u64 id = bpf_get_current_pid_tgid();
	struct stretch *stretch = current_stretch();

	if (stretch && stretch->thread == (__u32)id && stretch->switches == switches)
		stretch->phase = phase_of(id >> 32);
}

#endif
