/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A part as plain lines, or as one line of JSON. */
#ifndef PMUBPF_CMD_TOP_BATCH_H
#define PMUBPF_CMD_TOP_BATCH_H

#include "cmd/live.h"
#include "cmd/top_view.h"

/* "12:00:01  1.00 s  cost 0.41 + 0.10 % of 2 CPUs  samples: cpu-clock 1998": what happened, and
 * what it cost to see it, and helpers. No line feed. */
void top__put_head(const struct part *part, struct buf *out);
/* Writes it to standard output, and flushes. */
int top__write_text(const struct part *part, const struct top_view *view, struct err *err);
int top__write_json(const struct part *part, const struct top_view *view, struct err *err);

#endif
