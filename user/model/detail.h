/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * When a recording is in detail: around alarms, and no more of the time than it may be. Credit
 * flows in as time passes, and out while it is in detail; what five alarms take is kept at most,
 * and is there at the start. Pure.
 */
#ifndef PMUBPF_MODEL_DETAIL_H
#define PMUBPF_MODEL_DETAIL_H

#include <stdbool.h>
#include <stdint.h>

#define DETAIL_NEAR_NS 10000000000ULL /* of what may become an alarm */
enum { DETAIL_ALARMS = 5 };

struct detail_opts {
	uint64_t lookahead_ns; /* after an alarm */
	double share;          /* of the time, over long: 0 to 1 */
};

struct detail {
	bool on;
	double credit_ns;
	uint64_t at_ns;    /* the last look */
	uint64_t until_ns; /* it is wanted */
	uint64_t total_ns; /* that it was on */
	uint64_t refused;  /* alarms for which there was no credit, or not enough */
};

void detail__begin(struct detail *d, const struct detail_opts *opts, uint64_t now);
/* An alarm was raised; one is near. Whether it is to be in detail from now on. */
bool detail__look(struct detail *d, const struct detail_opts *opts, uint64_t now, bool raised,
		  bool near);

#endif
