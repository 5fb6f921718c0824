/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A folder of windows, as who writes it has it: each is written under another name, synced, and
 * gets its own when it is whole; what is too old or too much goes before that, so that neither
 * bound is ever exceeded.
 */
#ifndef PMUBPF_SPOOL_FOLDER_H
#define PMUBPF_SPOOL_FOLDER_H

#include "base/err.h"
#include "spool/retention.h"

struct folder {
	int dir; /* ours, and locked */
	char boot[BOOT_ID_SIZE];
	struct retention retention;
	uint64_t next_seq;
};

struct folder_news {
	uint64_t windows, bytes; /* that are there now */
	uint64_t expired, over;  /* that went: too old; too much */
	uint64_t leftovers;      /* files of a sudden end that were removed */
	uint64_t next_seq;       /* at the beginning */
};

/*
 * Opens the folder of windows, or makes it (0700), and locks it. Refuses one that is another
 * user's or that others can write to. A descriptor, or a negative errno with the sentence; -EBUSY:
 * somebody else writes there.
 */
int folder__open(const char *path, struct err *err);

/* Looks at what is there: leftovers go. dir is taken. 0 or a negative errno. */
int folder__begin(struct folder *s, int dir, const struct retention *bounds,
		  struct folder_news *news);
/* The content of a file in memory as the window of that number. horizon_ns: what gets too old until
 * then goes now. -EFBIG: it is larger than the bound. */
int folder__put(struct folder *s, uint64_t seq, int text, uint64_t horizon_ns,
		struct folder_news *news);
void folder__done(struct folder *s);

#endif
