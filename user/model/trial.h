/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which of many places in a program are met most, where no more than four can be looked at
 * together. Pure. */
#ifndef PMUBPF_MODEL_TRIAL_H
#define PMUBPF_MODEL_TRIAL_H

#include <stddef.h>
#include <stdint.h>

enum {
	TRIAL_TOGETHER = 4,
	TRIAL_TIMES = 10, /* that a place is looked at without anything being met */
};

struct trial {
	/* Looks at `n` places, which[], for one stretch of time: how often each was met. An error
	 * ends it. */
	int (*look)(void *ctx, const size_t *which, size_t n, uint64_t *ret_hits);
	void *ctx;
};

/* How often each of `n` places is met, by the first one's number that was met at all; all 0: none
 * was. */
int trial__run(const struct trial *trial, double *ret_rates, size_t n);

#endif
