/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A walk that the kernel side began and could not end, over the stack dump that it sent along:
 * the same step, by the same tables.
 */
#ifndef PMUBPF_UNWIND_WALK_H
#define PMUBPF_UNWIND_WALK_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "pmubpf/record.h"
#include "proc/mappings.h"
#include "unwind/store.h"

struct late_stack {
	uint32_t n;
	uint64_t frames[PMB_MAX_FRAMES]; /* [0] is the interrupted instruction */
	uint32_t
		/* PMB_END_NO_TABLE: the file whose table isn't here; 0: no mapping is known */
		missing;
};

struct walk_limits {
	uint32_t max_frames;
	uint64_t user_mask; /* bits of a code address */
};

/* How it ended. dump has passed record_decode. */
enum pmb_unwind_status unwind_walk(const struct store *store, const struct mappings *mappings,
				   const struct pmb_stack_dump *dump,
				   const struct walk_limits *limits, struct late_stack *ret);

#endif
