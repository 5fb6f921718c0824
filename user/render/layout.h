/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How a type lies in memory and how it was used, for people (text) and for programs (JSON). */
#ifndef PMUBPF_RENDER_LAYOUT_H
#define PMUBPF_RENDER_LAYOUT_H

#include "base/buf.h"
#include "prof/layout_use.h"
#include "render/report.h"

struct layout_view {
	char *type; /* "struct node" */
	char *id;
	struct type_layout layout;
	struct layout_use use;
};

struct layout_report {
	const struct report *report; /* files, profiles, and events, of which this is about one: */
	const struct prof_event *event;
	struct layout_view *views; /* of one type, in several builds; the most used first */
	size_t n;
	size_t n_more; /* that aren't among them */
};

void layout_report__text(const struct layout_report *r, struct buf *out);
void layout_report__json(const struct layout_report *r, struct buf *out);

/* ---- between the two */

/* A sentence on where the hot members lie, and where they could. */
void layout_view__advice(const struct layout_view *v, struct buf *out);
/* Bytes of all holes of an object, also those of each element of an array. */
uint64_t layout_view__padding(const struct type_layout *layout, const struct layout_hole *holes,
			      size_t n);

#endif
