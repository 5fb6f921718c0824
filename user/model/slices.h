/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * When probes are in place, for what is spent on them to stay within a share of the CPUs. Pure.
 * Credit flows in at the rate of the budget and out with what is spent, a second's worth at most:
 * below zero they are taken out, and when all of it is back they are put in again. The first second
 * is not budgeted, as of overflows (model/budget.h).
 */
#ifndef PMUBPF_MODEL_SLICES_H
#define PMUBPF_MODEL_SLICES_H

#include <stdbool.h>
#include <stdint.h>

struct slices {
	double share; /* CPU time that may be spent per time that passes; 0: any */
	double credit_ns;
	uint64_t age_ns, on_ns; /* so far; and with them in place */
	uint64_t n;             /* slices that began */
	bool on;
};

void slices__init(struct slices *s, double share); /* on */
/* What was spent in a stretch of time that has passed. True: `on` has changed. */
bool slices__pass(struct slices *s, uint64_t span_ns, uint64_t spent_ns);

#endif
