/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What numbers an event's samples become: overflows, events, nanoseconds. */
#ifndef PMUBPF_MODEL_MEASURE_H
#define PMUBPF_MODEL_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/clockrate.h"

enum number_unit {
	NUMBER_SAMPLES, /* overflows */
	NUMBER_EVENTS,  /* their weights */
	NUMBER_TIME,    /* weights as whole nanoseconds */
};

struct measure {
	enum number_unit unit; /* the one that is printed where there is only one */
	bool hidden;           /* nobody asked for it: it is printed nowhere */
	bool is_time;          /* its weights are nanoseconds */
	/* The event of another core PMU, with the same name and unit, whose numbers it shares
	 * (NULL: none). They are added up after each was converted at its own rate. */
	const struct measure *lead;
	double scale;           /* weights are multiplied by it (multiplexed events); 0 is 1 */
	struct clock_rate rate; /* of a cycles event; hz 0: cycles can't become time */
};

/* Whether NUMBER_TIME is nanoseconds, and not the weight for want of a rate. */
static inline bool measure__has_time(const struct measure *measure)
{
	return measure->is_time || measure->rate.hz > 0;
}

/* What that many samples of that weight are in a unit; NUMBER_TIME without a time is the weight. */
uint64_t measure__number(const struct measure *measure, enum number_unit unit, uint64_t samples,
			 uint64_t weight);

#endif
