/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A table of counts: a row for each CPU, thread or cgroup that is told apart, a column for each
 * event. */
#ifndef PMUBPF_MODEL_COUNTS_H
#define PMUBPF_MODEL_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sys/perf.h"

/* What a row is about; -1 and NULL where that makes no difference. */
struct counts_row {
	const char *cgroup; /* its path; borrowed */
	int cpu;
	pid_t tid;
	char comm[32]; /* of tid */
};

struct counts {
	struct counts_row *rows;
	size_t n_rows, cap_rows;
	size_t n_events;
	/* [row * n_events + event] */
	struct perf_count *cells; /* {0} where it never ran */
	bool *placed;             /* it was opened there */
	uint64_t from_ns, to_ns;  /* since the start */
	bool idle;                /* of whole CPUs: the clocks went on while they were idle */
};

/* The row of these, made if there is none. Before counts__lay. */
size_t counts__row(struct counts *counts, const char *cgroup, int cpu, pid_t tid);
/* Makes the cells, once all rows are there. */
void counts__lay(struct counts *counts, size_t n_events);
/* Adds cell by cell, and the time; both of the same rows and events. */
void counts__add(struct counts *counts, const struct counts *more);
/* Whole copy; the caller's. */
struct counts counts__copy(const struct counts *counts);
void counts__done(struct counts *counts);

#endif
