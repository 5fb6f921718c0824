/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The names that perf has for the kernel's generic events: hardware, software, and the grammar of
 * the hardware cache events (L1-dcache-load-misses). Spelled as perf spells them, case included.
 */
#ifndef PMUBPF_PMU_PERF_NAMES_H
#define PMUBPF_PMU_PERF_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/event.h"

struct perf_name {
	const char *name;
	const char *synonym; /* or NULL */
	const char *title;
	const char *counts;
	uint32_t type; /* PERF_TYPE_HARDWARE or PERF_TYPE_SOFTWARE */
	uint64_t config;
	enum event_unit unit;
	uint64_t period;
	bool has_addr;
};

extern const struct perf_name perf_names[];
extern const size_t n_perf_names;

const struct perf_name *perf_name__find(const char *name);

/* Of words of perf's that are no counters ("dummy", "duration_time"…) what to say; else NULL. */
const char *perf_name__why_none(const char *name);

/* Room for the longest cache event's name. */
#define CACHE_NAME_SIZE 48

struct cache_event {
	uint64_t config; /* for PERF_TYPE_HW_CACHE */
	bool miss;
	const char *counts;         /* "load events" */
	char name[CACHE_NAME_SIZE]; /* as `perf list` prints it, whatever synonym was given */
};

/*
 * Any of perf's spellings of a cache event; -ENOENT if it is none, -EOPNOTSUPP if that cache has no
 * such access (nothing stores through the instruction TLB).
 */
int cache_event__parse(const char *text, struct cache_event *ret);

/* The i-th of the cache events there are, for those who list them; false past the last. */
bool cache_event__nth(size_t i, struct cache_event *ret);

#endif
