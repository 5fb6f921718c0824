/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which processes the overflow program knows the mappings of, and as of when. Where there is no
 * room for another list, those go whose processes have had no sample for longest.
 */
#ifndef PMUBPF_UNWIND_LISTS_H
#define PMUBPF_UNWIND_LISTS_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/runtimes.h"
#include "unwind/store.h"

/* Sets a process's list in the kernel, or (NULL) takes it out. 0 or a negative errno. */
typedef int (*lists_set_fn)(void *ctx, uint32_t tgid, const struct pmb_process *list);

struct lists;

/* runtimes is borrowed. */
struct lists *lists__new(struct store *store, const struct runtimes *runtimes, lists_set_fn set,
			 void *ctx);
struct lists *lists__free(struct lists *lists);

/* Sends the mappings if they aren't those of `generation` already, with the interpreter in them.
 * stack_top: as a sample of the process has it; the list is only used while that is the same, so
 * an exec can't be overtaken. */
void lists__put(struct lists *lists, uint32_t tgid, uint64_t generation, uint64_t stack_top,
		const struct mappings *mappings);
/*
 * Sends only that the process has an interpreter, in this mapping, or in its parent's place: before
 * its first sample, because a script of 30 ms has ended when its list has come.
 */
void lists__mapped(struct lists *lists, uint32_t tgid, const struct mapping *mapping);
/* The same, of those of the last mappings whose file has turned out to be one since. */
void lists__learn(struct lists *lists);
void lists__forked(struct lists *lists, uint32_t tgid, uint32_t parent_tgid);
/* It has ended, or an exec has arrived: before what the new program maps. */
void lists__forget(struct lists *lists, uint32_t tgid);

#endif
