/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which windows of a spool have to go: those that are too old, and the oldest of those that take
 * too much room. Pure: the times are those of a clock that isn't set (CLOCK_BOOTTIME), so that no
 * jump of the host's date deletes anything.
 */
#ifndef PMUBPF_SPOOL_RETENTION_H
#define PMUBPF_SPOOL_RETENTION_H

#include <stddef.h>
#include <stdint.h>

#include "spool/window_name.h"

struct kept_window {
	struct window_id id;
	uint64_t bytes;   /* on disk */
	int64_t ended_ns; /* on that clock; below 0: before the boot */
};

struct retention {
	uint64_t keep_ns;         /* 0: any age */
	uint64_t max_bytes;       /* 0: any size */
	struct kept_window *list; /* oldest first, once sorted */
	size_t n, cap;
	uint64_t bytes; /* of all */
};

void retention__add(struct retention *r, const struct kept_window *window);
/* By age, and where that is the same by number. For those that were found; what is added later is
 * younger than all. */
void retention__sort(struct retention *r);
/* How many of the oldest are too old at that time. The newest stays: it says which number is the
 * next. */
size_t retention__expired(const struct retention *r, int64_t now_ns);
/* How many of the oldest have to go, so that so many bytes more have room; SIZE_MAX: they never
 * have. */
size_t retention__over(const struct retention *r, uint64_t more);
/* The oldest one has gone. */
void retention__drop(struct retention *r);
/* The highest number of a boot; -1: there is none. */
int64_t retention__last(const struct retention *r, const char *boot);
void retention__done(struct retention *r);

#endif
