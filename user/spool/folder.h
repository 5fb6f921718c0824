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
#include "spool/turn.h"

struct folder {
	int dir;          /* ours, and locked */
	struct turn turn; /* to change what is in it */
	uint64_t seen;    /* of its changes */
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
/* The same of one that is there, without the lock. */
int folder__open_there(const char *path, struct err *err);

/* Looks at what is there: leftovers go. dir is taken. 0 or a negative errno; -EBUSY: somebody who
 * puts names into windows doesn't come to an end. */
int folder__begin(struct folder *s, int dir, const struct retention *bounds,
		  struct folder_news *news);
/* The content of a file in memory as the window of that number. horizon_ns: what gets too old until
 * then goes now. -EFBIG: it is larger than the bound; -EBUSY: as above. */
int folder__put(struct folder *s, uint64_t seq, int text, uint64_t horizon_ns,
		struct folder_news *news);
void folder__done(struct folder *s);

/*
 * For who puts names into windows that are there, beside an agent or without one. dir is taken, as
 * of folder__open_there(). -EBUSY: an agent writes there that knows of no turns.
 */
int folder__join(struct folder *s, int dir);
/*
 * The content of a file in memory in place of that window's, whose date stays: all of it or
 * nothing, whoever is killed, and never more than the agent may have there. 0; -ENOENT: it has gone
 * meanwhile; -EFBIG: there is no room, even without all that are older; -EBUSY: as above.
 */
int folder__replace(struct folder *s, const struct window_id *id, int text,
		    struct folder_news *news);

#endif
