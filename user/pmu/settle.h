/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From events as they were parsed, which stay as they are, to those that are recorded: what this
 * machine lacks is left out, and each has its collection mode, a rate, and a set of others
 * that it counts beside.
 */
#ifndef PMUBPF_PMU_SETTLE_H
#define PMUBPF_PMU_SETTLE_H

#include "base/buf.h"
#include "base/err.h"
#include "pmu/event.h"
#include "pmu/plan.h"

struct settle_opts {
	struct rate rate;
	bool budget_given; /* by the user: exact events, too, may then be sampled less often */
	/* Whether a clock of ours has to go with the events, whose ways are known. */
	bool (*needs_clock)(void *ctx, const struct event_list *events);
	void *ctx;
};

/* Into *ret and *plan, which are the caller's; *ret is empty. What is left out is in notes. */
int settle(struct event_list *ret, struct plan *plan, const struct event_list *parsed,
	   const struct settle_opts *opts, struct buf *notes, struct err *err);

#endif
