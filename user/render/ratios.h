/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ratios of events that were sampled together: cycles per instruction, misses per thousand of them.
 * Of the target alone: each event's counter times the share of its weights that was aggregated. One
 * whose parts did not run together all the time is marked.
 */
#ifndef PMUBPF_RENDER_RATIOS_H
#define PMUBPF_RENDER_RATIOS_H

#include "render/json.h"
#include "render/summary.h"

void ratios__text(const struct summary *summary, struct buf *out);
void ratios__json(const struct summary *summary, struct json *j);

#endif
