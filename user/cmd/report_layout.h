/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `pmubpf report --layout TYPE`: which type is meant, and how its members were used. */
#ifndef PMUBPF_CMD_REPORT_LAYOUT_H
#define PMUBPF_CMD_REPORT_LAYOUT_H

#include "base/err.h"
#include "render/layout.h"

/* More layouts of one type than that are only counted. */
enum { REPORT_LAYOUTS = 16 };

/* wanted: 'struct node', node, or how no other type begins. The report is settled, borrowed, and
 * must outlive *ret, which report_layout__done ends, also after an error. */
int report_layout__find(struct layout_report *ret, const struct report *report, const char *wanted,
			struct err *err);
void report_layout__done(struct layout_report *r);

#endif
