/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * File systems that kept helpers waiting for ever: each cost a process that can't die, and time.
 * After SILENT_ALLOWED of them nothing more of that device, and of that mount namespace, is read
 * for a while, so that the helpers are there for everybody else's files.
 */
#ifndef PMUBPF_SYM_SILENT_H
#define PMUBPF_SYM_SILENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SILENT_ALLOWED = 2,
	SILENT_PAUSE_S = 30, /* and as much more with each after those */
	SILENT_MAX = 16,     /* that are remembered: those of the last helpers that may be stuck */
};

/* Where a file lies; 0: not known, or a mount namespace that is ours, of which nobody is
 * suspected. */
struct silent_fs {
	uint64_t dev, mnt_ns;
};

struct silent {
	struct {
		uint64_t dev, mnt_ns; /* one of them, the other is 0 */
		uint64_t until_ns;    /* CLOCK_MONOTONIC */
		unsigned times;
	} list[SILENT_MAX];
};

void silent__add(struct silent *s, struct silent_fs where, uint64_t now_ns);
bool silent__refuses(const struct silent *s, struct silent_fs where, uint64_t now_ns);

#endif
