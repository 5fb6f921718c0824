/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The user stack by frame pointers. The hard thing is the price: one read from user memory costs as
 * much as a copy of a kilobyte, so a window of the stack is copied at once and walked in scratch;
 * the window slides when a frame lies outside.
 */
#ifndef PMUBPF_BPF_USTACK_H
#define PMUBPF_BPF_USTACK_H

#include "lib/arch.h"
#include "lib/ids.h"
#include "lib/window.h"

#include "pmubpf/unwind_find.h"

/* Where a walk begins. */
struct user_regs {
	__u64 ip, sp, fp;
};

/* The pair {caller's frame pointer, return address} at `addr`. */
static __always_inline bool window_pair(struct scratch *s, struct window *w, __u64 addr, __u64 *fp,
					__u64 *ra)
{
	__u64 off = addr - w->start;

	if (off + 16 > w->size || off > WINDOW_BYTES) {
		if (!window_load(s, w, addr, 16))
			return false;
		off = 0;
	}
	/* "invalid access to map value": the mask shows the verifier the bound it just forgot */
	off &= WINDOW_BYTES - 8;
	if (off > WINDOW_BYTES - 16)
		return false;
	*fp = *(__u64 *)(s->window + off);
	*ra = *(__u64 *)(s->window + off + 8);
	return true;
}

/* Fills id, n and frames of s->stack; returns how the walk ended. */
static __always_inline __u8 ustack_walk(const volatile struct pmb_config *cfg, struct scratch *s,
					const struct user_regs *regs, __u32 tgid)
{
	__u8 status = PMB_END_COMPLETE;
	__u64 h = id_mix(id_seed_user(tgid), regs->ip);
	__u64 low = regs->sp, fp = regs->fp, next, ra;
	struct window w = {0};
	__u32 n;

	s->stack.frames[0] = regs->ip;
	for (n = 1; n <= PMB_MAX_FRAMES; n++) {
		status = PMB_END_COMPLETE;
		if (!fp)
			break;
		status = PMB_END_TRUNCATED;
		if (n >= PMB_MAX_FRAMES || n >= cfg->max_frames)
			break;
		status = PMB_END_FP_LEFT;
		if (fp < low || (fp & 7) || is_kernel_address(fp))
			break;
		status = PMB_END_UNREADABLE;
		if (!window_pair(s, &w, fp + ARCH_FRAME_DELTA, &next, &ra))
			break;
		ra &= cfg->user_mask;
		if (ra == s->returns.trampoline)
			ra = pmb_return_to(fp + ARCH_FRAME_DELTA + 16) & cfg->user_mask;
		UNWIND_HIDE(ra); /* that it is known not to be the trampoline: a path less */
		status = PMB_END_COMPLETE;
		if (!ra)
			break;
		s->stack.frames[n] = ra;
		h = id_mix(h, ra);
		low = fp + 8;
		fp = next;
	}
	s->stack.id = h;
	s->stack.tgid = tgid;
	s->stack.n = n;
	return status;
}

#endif
