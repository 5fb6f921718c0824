/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the recording cost, at the end of its summary. */
#ifndef PMUBPF_OUT_COST_H
#define PMUBPF_OUT_COST_H

#include "out/json.h"
#include "out/summary.h"

void cost__text(const struct summary *summary, struct buf *out);
void cost__json(const struct summary *summary, struct json *j);

#endif
