/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Blocks of memory that allocators of processes have given out, by address, each with a number of
 * model/sites.h. No two of a process overlap: the later one is there, and what it covers has gone,
 * whether that was told or not.
 */
#ifndef PMUBPF_MODEL_BLOCKS_H
#define PMUBPF_MODEL_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct blocks {
	struct block_process *by_tgid;
	uint64_t random;     /* 0: not begun */
	size_t bytes, limit; /* 0: any */
	/* processes, by blocks__fork(); and what model/mapped.c has no room for */
	uint64_t forgotten;
};
void blocks__done(struct blocks *b);

/* False: there is no room, or it can't be: it isn't of user space. size 0 is 1. */
bool blocks__put(struct blocks *b, uint32_t tgid, uint64_t addr, uint64_t size, uint32_t site);
/* That begins there; none is fine. */
void blocks__take(struct blocks *b, uint32_t tgid, uint64_t addr);
/* What lies within: of blocks that others are in, too, the rest stays. False: there was no room for
 * one of the rests. */
bool blocks__cut(struct blocks *b, uint32_t tgid, uint64_t addr, uint64_t size);
/* Of the block that has the address; SITE_UNKNOWN: of none. *ret_inherited: it is of before the
 * process was forked. */
uint32_t blocks__site(const struct blocks *b, uint32_t tgid, uint64_t addr, bool *ret_inherited);
/*
 * The child has all that its parent has now, and what either does from now on is its own: what is
 * the same for both is there once. Where there is no room for what makes them differ, all of that
 * process is forgotten, and counted.
 */
void blocks__fork(struct blocks *b, uint32_t parent, uint32_t child);
/* All of the process; of all. */
void blocks__forget(struct blocks *b, uint32_t tgid);
void blocks__forget_all(struct blocks *b);

#endif
