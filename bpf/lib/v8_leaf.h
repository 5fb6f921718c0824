/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does the frame pointer at a sample point to the frame of the code that was interrupted? At the
 * beginning of a function and before it returns it still is, or again, its caller's. */
#ifndef PMUBPF_BPF_V8_LEAF_H
#define PMUBPF_BPF_V8_LEAF_H

#include "lib/arch.h"
#include "lib/maps.h"

enum {
	V8_LEAF_CODE = 32,   /* bytes */
	V8_LEAF_RETURN = 12, /* in which it returns, once it has no frame any more */
};

/* Of w: four bytes of code from the k-th on. */
#define V8_CODE(w, k)                            \
	((__u32)((w)[(k) / 8] >> ((k) % 8 * 8) | \
		 ((k) % 8 ? (w)[(k) / 8 + 1] << (64 - (k) % 8 * 8) : 0)))

/* What comes before a "push %rbp; mov %rsp, %rbp", or a return with no "pop %rbp" or "leave"
 * before it, has no frame. */
__noinline int pmb_v8_leaf(void)
{
#if defined(__TARGET_ARCH_x86)
	__u64 w[V8_LEAF_CODE / 8] = {0}, at;
	__u32 zero = 0, four;
	struct scratch *s = bpf_map_lookup_elem(&pmb_scratch, &zero);

	if (!s)
		return 0;
	at = s->frame_at[0];
	if (ARCH_SP(&s->regs) > (at & ~7ULL) - 16)
		return 0; /* it is still being made */
	if (at & PMB_FRAME_OF_FILE)
		return 1; /* of a builtin: whether it has a frame or not, its user has this one */
	if (bpf_probe_read_user(w, sizeof(w), (void *)ARCH_IP(&s->regs)))
		return 0;
	if ((w[0] & 0xffffff) == 0xe58948 || (w[0] & 0xff) == 0xc3)
		return 0;
#pragma unroll
	for (int k = 0; k < V8_LEAF_CODE - 8; k++) {
		four = V8_CODE(w, k);
		if ((four & 0xff) == 0x5d || (four & 0xff) == 0xc9)
			return 1;
		if (four == 0xe5894855)
			return 0;
		if (k >= V8_LEAF_RETURN)
			continue;
		/* "ret $NN"; "push %rcx; ret", "push %r10; ret" */
		if ((four & 0xff07ff) == 0xc2 || (four & 0xffff) == 0xc351 ||
		    (four & 0xffff) == 0xc352)
			return 0;
	}
	return 1;
#else
	return 0;
#endif
}

#endif
