/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * When probes are in place, for what is spent on them to stay within a share of the CPUs. Pure.
 * Credit flows in at the rate of the budget and out with what is spent: when no more is left than
 * taking them out costs they are taken out, and when all of it is back they are put in again. All
 * of it is a second's worth; or, where putting them in and taking them out costs more than that
 * (the kernel does both in each process that has their file mapped), as much as both again, so that
 * at least half of what is spent goes into slices: they are longer then, and fewer.
 */
#ifndef PMUBPF_MODEL_SLICES_H
#define PMUBPF_MODEL_SLICES_H

#include <stdbool.h>
#include <stdint.h>

struct slices {
	double share;         /* CPU time that may be spent per time that passes; 0: any */
	uint64_t settling_ns; /* that aren't budgeted, at the beginning */
	double credit_ns;
	double in_ns, out_ns;   /* what putting them in and taking them out cost the last time */
	uint64_t age_ns, on_ns; /* so far; and with them in place */
	uint64_t n;             /* slices that began */
	bool on;
};

/* On; putting them in took in_ns, which taking them out is expected to take, too. */
void slices__init(struct slices *s, double share, uint64_t settling_ns, uint64_t in_ns);
/* The last change cost so much. */
void slices__changed(struct slices *s, uint64_t cost_ns);
/* How much credit they are put in at. */
double slices__full(const struct slices *s);
/* What was spent in a stretch of time that has passed. True: `on` has changed. */
bool slices__pass(struct slices *s, uint64_t span_ns, uint64_t spent_ns);

/* Times that probes were met: at instructions that the kernel carries out itself, and at those that
 * it single-steps; and of these, whose program was timed. */
struct probe_hits {
	uint64_t emulated, stepped;
	uint64_t timed, timed_ns;
};

/* What hits of each kind take, without a program. */
struct probe_costs {
	uint64_t emulated_ns, stepped_ns;
};

/* What those since `before` took whoever met them. */
uint64_t probe_hits__spent_ns(const struct probe_hits *now, const struct probe_hits *before,
			      const struct probe_costs *each);

/* How it went; all 0 where there are no such probes. */
struct probed {
	uint64_t slices;         /* that began */
	uint64_t span_ns, on_ns; /* how long it took, and how long of it they were in place */
	uint64_t spent_ns;       /* on them, in the programs that met them */
	uint64_t changes_ns;     /* CPU time of putting them in and taking them out, here */
	/* While they were in place: */
	uint64_t hits, spent_on_ns;
	/* CPU time of those that may meet them, in all and then; 0: isn't known. */
	uint64_t cpu_ns, cpu_on_ns;
	/* Of slices that are over, in which something of that was left: hits, what was left, and
	 * hits squared for what was left, for how much they differ. */
	uint64_t rated, rated_hits, rated_ns;
	double rated_squares;
};

void probed__add(struct probed *to, const struct probed *from);
void probed__take(struct probed *from, const struct probed *before);
/* A slice is over. */
void probed__rate(struct probed *p, uint64_t hits, uint64_t cpu_ns, uint64_t spent_ns);

/* How many there were in all, of n that were seen, which had so many of the hits. */
struct probed_estimate {
	double least;        /* as if probes slowed down nobody; NAN: none was in place */
	double likely, most; /* NAN: isn't known */
};
struct probed_estimate probed__estimate(const struct probed *p, uint64_t n, uint64_t hits);

#endif
