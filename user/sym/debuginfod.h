/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Separate debug files, and programs, from the servers of DEBUGINFOD_URLS, by a process of its own
 * that lives no longer than this does (symd/fetch.h). Bounded: so many files, so long for each and
 * for all.
 */
#ifndef PMUBPF_SYM_DEBUGINFOD_H
#define PMUBPF_SYM_DEBUGINFOD_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum {
	DEBUGINFOD_FILES_MAX = 10,
	DEBUGINFOD_TOTAL_S = 90,
	DEBUGINFOD_HOT_PERCENT = 1, /* of the samples, for a file that is asked for */
};

struct debuginfod_work {
	uint64_t asked, found;
	uint64_t ns;
};

struct debuginfod;

/* Is there anybody to ask, and the library? 0, or a negative errno with err: a usage error, or
 * -ENOENT. */
int debuginfod__check(struct err *err);

struct debuginfod *debuginfod__new(void);
/* As sym__until(). */
void debuginfod__stop_by(struct debuginfod *d, int fd, uint64_t from_ns);
/* As sym__meanwhile(). */
void debuginfod__meanwhile(struct debuginfod *d, void (*fn)(void *ctx), void *ctx);
void debuginfod__done(struct debuginfod **d); /* ends the process; NULL is fine */

/* The file, for whoever can judge it; the caller closes it. -1: none, or no more may be asked
 * for. One that was asked for before is not asked for again. */
int debuginfod__fetch(struct debuginfod *d, const uint8_t *build_id, size_t len);
/* The same of the program or library itself. */
int debuginfod__fetch_program(struct debuginfod *d, const uint8_t *build_id, size_t len);
struct debuginfod_work debuginfod__work(const struct debuginfod *d);

#endif
