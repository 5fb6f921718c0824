/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* All frames of a walk by tables. For a source that has a pmb_cfg before it. */
#ifndef PMUBPF_BPF_WALK_ALL_H
#define PMUBPF_BPF_WALK_ALL_H

#include "lib/walk.h"

/* A function of its own for the verifier, which looks at it once and not once for each frame. */
__noinline int pmb_walk_frame(void)
{
	__u32 zero = 0;
	struct scratch *s = bpf_map_lookup_elem(&pmb_scratch, &zero);
	struct pmb_code *code = bpf_map_lookup_elem(&pmb_code, &zero);
	struct known_rules *known = bpf_map_lookup_elem(&pmb_known_rules, &zero);
	int end = PMB_END_FAILED;

	if (!s || !code || !known)
		return PMB_END_FAILED;
	for (int i = 0; i < WALK_AT_ONCE; i++) {
		end = walk_frame(&pmb_cfg, s, code, known);
		if (end != PMB_END_NONE)
			break;
	}
	return end;
}

static __always_inline __u8 walk(struct scratch *s, __u32 tgid)
{
	int end = PMB_END_TRUNCATED;

	walk_begin(s, tgid);
	for (int i = 0; i <= PMB_MAX_FRAMES / WALK_AT_ONCE; i++) {
		end = pmb_walk_frame();
		if (end != PMB_END_NONE)
			break;
	}
	if (s->walk.wants_regs) {
		/* user space follows registers from the start */
		walk_begin(s, tgid);
		end = PMB_END_NO_TABLE;
	}
	walk_end(s, tgid);
	return end == PMB_END_COMPLETE && s->walk.without_rule ? PMB_END_COMPLETE_BY_FP : end;
}

#endif
