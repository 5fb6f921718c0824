/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs a program of the caller's when something has happened: as the caller, one run at a time,
 * with nothing of ours. A process beside this one does, which was started before anything was
 * opened, and became the caller at once: whatever this one gives up later, and whatever it has by
 * then.
 *
 * A run is over when the program and all that it has started have ended; what is left at the limit
 * is killed.
 */
#ifndef PMUBPF_SESSION_RUNNER_H
#define PMUBPF_SESSION_RUNNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

enum runner_outcome {
	RUNNER_READY,         /* the first answer: the program can be run */
	RUNNER_ENDED,         /* value: as waitpid() says it, of the program itself */
	RUNNER_KILLED,        /* it, or what it had started, was still there at the limit */
	RUNNER_BUSY,          /* not run: one is running */
	RUNNER_CANNOT,        /* value: errno of execve(), or of the first look at it */
	RUNNER_CANNOT_BECOME, /* the caller; value: errno */
	RUNNER_GONE,          /* the process beside us has ended: nothing is run any more */
};

/* As it travels. */
struct runner_reply {
	uint32_t outcome;
	int32_t value;
};

struct runner {
	pid_t pid;
	int sock;       /* -1: it has gone, or was never started */
	size_t pending; /* runs that were asked for and not answered */
};

/* program: a path, which is looked at as the caller. Nothing is started if it can't be run. */
int runner__start(struct runner *ret, const char *program, unsigned limit_ms, struct err *err);
/* environment: "NAME=value", each with its NUL, 32 KiB at most; it is all that the program gets. */
void runner__run(struct runner *runner, const struct buf *environment);
/* The next answer to a run; false: none within so many milliseconds, or none is pending. */
bool runner__next(struct runner *runner, unsigned wait_ms, struct runner_reply *ret);
/* What still runs is killed at its limit all the same. */
void runner__done(struct runner *runner);

/* The process itself: what it gets to know comes by its socket. Its exit status. */
int runner_main(int sock);

/* The first packet that it gets. */
enum { RUNNER_PATH_MAX = 4096, RUNNER_PACKET_MAX = 32768 };
struct runner_order {
	uint32_t limit_ms;
	char program[RUNNER_PATH_MAX];
};

#endif
