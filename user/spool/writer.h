/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The process that writes windows into their folder: one beside the recording, so that a disk that
 * is slow, full or hangs holds up nobody. Windows that it couldn't write yet wait in memory, up to
 * a bound, the oldest first.
 */
#ifndef PMUBPF_SPOOL_WRITER_H
#define PMUBPF_SPOOL_WRITER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "spool/folder.h"

struct writer_window {
	uint64_t seq;
	uint64_t bytes;
	int text; /* a file in memory */
};

struct writer {
	const char *path; /* borrowed, for messages */
	int dir;
	struct retention bounds;
	uint64_t every_ns;  /* how often a window comes */
	uint64_t max_bytes; /* of windows that wait */

	pid_t pid; /* 0: none */
	int sock;  /* readable: an answer; -1: it has gone */
	bool busy; /* the first that waits was sent */
	struct writer_window *wait;
	size_t n, cap;
	uint64_t wait_bytes;
	uint64_t retry_ns;        /* CLOCK_MONOTONIC: not before */
	int trouble;              /* a negative errno: how the last one went; 0: well */
	struct folder_news there; /* as the last answer said; what went is added up */
	uint64_t next_seq;
	uint64_t written, lost; /* windows; lost: no room to wait any longer, or too large */
	uint64_t starts;
};

/* Opens the folder, and starts the process. dir, every_ns, bounds and path are set before. */
int writer__start(struct writer *w, struct err *err);
/* Takes text. The number that it has was next_seq's. */
void writer__add(struct writer *w, uint64_t seq, int text);
/* Once sock is readable, and now and then: takes answers, sends what waits. Doesn't wait. */
void writer__step(struct writer *w);
/* Until nothing waits, it can't be written, or so many ms have gone by. */
void writer__drain(struct writer *w, int wait_ms);
void writer__done(struct writer *w);

#endif
