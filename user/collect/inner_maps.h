/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Inner maps that are put into maps of maps while programs run. The call waits until none can be
 * running that has seen the outer one before: here a thread waits.
 */
#ifndef PMUBPF_COLLECT_INNER_MAPS_H
#define PMUBPF_COLLECT_INNER_MAPS_H

#include <linux/types.h>
#include <stddef.h>
#include <stdint.h>

#include "pmubpf/unwind.h"

struct inner_maps;

struct inner_maps *inner_maps__new(void);
/* Waits for the kernel, if it isn't done with one yet. */
struct inner_maps *inner_maps__free(struct inner_maps *maps);

/* Of an outer map and its inner ones, all borrowed. From then on programs find them, or it is a
 * negative errno. */
int inner_maps__put(struct inner_maps *maps, int outer, const int *keys, const int *fds, size_t n);

/* ---- chunks of rows, which unwind tables are made of: inner maps of pmb_chunks, mapped */

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
