/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The summary's part on whose memory samples with data are about. */
#ifndef PMUBPF_RENDER_SUMMARY_SITES_H
#define PMUBPF_RENDER_SUMMARY_SITES_H

#include "base/buf.h"
#include "model/ledger.h"
#include "render/json.h"

void summary_sites__text(const struct ledger_sites *sites, struct buf *out);
void summary_sites__json(const struct ledger_sites *sites, struct json *j);

#endif
