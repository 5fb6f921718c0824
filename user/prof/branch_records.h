/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Branch records of a profile. In memory they stand beside its samples. In a file they are samples
 * of types of their own, which any tool can show: the stack of a branch is where it led to, called
 * by where it came from; that of code between two branches its last instruction, called by its
 * first. Those types are no events (prof__events), and whoever reads them here takes them out.
 */
#ifndef PMUBPF_PROF_BRANCH_RECORDS_H
#define PMUBPF_PROF_BRANCH_RECORDS_H

#include "prof/prof.h"

enum { PROF_BRANCH_TYPES = 6 };
extern const struct prof_branch_type {
	const char *name, *unit;
} prof_branch_types[PROF_BRANCH_TYPES];

void prof_branch__values(const struct prof_branch *branch, int64_t values[PROF_BRANCH_TYPES]);

/*
 * For who reads a file. Takes the types of branches out of the profile's, if there are others: of
 * each type that it had, which of prof_branch_types it is; -1: none. The caller frees.
 */
int *prof__take_branch_types(struct prof *p);
struct prof_branch_sample {
	int64_t values[PROF_BRANCH_TYPES];
	bool besides; /* its other values aren't all 0 */
	bool taken;   /* it is a branch, which the profile has now */
};
/* False: its stack is none of a branch. */
bool prof__take_branch(struct prof *p, struct prof_branch_sample *sample, uint32_t stack);

#endif
