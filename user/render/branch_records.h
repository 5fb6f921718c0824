/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Branches of a profile, for people (text) and for programs (JSON). */
#ifndef PMUBPF_RENDER_BRANCH_RECORDS_H
#define PMUBPF_RENDER_BRANCH_RECORDS_H

#include "base/buf.h"
#include "prof/branch_table.h"
#include "render/report.h"

struct branches_report {
	const struct report *report;      /* files, profiles */
	const struct branch_table *table; /* of report->whole */
	size_t limit;                     /* rows; 0: all */
};

void branches_report__text(const struct branches_report *r, struct buf *out);
void branches_report__json(const struct branches_report *r, struct buf *out);

#endif
