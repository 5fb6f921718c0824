/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a report says before its rows: what was recorded, where, when, and what is wrong with it. */
#ifndef PMUBPF_RENDER_REPORT_HEAD_H
#define PMUBPF_RENDER_REPORT_HEAD_H

#include "render/report.h"

/* Lines that begin with "# ", and an empty one. */
void report__head(const struct report *report, struct buf *out);

/* What the recording says of an event: of " period=" "2000003". NULL: nothing. The caller frees. */
char *report__event_remark(const struct prof *whole, const char *event, const char *part);

#endif
