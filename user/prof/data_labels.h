/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What rows of a recording are about, as labels of a named profile: objects, types and members,
 * where they lie, and how sure that is. */
#ifndef PMUBPF_PROF_DATA_LABELS_H
#define PMUBPF_PROF_DATA_LABELS_H

#include "prof/frames.h"
#include "prof/layouts.h"
#include "prof/page_sites.h"
#include "prof/recorded.h"

struct data_labels {
	const struct recorded *r;       /* borrowed, as are… */
	const struct frame *frames;     /* those of its profile, by id */
	struct prof *prof;              /* to which layouts are added in the end, */
	struct prof_label_list *labels; /* and the list that a row's go to */
	const uint32_t *locations;      /* of frames, by id */
	struct layouts layouts;         /* of types that rows are about */
	char **sites;                   /* by number; NULL: not yet */
	struct prof_frames expanded;
	struct page_sites pages; /* once a candidate asks */
	bool pages_known;
};

void data_labels__add(struct data_labels *d, const struct profile_row *row,
		      const struct profile_labels *set);

void data_labels__done(struct data_labels *d);

#endif
