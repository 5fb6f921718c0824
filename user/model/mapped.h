/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory that processes got from the kernel, each piece with the number of who asked for it
 * (model/sites.h): by mmap(), until it is unmapped or something else is mapped there, and by brk(),
 * piece by piece.
 */
#ifndef PMUBPF_MODEL_MAPPED_H
#define PMUBPF_MODEL_MAPPED_H

#include "model/blocks.h"

struct mapped {
	struct blocks blocks;
	struct mapped_heap *heaps; /* what brk() has given out, of each process */
};
void mapped__done(struct mapped *m);

/* False: there is no room. */
bool mapped__put(struct mapped *m, uint32_t tgid, uint64_t addr, uint64_t size, uint32_t site);
void mapped__take(struct mapped *m, uint32_t tgid, uint64_t addr, uint64_t size);
/*
 * The heap has this size now. What it is larger than it was goes into *ret_addr and *ret_size, for
 * mapped__put(); size 0: it isn't, or what it was is not known. What it is smaller has gone.
 */
void mapped__break(struct mapped *m, uint32_t tgid, uint64_t heap, uint64_t size,
		   uint64_t *ret_addr, uint64_t *ret_size);
/* SITE_UNKNOWN: of nobody that was seen. */
uint32_t mapped__site(const struct mapped *m, uint32_t tgid, uint64_t addr);
void mapped__fork(struct mapped *m, uint32_t parent, uint32_t child);
void mapped__forget(struct mapped *m, uint32_t tgid);
void mapped__forget_all(struct mapped *m);

#endif
