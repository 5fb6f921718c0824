/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the summary says of --alloc: how much of the memory is known, and how far the probes got. */
#ifndef PMUBPF_RENDER_SUMMARY_ALLOCS_H
#define PMUBPF_RENDER_SUMMARY_ALLOCS_H

#include "base/buf.h"
#include "model/ledger.h"
#include "render/json.h"

/* Nothing, where nobody asked for it. */
void summary_allocs__text(const struct ledger_allocs *allocs, struct buf *out);
/* Its key, "allocations"; null, where nobody asked for it. */
void summary_allocs__json(const struct ledger_allocs *allocs, struct json *j);

#endif
