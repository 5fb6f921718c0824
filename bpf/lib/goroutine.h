/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Whose calls of Go's functions are: goroutines', which go on on other threads than they began on,
 * and whose stacks are copied elsewhere when they grow. So their windows are theirs, and a call is
 * known by how far below the upper end of its goroutine's stack it is, which a copy doesn't change.
 *
 *   thread pointer - 8 ──► g {stack.lo, stack.hi, …, m at 48} ──► m {…, curg at 192, or 184}
 *
 * While the runtime works on the thread's own stack, that g is the thread's, and curg is the
 * goroutine that it works for.
 */
#ifndef PMUBPF_BPF_GOROUTINE_H
#define PMUBPF_BPF_GOROUTINE_H

#include "lib/user_word.h"

enum {
	GO_STACK_HI = 8,
	GO_M = 48,
	GO_CURG = 192,       /* to 1.24 */
	GO_CURG_LATER = 184, /* gobuf has a word less */
};

/* Where stacks' upper ends are taken to be: what is below is a number that can be compared. */
#define GO_TOP (1ULL << 48)

struct goroutine {
	__u64 g;
	__u32 key; /* in pmb_gates: of several with one there is room for one */
	__u32 tgid;
};

static __always_inline void goroutine_set(struct goroutine *ret, __u64 g)
{
	ret->g = g;
	ret->tgid = bpf_get_current_pid_tgid() >> 32;
	ret->key = (__u32)(((g >> 4) + ret->tgid * 0x9e3779b97f4a7c15ULL) * 0x9e3779b97f4a7c15ULL >>
			   32);
}

/* What the thread pointer leads to. False: nothing that can be read. */
static __always_inline bool goroutine_of_thread(struct goroutine *ret)
{
	__u64 g = 0;

#if defined(__TARGET_ARCH_x86)
	g = word_at(arch_thread_pointer(NULL) - sizeof(g));
#endif
	goroutine_set(ret, g);
	return g;
}

static __always_inline __u64 goroutine_sp(const struct goroutine *who, __u64 sp)
{
	return GO_TOP - (word_at(who->g + GO_STACK_HI) - sp);
}

static __always_inline __u32 current_exec_id(void)
{
	return (__u32)BPF_CORE_READ((struct task_struct *)bpf_get_current_task(), self_exec_id);
}

/* Whether a call of it can still be there, by what was at its entry: a panic leaves it, or the
 * goroutine's end, and then others write over its return address, as a rule. So does another
 * program. */
static __always_inline bool goroutine_is_in_call(const struct goroutine *who, __u64 sp,
						 __u64 returns_to, __u32 exec_id)
{
	__u64 kept = word_at(who->g + GO_STACK_HI) - (GO_TOP - sp), now;

	if (exec_id != current_exec_id())
		return false;
	return bpf_probe_read_user(&now, sizeof(now), (void *)kept) || now == returns_to;
}

#endif
