/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What became of branch records: part of a recording's summary. */
#ifndef PMUBPF_RENDER_SUMMARY_BRANCH_RECORDS_H
#define PMUBPF_RENDER_SUMMARY_BRANCH_RECORDS_H

#include "base/buf.h"
#include "model/ledger.h"
#include "render/json.h"

void summary_branches__text(const struct ledger *ledger, struct buf *out); /* nothing without */
void summary_branches__json(const struct ledger *ledger, struct json *j);

#endif
