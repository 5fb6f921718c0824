/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How long an answer may take: what isn't done by then is left out, or asked for again. */
#ifndef PMUBPF_SYMD_TURN_H
#define PMUBPF_SYMD_TURN_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

static inline uint64_t turn__now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* When that of an answer which is begun now is over. */
static inline uint64_t turn__end(void)
{
	enum { ENOUGH_MS = 1000 };

	return turn__now_ms() + ENOUGH_MS;
}

static inline bool turn__is_over(uint64_t end)
{
	return turn__now_ms() > end;
}

#endif
