/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Branches of a profile, by how often they were taken; and how often a conditional one was not: if
 * all branches were recorded, what lies between two records of a sample ran from end to end, so
 * each branch in it that isn't its end was passed.
 */
#ifndef PMUBPF_PROF_BRANCH_TABLE_H
#define PMUBPF_PROF_BRANCH_TABLE_H

#include "prof/prof.h"

struct branch_row {
	const struct prof_branch *branch; /* borrowed from the profile */
	/* Of the instruction, wherever it led to: runs of code that ended with it, and that passed
	 * it. Both 0: it isn't known. */
	uint64_t left, passed;
};

struct branch_table {
	struct branch_row *rows; /* most records first, then by place */
	size_t n;
	struct branch_counts all; /* of branches that were taken, [other] among them */
	struct branch_counts other;
	uint64_t ranges, ranges_other; /* runs of code between two branches */
};

void branch_table__make(struct branch_table *ret, const struct prof *p);
void branch_table__done(struct branch_table *table);

#endif
