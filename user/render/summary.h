/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The totals of a recording: for people (stderr) and for machines (--summary FILE, JSON). */
#ifndef PMUBPF_RENDER_SUMMARY_H
#define PMUBPF_RENDER_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "model/clockrate.h"
#include "model/cost.h"
#include "model/kept.h"
#include "model/ledger.h"
#include "model/measure.h"
#include "model/passes.h"
#include "opener/opener.h"
#include "pmu/event.h"
#include "pmu/plan.h"
#include "render/room.h"
#include "render/summary_stacks.h"
#include "sym/names.h"
#include "sys/processor.h"

struct summary {
	const struct ledger *ledger;
	const struct event_list *events;
	const struct clock_rate *rates; /* per event */
	const struct measure *numbers;  /* per event: the unit that was printed */
	const bool *per_task;           /* per event */
	const struct plan *plan;        /* NULL: the events were not planned */
	const struct passes *passes;    /* NULL: one recording */
	const char *window;             /* what windows are called; NULL: none were asked for */
	bool window_process;            /* they are of processes */
	uint64_t longer_ns;             /* as in struct window_opts */
	size_t slowest;
	struct processor_loss loss;
	struct frame_counts frames;
	struct names_work names;       /* what it cost to name them */
	const struct set_aside *aside; /* files whose names are not known; may be NULL */
	struct opener_work opener;     /* what belongs to targets, and was asked for */
	const struct cost *cost;
	const struct room_cut *cut; /* what did not fit into the output; NULL: everything did */
	uint64_t max_output;
	const struct kept *kept; /* NULL: all of it */
	uint64_t duration_ns;
	char *const *command_line; /* of pmubpf itself, NULL-terminated */
	const char *notes;         /* lines, may be NULL */
};

void summary__text(const struct summary *summary, struct buf *out);
void summary__json(const struct summary *summary, struct buf *out);

#endif
