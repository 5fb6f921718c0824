/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a recording cost the machine. Times are CPU time. */
#ifndef PMUBPF_MODEL_COST_H
#define PMUBPF_MODEL_COST_H

#include <stdbool.h>
#include <stdint.h>

struct cost {
	uint64_t span_ns; /* counters were enabled */
	unsigned n_cpus;  /* that were watched */
	/* before: from our start, or the end of the recording before */
	uint64_t before_ns;
	/* meanwhile */
	uint64_t kernel_ns; /* in overflow programs, as timed at some overflows */
	uint64_t overflows, timed;
	uint64_t reader_ns; /* this process, */
	uint64_t looks_ns;  /* …of that: looks that have a share of their own (session_opts) */
	uint64_t helper_ns; /* those that build unwind tables and open files: once for each file */
	/* the last records, names, output */
	uint64_t after_ns;
	/* memory, at its most; helpers': of those that make tables together, or of the one that
	 * names */
	uint64_t rss_bytes, helper_rss_bytes, map_bytes;
	unsigned table_helpers; /* how many; 0: there were no tables */
	/* the budget */
	double budget;          /* percent of the CPUs; 0: none */
	bool adaptive;          /* the period of some event may be lengthened for it */
	double factor, highest; /* periods by the default ones: at the end, at most… */
	double switches_factor, switches_highest; /* …those of off-cpu */
	unsigned changes;
	uint64_t settled_span_ns; /* without the start, that isn't budgeted (model/budget.h) */
	uint64_t settled_ns;      /* overflow programs and the reader since */
	uint64_t fixed_ns;        /* …of that: what no period changes */
};

/* Of several recordings. */
void cost__add(struct cost *to, const struct cost *from);
/* Percent of the CPUs that were watched, while they were. */
double cost__percent(const struct cost *cost, uint64_t ns);
/* Overflow programs and the reader. */
double cost__total(const struct cost *cost);
/* The same, and what of it no period changes, since the start was over. 0: it wasn't. */
double cost__settled(const struct cost *cost);
double cost__fixed(const struct cost *cost);

#endif
