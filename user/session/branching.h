/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counts how often each conditional jump of one function in one process is taken, and how often
 * not, by probes there; while they may stay within a budget.
 */
#ifndef PMUBPF_SESSION_BRANCHING_H
#define PMUBPF_SESSION_BRANCHING_H

#include "model/slices.h"
#include "session/branch_site.h"

struct signals;

struct branching_opts {
	struct branch_whom whom;
	uint64_t duration_ns; /* 0: until it ends, or a signal comes */
	double budget;        /* percent of the CPUs' time; 0: any */
	struct signals *signals;
};

struct branching_jump {
	bool probed;
	uint64_t taken, not_taken;
};

struct branching_result {
	struct branch_site site;
	struct branching_jump *jumps; /* as those of the site */
	size_t n_probed, n_beyond;    /* beyond: of what could be probed, what is too many */
	uint64_t elsewhere;           /* hits at addresses where the function wasn't mapped */
	struct probed probed;
	uint64_t hit_ns;  /* what a hit takes here: a child's, and the program */
	bool ended;       /* the process has */
	struct buf notes; /* lines */
};

/* -errno with the sentence. The result is to be ended in any case. */
int branching__run(struct branching_result *ret, const struct branching_opts *opts,
		   struct err *err);
void branching_result__done(struct branching_result *result);

#endif
