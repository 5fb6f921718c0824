/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The objects that samples are about, for people (text) and for programs (JSON). */
#ifndef PMUBPF_RENDER_DATA_OBJECTS_H
#define PMUBPF_RENDER_DATA_OBJECTS_H

#include "base/buf.h"
#include "render/report.h"

struct objects_report {
	const struct report *report; /* files, profiles, events */
	size_t limit;                /* rows of each event; 0: all */
};

void objects_report__text(const struct objects_report *r, struct buf *out);
void objects_report__json(const struct objects_report *r, struct buf *out);

#endif
