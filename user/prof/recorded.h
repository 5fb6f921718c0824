/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A recording as a named profile. For each event that was asked for there are NAME_sample/count,
 * NAME_event/count and, where its weights are or become time, NAME_time/nanoseconds (of a clock no
 * NAME_event: its events are nanoseconds). The numbers of rows add up to those of their sum,
 * however each of them had to be rounded.
 */
#ifndef PMUBPF_PROF_RECORDED_H
#define PMUBPF_PROF_RECORDED_H

#include "model/measure.h"
#include "model/profile.h"
#include "model/sites.h"
#include "proc/cgroups.h"
#include "proc/files.h"
#include "prof/prof.h"
#include "sym/names.h"
#include "sym/places.h"

struct recorded {
	const struct profile *profile;
	const struct files *files;
	const struct names *names;
	const struct measure *measures; /* per event */
	const char *const *events;      /* their names */
	size_t n_events;
	const struct places *places;           /* NULL: nothing is about data */
	const struct sites *sites;             /* who touched pages first; NULL: nobody asked */
	const struct contexts *contexts;       /* what threads worked on; NULL: nobody asked */
	const struct branch_records *branches; /* with numbers of the profile; NULL: nobody asked */
	const uint32_t *site_stacks;           /* sites__stacks() of the profile */
	bool no_symbols;                       /* addresses of programs only */
	struct cgroups *cgroups;               /* NULL: nothing is known of them */
	bool want_language;                    /* of the innermost frame that has one, as a label */
	bool want_blockclass;                  /* of the block where it was taken, as a label */
	bool want_opcode;                      /* of the instruction itself */
	bool want_cgroup;                      /* its path as a label, besides the container */
	const char *window;                    /* what windows are called; NULL: there are none */
	uint64_t grid_ns;                      /* a step of moments */
	bool window_calls;                     /* …and each by its system call, too */
};

/* Without time, period and comments, which are the caller's to set. */
struct prof *prof__recorded(const struct recorded *r);

#endif
