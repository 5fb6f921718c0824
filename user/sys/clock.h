/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Times of the kernel's, as nanoseconds. */
#ifndef PMUBPF_SYS_CLOCK_H
#define PMUBPF_SYS_CLOCK_H

#include <stdint.h>
#include <sys/time.h>
#include <time.h>

/* 0 for a clock that can't be read. */
static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	if (clock_gettime(clock, &ts) < 0)
		return 0;
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* CLOCK_MONOTONIC: the one clock of every record. */
static inline uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* Of two times; UINT64_MAX is never. */
static inline uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t timeval_ns(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000000 + (uint64_t)t->tv_usec * 1000;
}

#endif
