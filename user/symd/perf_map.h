/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * /tmp/perf-PID.map, written by a JIT: lines `START SIZE name`, the numbers hexadecimal with or
 * without 0x. A line that comes later wins the addresses it shares with an earlier one (code was
 * thrown away and its place used again). Lines that don't parse are skipped.
 */
#ifndef PMUBPF_SYMD_PERF_MAP_H
#define PMUBPF_SYMD_PERF_MAP_H

#include <stddef.h>

#include "symd/symtab.h"

enum {
	/* What comes before the last so many isn't read: later lines are what runs now. */
	PERF_MAP_BYTES_MAX = 256 * 1024 * 1024,
	PERF_MAP_LINES_MAX = 2 * 1024 * 1024,
	PERF_MAP_NAME_MAX = 4096, /* longer names are cut */
};

struct perf_map {
	char *text; /* the names stand in here */
	struct symtab symbols;
};

/* Reads fd (borrowed) from its start. 0, or a negative errno (-EINVAL: not a regular file). */
int perf_map__read(int fd, struct perf_map *ret);
/* The pure part: takes over text, which is NUL-terminated after len bytes. */
void perf_map__parse(char *text, size_t len, struct perf_map *ret);
void perf_map__done(struct perf_map *map);

#endif
