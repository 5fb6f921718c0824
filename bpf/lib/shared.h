/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Windows of processes: open from when a thread of the process opens its own until none of its
 * threads has one. Threads open and close theirs at the same time, and 5.10 has no atomic operation
 * that returns something. So an element of a map stands for the open window: of several that insert
 * it, or delete it, the kernel lets one.
 */
#ifndef PMUBPF_BPF_SHARED_H
#define PMUBPF_BPF_SHARED_H

#include "lib/inside.h"
#include "lib/port.h"

/* By tgid, as the first pid namespace numbers it; there while the window is open. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set by user */
	__type(key, __u32);
	__type(value, struct gate);
} pmb_shared SEC(".maps") __weak;

/* Of a process, until it has ended. */
struct insiders {
	__u64 n;     /* threads that have a window open */
	__u64 phase; /* how often its window began and ended: odd, it is open */
};

/* By tgid. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set by user */
	__type(key, __u32);
	__type(value, struct insiders);
} pmb_insiders SEC(".maps") __weak;

/* What became of a thread's window: the process's began with it, was open before, or can't be. */
enum shared_opening { SHARED_BEGAN, SHARED_NESTED, SHARED_NO_ROOM };

static __always_inline struct insiders *insiders_of(__u32 tgid, bool make)
{
	struct insiders *in = bpf_map_lookup_elem(&pmb_insiders, &tgid), none = {};

	if (in || !make)
		return in;
	bpf_map_update_elem(&pmb_insiders, &tgid, &none, BPF_NOEXIST);
	return bpf_map_lookup_elem(&pmb_insiders, &tgid);
}

static __always_inline bool has_insiders(const struct insiders *in)
{
	return in && *(const volatile __u64 *)&in->n;
}

/* Two that are the same: nothing began or ended between. */
static __always_inline __u64 phase_of(__u32 tgid)
{
	struct insiders *in = bpf_map_lookup_elem(&pmb_insiders, &tgid);

	return in ? *(volatile __u64 *)&in->phase : 0;
}

/* A thread's window opens, or a window goes on with what opened while it closed. */
static __always_inline enum shared_opening shared_open(struct insiders *in, __u32 tgid, __u32 what)
{
	__u64 now = bpf_ktime_get_ns();
	struct gate fresh = {.start = now, .what = what, .last = now, .tgid = tgid};

	if (!bpf_map_update_elem(&pmb_shared, &tgid, &fresh, BPF_NOEXIST)) {
		__sync_fetch_and_add(&in->phase, 1);
		return SHARED_BEGAN;
	}
	return bpf_map_lookup_elem(&pmb_shared, &tgid) ? SHARED_NESTED : SHARED_NO_ROOM;
}

static __always_inline enum shared_opening shared_enter(__u32 tgid, __u32 what)
{
	struct insiders *in = insiders_of(tgid, true);

	if (!in)
		return SHARED_NO_ROOM;
	__sync_fetch_and_add(&in->n, 1);
	return shared_open(in, tgid, what);
}

/* A thread has left its window. True: it was the last, and this is the process's, which is closed
 * and told by the caller. */
static __always_inline bool shared_leave(__u32 tgid, struct gate *ret)
{
	struct insiders *in = insiders_of(tgid, false);
	struct gate *shared;

	if (in)
		__sync_fetch_and_add(&in->n, -1);
	if (has_insiders(in))
		return false;
	shared = bpf_map_lookup_elem(&pmb_shared, &tgid);
	if (!shared)
		return false;
	*ret = *shared;
	if (has_insiders(in) || bpf_map_delete_elem(&pmb_shared, &tgid))
		return false;
	if (in)
		__sync_fetch_and_add(&in->phase, 1);
	/* Overflows on other CPUs count themselves before they look whether it is still there. If
	 * another window lies there by now, some may have been in this one. */
	ret->samples = shared->start != ret->start || shared->samples;
	if (shared->start == ret->start)
		ret->last = shared->last;
	return true;
}

/* Behind that: one opened amid it, and met the old one. True: that goes on as another. */
static __always_inline bool shared_again(__u32 tgid, __u32 what)
{
	struct insiders *in = insiders_of(tgid, false);

	return has_insiders(in) && shared_open(in, tgid, what) == SHARED_BEGAN;
}

/* Nobody will ask for it any more: its last thread exits. */
static __always_inline void shared_forget(__u32 tgid)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	if (BPF_CORE_READ(task, signal, live.counter) <= 0)
		bpf_map_delete_elem(&pmb_insiders, &tgid);
}

/* The window that is open in the current process, and what is to be told of it; false: none is. */
static __always_inline bool shared_around(const volatile struct pmb_config *cfg, __u64 now,
					  struct inside *ret)
{
	__u32 tgid = bpf_get_current_pid_tgid() >> 32;
	struct gate *shared = bpf_map_lookup_elem(&pmb_shared, &tgid);

	if (!shared)
		return false;
	*ret = (struct inside){.start = *(volatile __u64 *)&shared->start,
			       .what = shared->what,
			       .thread = tgid};
	/* it may have opened since `now`, on another CPU */
	if (now < ret->start || now - ret->start < cfg->after_ns)
		return false;
	shared->last = now;
	__sync_fetch_and_add(&shared->samples, 1);
	/* closed meanwhile, perhaps without this one having been seen */
	shared = bpf_map_lookup_elem(&pmb_shared, &tgid);
	return shared && *(volatile __u64 *)&shared->start == ret->start;
}

#endif
