/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The chunks of rows that unwind tables are made of: inner maps of pmb_chunks, mapped. They are put
 * in while samples come.
 */
#ifndef PMUBPF_COLLECT_CHUNKS_H
#define PMUBPF_COLLECT_CHUNKS_H

#include <linux/types.h>
#include <stdint.h>

#include "pmubpf/unwind.h"

struct chunks;

/* outer: of pmb_chunks, borrowed. */
struct chunks *chunks__new(int outer);
/* Waits for the kernel, if it isn't done with one yet. */
struct chunks *chunks__free(struct chunks *chunks);

/* Zeroed, and where the overflow program looks for it. NULL: there is one, or it can't be had. */
struct pmb_chunk *chunks__add(struct chunks *chunks, uint32_t index);
/* That all take; 0 of NULL. */
uint64_t chunks__bytes(const struct chunks *chunks);

#endif
