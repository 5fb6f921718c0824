/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the recording cost, at the end of its summary. */
#ifndef PMUBPF_RENDER_COST_H
#define PMUBPF_RENDER_COST_H

#include "render/json.h"
#include "render/summary.h"

void cost__text(const struct summary *summary, struct buf *out);
void cost__json(const struct summary *summary, struct json *j);

#endif
