/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What units of work cost: distributions of values, and how many units there were. */
#ifndef PMUBPF_MODEL_WORK_H
#define PMUBPF_MODEL_WORK_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/slices.h"
#include "pmubpf/work.h"

struct work_counts {
	size_t n_counters;
	bool by_process; /* units are windows of processes, of which only sums are counted */
	size_t event[PMB_MAX_READS]; /* by counter: its index in the list of events */
	/* by series: PMB_SERIES_COUNTERS and one for each counter; ours */
	struct pmb_distribution *of[PMB_N_UNITS];
	struct pmb_work_stats stats;
	/* Times that the kernel didn't call a program, because it had interrupted the same one on
	 * that CPU. */
	uint64_t missed;
	struct probed probed; /* of probes in programs that begin and end units */
};

/* Makes the distributions, once n_counters is known. */
void work_counts__init(struct work_counts *counts);
/* Empty ones of the same counters. */
void work_counts__init_like(struct work_counts *counts, const struct work_counts *of);
void work_counts__done(struct work_counts *counts);
/* to = now - before; of empty units, all that there are. */
void work_counts__set(struct work_counts *to, const struct work_counts *now,
		      const struct work_counts *before);
/* Of those that began, those of which nothing was heard yet. */
uint64_t work_counts__open(const struct work_counts *counts);

/* Where the counts of a counter are: inside + others + partly + outside +
 * unwatched + rest = all. */
struct inside_counts {
	uint64_t all; /* as the targets' own counter has it, which no program reads */
	int64_t inside;
	int64_t others;  /* in windows that aren't counted: unsure, left, open, too short */
	int64_t partly;  /* of threads while another of their process opened or closed its window */
	int64_t outside; /* of all windows */
	int64_t rest;    /* of no stretch that was seen whole; below 0: a switch counts itself */
	uint64_t unwatched; /* while no probe was in place */
	uint64_t unseen;    /* what the rest can be, because switches weren't told */
	bool whole;         /* it counted all the time */
	bool balanced; /* the rest is no more than can be; true if it didn't count all the time */
};

/* switches_count: a switch between threads counts, in stretches and not for a task's counter. part:
 * of a time in which windows that began before have ended. */
struct inside_counts work_counts__inside(const struct work_counts *counts, size_t counter,
					 uint64_t all, bool switches_count, bool part);

void distribution__add(struct pmb_distribution *to, const struct pmb_distribution *from);
uint64_t distribution__n(const struct pmb_distribution *d);
/* NAN without values. */
double distribution__mean(const struct pmb_distribution *d);
/* The standard deviation of the values; NAN below two. */
double distribution__sd(const struct pmb_distribution *d);
/* The value below or at which that part of them is; exact below 16, else within its class. NAN
 * without values. */
double distribution__quantile(const struct pmb_distribution *d, double part);
/* How many are of 2^log2 and above, and below twice that; with log2 0, those of 0, too. */
uint64_t distribution__by_power(const struct pmb_distribution *d, unsigned log2);

#endif
