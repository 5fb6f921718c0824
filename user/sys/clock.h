/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef PMUBPF_SYS_CLOCK_H
#define PMUBPF_SYS_CLOCK_H

#include <stdint.h>
#include <time.h>

/* CLOCK_MONOTONIC, ns: the one clock of every record. */
static inline uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

#endif
