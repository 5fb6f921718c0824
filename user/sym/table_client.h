/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Asks a helper process of its own for unwind tables, one file at a time, and never waits:
 *
 * 	table_client__start(fd of a file) → poll table_client__poll_fd() → table_client__finish()
 *
 * A helper that dies, lies, or takes too long is replaced; the file that did it gets TABLE_HELPER,
 * and should not be asked about again.
 */
#ifndef PMUBPF_SYM_TABLE_CLIENT_H
#define PMUBPF_SYM_TABLE_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

enum table_status {
	TABLE_PENDING, /* nothing is finished: ask again */
	TABLE_BUILT,
	TABLE_BAD_FILE,      /* not a readable ELF file with code */
	TABLE_OTHER_MACHINE, /* 32-bit, or of an architecture without tables */
	TABLE_TOO_LARGE,
	TABLE_NO_MEMORY, /* ours or the helper's; worth another try */
	TABLE_LARGE,     /* it has more bytes than were to be taken on */
	TABLE_HELPER,    /* the helper failed on this file */
	N_TABLE_STATUSES,
};

struct table_client;

/* What is wanted of a file. */
struct table_wanted {
	uint64_t from, to; /* its offsets [from, to); none: which runtime it is */
	uint64_t most;     /* if it has no more bytes than these; UINT64_MAX: however large it is */
};

/* child: as for sym__new_with; NULL: this program again. Nothing is started yet. */
struct table_client *table_client__new(int (*child)(int sock));
struct table_client *table_client__free(struct table_client *c); /* NULL is fine; returns NULL */

/* Starts the helper now, so that it is there when the first file comes. */
void table_client__prepare(struct table_client *c);

/* Asks for a table. fd is borrowed until this returns. deadline_ns: CLOCK_MONOTONIC. -EBUSY: a
 * request is under way, or a helper that was killed is not gone yet. Otherwise, also if the helper
 * can't be started, the answer is the next finish's: 0. */
int table_client__start(struct table_client *c, int fd, const struct table_wanted *wanted,
			uint64_t deadline_ns);
/* The helper closes what it has open of that file: a large one's, which it keeps; when it isn't
 * busy. */
void table_client__forget(struct table_client *c, int fd);
/* Readable when finish has something to do; -1: nothing is under way, or nothing could be
 * started, which finish says. Another one after each start. */
int table_client__poll_fd(const struct table_client *c);
/* To be called when that is readable, and when the deadline has passed. TABLE_BUILT: *ret_fd, the
 * caller's to close, has the table: unwind_table__read(). It is -1 with all others. */
enum table_status table_client__finish(struct table_client *c, uint64_t now_ns, int *ret_fd);
/* CPU time of the helpers so far, and the most memory that the present one had at a time. */
uint64_t table_client__cpu_ns(const struct table_client *c);
uint64_t table_client__rss_bytes(const struct table_client *c);
/* Time so far that the present one wanted to run and found no CPU. */
uint64_t table_client__delayed_ns(const struct table_client *c);
/* After TABLE_HELPER: what became of it, for people; the caller frees it. */
char *table_client__trouble(const struct table_client *c);
/* …and whether it waited for a server that does not answer; …but maybe that of a file before, which
 * it had not closed yet. */
bool table_client__was_stuck(const struct table_client *c);
/* …or was at work, or slowly answered, when its time was over. */
bool table_client__was_late(const struct table_client *c);
bool table_client__was_used(const struct table_client *c);
/* That table was not one: the helper is not to be trusted any more. */
void table_client__distrust(struct table_client *c);

#endif
