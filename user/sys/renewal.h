/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A file that is renewed again and again, each time whole: who reads it sees the old text or the
 * new one, never a part (sys/beside.h). A process beside this one does it, which was started before
 * anything was opened, and became the caller at once: it may what the caller may, whatever this one
 * gives up later, and a disk that doesn't answer holds up nobody else.
 */
#ifndef PMUBPF_SYS_RENEWAL_H
#define PMUBPF_SYS_RENEWAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

struct renewal {
	pid_t pid; /* 0: not started */
	int sock;  /* -1: it has gone */
	bool busy; /* the last text isn't written yet */
	int last;  /* a negative errno: how the last one went, that was answered */
	uint64_t written, failed, skipped; /* texts */
};

/* Fails if nothing could be put there: what has the name is no regular file, or the folder isn't
 * the caller's to write to. Nothing has changed there yet. */
int renewal__start(struct renewal *ret, const char *path, struct err *err);
/* The same; a file that isn't there gets that mode, and not 0600. */
int renewal__start_mode(struct renewal *ret, const char *path, mode_t mode, struct err *err);
/* The same, for whoever can't wait longer than so many ms for the disk to say that it can be. */
int renewal__start_within(struct renewal *ret, const char *path, mode_t mode, int wait_ms,
			  struct err *err);
/* Once it has gone: another process for it, without waiting for what it says. */
void renewal__restart(struct renewal *renewal, const char *path, mode_t mode);
/* Doesn't wait. Skipped, if the one before isn't written yet. */
void renewal__write(struct renewal *renewal, const struct buf *text);
/* Waits until the last one is written, so many ms at most. 0, or how it went. */
int renewal__settle(struct renewal *renewal, int wait_ms);
/* {0} is fine. */
void renewal__done(struct renewal *renewal);

#endif
