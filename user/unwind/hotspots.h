/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Processes that run HotSpot, Java's virtual machine: the code that it makes there has no file, so
 * its tables and names are read from its memory, by a helper for each process, again and again
 * while there is more of it. Nothing here waits.
 */
#ifndef PMUBPF_UNWIND_HOTSPOTS_H
#define PMUBPF_UNWIND_HOTSPOTS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/profile.h"
#include "model/set_aside.h"
#include "model/unknown_runtimes.h"
#include "pmubpf/python.h"
#include "proc/files.h"
#include "proc/processes.h"
#include "unwind/runtimes.h"
#include "unwind/store.h"
#include "unwind/tables.h"

struct hotspots;

struct hotspots_parts {
	struct store *store;
	struct tables *tables;
	const struct runtimes *runtimes;
	struct processes *processes;
	struct files *files;
};

/* All are borrowed. child: of the helpers, as for code_client__new(). */
struct hotspots *hotspots__new(const struct hotspots_parts *parts, int (*child)(int sock));
struct hotspots *hotspots__free(struct hotspots *h); /* NULL is fine; returns NULL */

/* A sample of that process: if it runs HotSpot its code will be read. */
void hotspots__met(struct hotspots *h, struct process *process);
/* Where samples were in it; what nobody has asked for yet will be. */
void hotspots__sampled(struct hotspots *h, const struct profile *profile, uint32_t user_stack);
/* It has ended, or runs another program: what was read of it stays. */
void hotspots__gone(struct hotspots *h, uint32_t tgid);
/* Takes what the helpers have read, and asks them again when it is time. True if any stack may be
 * walked now that couldn't be. last: all are asked once more. */
bool hotspots__work(struct hotspots *h, bool last);
/* Is that number one of such code? */
bool hotspots__has(const struct hotspots *h, uint32_t file);
/* A stack of that time goes through code of it that isn't known. False: nor will it be. */
bool hotspots__want(struct hotspots *h, uint32_t file, uint64_t time);
/* True while a stack that goes through that file's code may be walked soon. */
bool hotspots__awaits(const struct hotspots *h, uint32_t file);
/* True while any helper has been asked, or will be soon. */
bool hotspots__busy(const struct hotspots *h);

uint64_t hotspots__helpers_ns(const struct hotspots *h);
uint64_t hotspots__helpers_rss_bytes(const struct hotspots *h);
/* Those whose code isn't understood, and those that the helper failed over; whoever takes them
 * leaves none. */
struct unknown_runtimes *hotspots__unknown_ones(struct hotspots *h);
struct set_aside *hotspots__set_aside(struct hotspots *h);

#endif
