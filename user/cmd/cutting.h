/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A recording that is cut while it goes on. Whoever names a part waits for helpers: the recording
 * is stepped on meanwhile, and one that ends then ends the naming.
 */
#ifndef PMUBPF_CMD_CUTTING_H
#define PMUBPF_CMD_CUTTING_H

#include <stdbool.h>
#include <stdint.h>

#include "session/session.h"

struct cutting {
	struct session *session; /* borrowed */
	uint64_t next_ns;        /* to cut (CLOCK_MONOTONIC) */
	int ended_fd;            /* readable once the recording has ended */
	bool ended;
	/* After each step, while parts are named, too; NULL: not wanted. */
	void (*stepped)(void *ctx, uint64_t now);
	void *stepped_ctx;
};

enum cutting_news {
	CUTTING_DUE,
	CUTTING_INPUT, /* fd is readable */
	CUTTING_ENDED, /* by its target, its duration, a signal */
};

/* Opens ended_fd; the rest is the caller's to set. */
void cutting__init(struct cutting *c);
/* Records on until there is one of these. fd -1: none. */
enum cutting_news cutting__wait(struct cutting *c, int fd);
/* Steps it on, without waiting. For names__resolve() and its like: ctx is the struct cutting. */
void cutting__meanwhile(void *ctx);
void cutting__done(struct cutting *c);

#endif
