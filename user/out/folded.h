/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Collapsed stacks: "event;comm;frame;…;leaf N", one line for each distinct stack of names, sorted by
 * bytes. A frame ends in _[k] if it is the kernel's, _[j] if a JIT made it, _[i] if it was inlined into
 * the one before. Rows whose addresses differ but whose names don't become one line.
 */
#ifndef PMUBPF_OUT_FOLDED_H
#define PMUBPF_OUT_FOLDED_H

#include <stdbool.h>
#include <stdio.h>

#include "model/clockrate.h"
#include "model/profile.h"
#include "sym/names.h"

enum number_unit {
	NUMBER_SAMPLES, /* overflows */
	NUMBER_EVENTS,  /* their weights */
	NUMBER_TIME,    /* weights as whole nanoseconds */
};

/* What the number at the end of an event's lines is. */
struct folded_event {
	const char *name; /* NULL: lines don't begin with it (there is only one event) */
	bool hidden;      /* it has no lines */
	/* The event of another core PMU, with the same name and unit, whose lines it shares (NULL: none).
	 * Their numbers are added up after each was converted at its own rate. */
	const struct folded_event *lead;
	enum number_unit unit;
	double scale; /* weights are multiplied by it (multiplexed events); 0 is 1 */
	/* NUMBER_TIME of a cycles event; hz 0: the weight is time already */
	struct clock_rate rate;
};

/* What that many samples of that weight are printed as. */
uint64_t folded_event__number(const struct folded_event *event, uint64_t samples, uint64_t weight);

struct folded_opts {
	const struct folded_event *events;
	size_t n_events;
	unsigned max_depth; /* frames of a line, leaf first; 0: all */
};

/* Writes all lines; returns 0 or -errno of the write (-EPIPE: the reader has gone). */
int folded__write(FILE *file, const struct profile *profile, const struct names *names,
		  const struct folded_opts *opts);

#endif
