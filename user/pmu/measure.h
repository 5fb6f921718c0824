/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How often something happens on this machine just now. */
#ifndef PMUBPF_PMU_MEASURE_H
#define PMUBPF_PMU_MEASURE_H

#include <stdint.h>

#include "pmu/event.h"

/*
 * Counts the event for `ns` on every CPU that has it, whatever runs there, and returns the sum per
 * second; multiplexed counts are scaled. Sleeps meanwhile. Needs the privilege to count there;
 * breakpoints, which count inside tasks, are -EOPNOTSUPP.
 */
int event__measure(const struct event *event, uint64_t ns, double *ret_per_s);

#endif
