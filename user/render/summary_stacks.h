/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The summary's lines about stacks: how they ended, how they were walked, whose names are known. */
#ifndef PMUBPF_RENDER_SUMMARY_STACKS_H
#define PMUBPF_RENDER_SUMMARY_STACKS_H

#include <stdint.h>

#include "base/buf.h"
#include "model/ledger.h"
#include "model/profile.h"
#include "sym/names.h"

/* How many frames the samples had, by what came of their names. */
struct frame_counts {
	uint64_t by_reason[N_SYM_REASONS]; /* SYM_NAMED: named */
};
struct frame_counts count_frames(const struct profile *profile, const struct names *names);
void frames_in_ledger(const struct frame_counts *counts, struct ledger_frames *ret);

void summary_stacks__text(const struct ledger *ledger, const struct frame_counts *frames,
			  struct buf *out);

#endif
