/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The functions of the runtime that runs in a process, of whatever language, at a sample. */
#ifndef PMUBPF_BPF_CHAIN_H
#define PMUBPF_BPF_CHAIN_H

#include "lib/emit.h"
#include "lib/python.h"
#include "lib/v8.h"

/* A function of its own for the verifier. */
__noinline int pmb_chain_object(__u32 i)
{
	struct py_walk *w = py_walk_of_cpu();

	return v8_of(w) ? pmb_v8_object(i) : pmb_py_object(i);
}

/* The id of the chain of the present thread, which is sent if it isn't known; 0: there is none. */
static __always_inline __u64 runtime_chain(const volatile struct pmb_config *cfg, struct scratch *s,
					   struct pmb_stats *stats, void *ring, __u32 tgid)
{
	__u16 type = pmb_cfg.want_lines ? PMB_REC_PLACED_CHAIN : PMB_REC_CHAIN;
	struct py_walk *w = py_walk_of_cpu();
	struct id_bucket *bucket;
	bool is_v8;

	if (!w)
		return 0;
	w->chain.tgid = tgid;
	w->chain.rec.time = s->stack.rec.time;
	w->layout = s->walk.runtime;
	w->n = w->sent = w->missing = w->text_read = 0;
	w->h = id_mix(id_seed_user(tgid), w->layout);
	is_v8 = v8_of(w);
	if (is_v8) {
		type = PMB_REC_FRAMES_CHAIN;
		for (__u32 i = 0; i < PMB_MAX_FRAMES; i++) {
			if (!pmb_v8_frame(i))
				break;
		}
	} else if (pmb_py_begin(tgid)) {
		for (int i = 0; i < (PMB_MAX_FRAMES + PY_SKIPPED_MAX) / PY_AT_ONCE; i++) {
			if (!pmb_py_frames())
				break;
		}
	}
	if (!w->n || w->n > PMB_MAX_FRAMES)
		return 0;
	w->chain.id = w->h;
	w->chain.n = w->n;
	bucket = id_bucket(w->h);
	if (!bucket)
		return 0;
	if (id_known(bucket, w->h)) {
		stats->stacks_known++;
		return w->h;
	}
	for (__u32 i = 0; i < PMB_MAX_FRAMES; i++)
		pmb_chain_object(i);
	if (stack_send(cfg, ring, &w->chain, stats, type, PMB_END_COMPLETE) != PMB_END_COMPLETE)
		return 0;
	if (w->missing) /* the next sample tries again */
		id_forget(bucket, w->h);
	return w->h;
}

#endif
