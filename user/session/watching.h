/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counters beside a recording, read by whoever steps that: a counting without a run of its own. Of
 * its options the events, whom, the opener and what is beside count.
 */
#ifndef PMUBPF_SESSION_WATCHING_H
#define PMUBPF_SESSION_WATCHING_H

#include <stdint.h>
#include <sys/types.h>

#include "session/counting.h"

struct watching;

/*
 * Opens and enables them: session_opts.opened is the place. Where the command is the target its
 * exec enables them, and `command` is its process. There may be no events if something is beside.
 * opts and the result must live as long; the result is void after an error.
 */
int watching__open(struct watching **ret, const struct counting_opts *opts, pid_t command,
		   struct counting_result *result, struct err *err);
/* Into the result's counts, and those of what is beside: since the last time. now: CLOCK_MONOTONIC,
 * ns. */
void watching__read(struct watching *w, uint64_t now);
struct watching *watching__free(struct watching *w); /* NULL is fine; returns NULL */

#endif
