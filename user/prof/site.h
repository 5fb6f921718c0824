/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which function of a stack memory belongs to, whoever did the work for it. */
#ifndef PMUBPF_PROF_SITE_H
#define PMUBPF_PROF_SITE_H

#include "base/buf.h"
#include "prof/frames.h"
#include "prof/prof.h"

/* Of frames that are expanded, from that one outwards: the innermost whose function isn't one that
 * works for others; if all are, the first; NULL: there is none. */
const struct prof_frame *prof_frames__site(const struct prof_frames *frames, const struct prof *p,
					   size_t from);

/*
 * Appends the innermost function that is neither in a library of the C or C++ runtime or an
 * allocator's, nor one of those by its name (linked statically: malloc, operator new, std::); if
 * all are, the innermost of all. Nothing of an empty stack, or if it is one that nobody knows.
 * frames: for the purpose, of this profile.
 */
void prof__put_site(const struct prof *p, uint32_t stack, struct prof_frames *frames,
		    struct buf *out);

#endif
