/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Time without a CPU: the programs at switches and wake-ups, and the threads that have none when a
 * recording ends, whose samples nobody else would write.
 */
#ifndef PMUBPF_COLLECT_OFF_CPU_H
#define PMUBPF_COLLECT_OFF_CPU_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmubpf/off_cpu.h"
#include "pmubpf/record.h"

struct recording_bpf;
struct programs_opts;

/* The maps, borrowed. */
struct off_threads {
	int threads, cpus, stats;
	int n_cpus;      /* possible ones */
	uint64_t min_ns; /* what was shorter is left out */
};

/* Which programs the instance loads, and what for. */
void off_cpu__choose(struct recording_bpf *skel, const struct programs_opts *opts, bool first);
struct off_threads off_cpu__threads(const struct recording_bpf *skel, int n_cpus);
void off_cpu__stop(struct recording_bpf *skel);

/*
 * After the end: hands out the samples of those that have no CPU, up to that moment, as a ring
 * would, and counts them as emitted; adds the time of all threads to *ret, which is the sum of all
 * CPUs. Once.
 */
void off_threads__end(const struct off_threads *all, uint64_t end_ns,
		      void (*fn)(void *ctx, const void *record, size_t size), void *ctx,
		      struct pmb_off_stats *ret);
/* The sum of all CPUs. */
int off_threads__stats(const struct off_threads *all, struct pmb_off_stats *ret);

#endif
