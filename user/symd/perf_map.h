/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * /tmp/perf-PID.map, written by a JIT: lines `START SIZE name`, the numbers hexadecimal with or
 * without 0x. A line that comes later wins the addresses it shares with an earlier one (code was
 * thrown away and its place used again). Lines that don't parse are skipped.
 *
 * The file is read through a window, from its end on, once for all addresses of a struct asked:
 * what is kept depends on how many these are, not on how long the file is.
 */
#ifndef PMUBPF_SYMD_PERF_MAP_H
#define PMUBPF_SYMD_PERF_MAP_H

#include "symd/asked.h"

enum {
	/* What comes before the last so many isn't read: later lines are what runs now. */
	PERF_MAP_BYTES_MAX = 256 * 1024 * 1024,
	PERF_MAP_LINES_MAX = 2 * 1024 * 1024,
	PERF_MAP_NAME_MAX = 4096, /* longer names are cut */
};

/* Offers each line of fd (borrowed) to the addresses, whose best are candidates with the name's
 * offset in the file; the caller settles them. With no addresses it only looks at what the file is.
 * 0, or a negative errno (-EINVAL: not a regular file). */
int perf_map__offer(int fd, struct asked *asked);

#endif
