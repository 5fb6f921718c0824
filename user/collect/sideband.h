/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * perf's side-band records: fork, exec, exit and executable mappings of the whole host, from two
 * dummy events per CPU. They cost the host one small record per such event, no probe and no
 * program.
 */
#ifndef PMUBPF_COLLECT_SIDEBAND_H
#define PMUBPF_COLLECT_SIDEBAND_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "collect/counters.h"
#include "proc/life.h"
#include "sys/cpus.h"

struct sideband;

int sideband__open(struct sideband **ret, const struct cpus *cpus, struct err *err);
/* A CPU that came; open: opens events there. What is in its rings from before is lost: drain
 * them. */
typedef int (*sideband_open_fn)(void *ctx, const struct perf_event_attr *attr, int cpu);
int sideband__add_cpu(struct sideband *sb, int cpu, sideband_open_fn open, void *ctx);
struct sideband *sideband__free(struct sideband *sb);

/* Lets the per-CPU counters, from the first'th on, report throttling into the rings; those that
 * can't are left alone. */
void sideband__watch_throttling(struct sideband *sb, const struct counters *counters, size_t first);

struct sideband_totals {
	uint64_t records;
	uint64_t lost;     /* records that the kernel could not write */
	uint64_t rejected; /* records that made no sense */
};

struct sideband_fns {
	void (*life)(void *ctx, const struct life *life); /* borrowed, during the call */
	/* Some were lost before this moment. */
	void (*lost)(void *ctx, uint64_t time);
	/* The kernel lets a counter stand still from `time` of its own clock (ns), or go on. */
	void (*throttled)(void *ctx, uint64_t counter_id, uint64_t time, bool stands);
	void *ctx;
};
/* No more records of mappings; those of tasks go on. */
void sideband__stop_mappings(struct sideband *sb);
/* Readable once when records have come. */
int sideband__epoll_fd(const struct sideband *sb);
void sideband__drain(struct sideband *sb, const struct sideband_fns *fns);
const struct sideband_totals *sideband__totals(const struct sideband *sb);

/* The pure part: one record to a life. Returns 1 for a life, 0 for a record of no interest, -EINVAL
 * for one that is too short for what it claims to be. */
int sideband_decode(const struct perf_event_header *record, struct life *ret);

#endif
