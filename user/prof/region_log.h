/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the parts of a recording have said so far of where data lies: all of it that
 * prof/regions.h asks for, and nothing else. So it grows with distinct cache lines, not with time
 * or stacks; and only up to a limit, beyond which samples of further ones are counted as such.
 */
#ifndef PMUBPF_PROF_REGION_LOG_H
#define PMUBPF_PROF_REGION_LOG_H

#include "prof/prof.h"

struct region_log {
	struct prof *so_far; /* NULL: nothing yet. Its types are samples of the events */
	size_t limit;        /* bytes; 0: any */
	int64_t *no_room;    /* by type: samples that found none; in so_far they say nothing */
};

/* Begins as {.limit = …}. All parts are of one recording. */
void region_log__add(struct region_log *log, const struct prof *part);
size_t region_log__bytes(const struct region_log *log);
void region_log__done(struct region_log *log);

#endif
