/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Chunks of rows, which unwind tables are made of: inner maps of pmb_chunks, mapped. */
#ifndef PMUBPF_COLLECT_CHUNKS_H
#define PMUBPF_COLLECT_CHUNKS_H

#include <linux/types.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/inner_maps.h"
#include "pmubpf/unwind.h"

struct chunks {
	struct inner_maps *maps; /* borrowed, as outer */
	int outer;
	struct pmb_chunk *of[PMB_CHUNKS_MAX]; /* NULL: not made */
};

/* Zeroed, and where the overflow program looks for it. NULL: there is one, or it can't be had. */
struct pmb_chunk *chunks__add(struct chunks *chunks, uint32_t index);
/* That all take. */
uint64_t chunks__bytes(const struct chunks *chunks);
void chunks__done(struct chunks *chunks);

#endif
