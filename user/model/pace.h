/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How often something may be done that has a share of time: credit flows in at that rate, what was
 * spent flows out, and a second's worth of it is kept. Pure.
 */
#ifndef PMUBPF_MODEL_PACE_H
#define PMUBPF_MODEL_PACE_H

#include <stdint.h>

struct pace {
	double share;     /* CPU time per time that passes; 0: any */
	double credit_ns; /* below 0: more was spent than came in */
	uint64_t at_ns;   /* when that was so */
};

void pace__init(struct pace *p, double share, uint64_t now_ns);
/* So much was spent. When it may be done again: now, or later. */
uint64_t pace__spend(struct pace *p, uint64_t now_ns, uint64_t spent_ns);

#endif
