/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Who changes windows of a folder does so in turn: the agent, which has a new one, and whoever puts
 * names into those that are there. A file of the folder is locked meanwhile,
 * which says what both have to know. Whoever is killed gives up its turn.
 */
#ifndef PMUBPF_SPOOL_TURN_H
#define PMUBPF_SPOOL_TURN_H

#include <stdbool.h>
#include <stdint.h>

enum { TURN_BYTES = 4096 /* that the file takes on disk */ };

struct turn {
	int fd;
	uint64_t max_bytes; /* that all windows may take; 0: nobody has said so */
	uint64_t changes;   /* turns, ever, in which windows were changed; 0: there's no telling */
};

/* make: the file is made if it isn't there. 0, -ENOENT, or another negative errno; the caller
 * frees. */
int turn__open(struct turn *t, int dir, bool make);
void turn__close(struct turn *t);

/* Waits; the rest is what the file says then. 0, -EWOULDBLOCK: somebody else has it for so long;
 * or another negative errno. */
int turn__take(struct turn *t, int wait_ms);
/* Windows are going to be changed: that is written down first, in case we are killed. */
void turn__begin_changes(struct turn *t);
void turn__give(struct turn *t);

#endif
