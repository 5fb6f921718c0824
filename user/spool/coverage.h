/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What of a range of time windows cover, and what they don't. Pure. */
#ifndef PMUBPF_SPOOL_COVERAGE_H
#define PMUBPF_SPOOL_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "spool/times.h"
#include "spool/window_name.h"

struct window_span {
	struct window_id id;
	uint64_t begin_ns, end_ns;    /* CLOCK_MONOTONIC of its boot; both 0: not known */
	int64_t time_ns, duration_ns; /* since 1970, by the host's date then */
	size_t place;                 /* where whoever lists them has it */
};

struct gap {
	int64_t from_ns, to_ns; /* since 1970, by the dates of the windows beside it */
	uint64_t span_ns;       /* how long: within a boot not by dates, which may jump */
	bool reboot;            /* the host was started anew in it */
};

struct coverage {
	struct gap *gaps;
	size_t n, cap;
};

/* In the order of time. */
void window_spans__sort(struct window_span *spans, size_t n);
bool window_span__overlaps(const struct window_span *span, const struct time_range *range);
/*
 * spans are sorted. Gaps before the first and behind the last one are there if the range begins
 * or ends; behind the last one not if it may be that the next window isn't complete yet.
 */
void coverage__find(struct coverage *c, const struct window_span *spans, size_t n,
		    const struct time_range *range);
void coverage__done(struct coverage *c);

#endif
