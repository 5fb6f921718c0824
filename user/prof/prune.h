/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a profile itself wants left out of its stacks (drop_frames, keep_frames of profile.proto):
 * of allocators, what they call. As pprof does it: from the root on, the first frame whose function
 * matches drop_frames and not keep_frames goes, with all that it calls; not if nothing would be
 * left above it.
 */
#ifndef PMUBPF_PROF_PRUNE_H
#define PMUBPF_PROF_PRUNE_H

#include "base/err.h"
#include "prof/prof.h"

/* Replaces *p if something goes. -EINVAL: what it says is no expression that is taken here; *p is
 * as it was. */
int prof__prune(struct prof **p, struct err *err);

#endif
