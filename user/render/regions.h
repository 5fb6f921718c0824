/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Regions of memory and how often they were missed, for people (text) and for programs (JSON). */
#ifndef PMUBPF_RENDER_REGIONS_H
#define PMUBPF_RENDER_REGIONS_H

#include "base/buf.h"
#include "prof/regions.h"
#include "render/report.h"

struct regions_report {
	const struct report *report; /* files, profiles, events */
	const struct regions *regions;
	double factor; /* from which on regions are delinquent */
	size_t limit;  /* rows of each event; 0: all */
};

void regions_report__text(const struct regions_report *r, struct buf *out);
void regions_report__json(const struct regions_report *r, struct buf *out);

/* ---- between the two */

/* How an event's samples are on the regions. */
struct regions_event {
	struct regions_use use;
	struct region_row *rows;
	size_t n, shown;
};

void regions_event__make(struct regions_event *ret, const struct regions_report *r,
			 const struct prof_event *event);
void regions_event__done(struct regions_event *event);

#endif
