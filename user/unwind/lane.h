/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One helper that makes tables, one after the other, and what it is at. Nothing here waits. */
#ifndef PMUBPF_UNWIND_LANE_H
#define PMUBPF_UNWIND_LANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sym/table_client.h"

enum { LANE_DESCRIBES = INT32_MAX }; /* in a number's place */

/* Numbers are of unwind/parts.h. */
struct lane {
	struct table_client *client;
	uint64_t most;     /* bytes of a file; UINT64_MAX: however large */
	bool used;         /* it was asked for a table */
	uint32_t building; /* 0: the helper has nothing to do */
	uint64_t since;
	bool swept;     /* what is being built is of a file that is no longer known */
	bool describes; /* it was asked last which runtime a file is, and for no rows */
	/* the file at which a helper was stuck that had been asked about others */
	uint32_t asked_twice;
};

/* What has become of a table. */
struct lane_answer {
	uint32_t number;
	enum table_status status;
	uint64_t took_ns; /* since it was asked for */
	bool swept;       /* it is of a file that is no longer known */
	bool describes;   /* it says which runtime the file is, and has no rows */
	/* the helper was stuck, maybe at another file: this one is to be asked for again */
	bool again;
	bool late; /* TABLE_LARGE not for its size, but because it takes long */
	int fd;    /* the caller's; -1: there is none */
};

/* child: as for table_client__new(). */
void lane__init(struct lane *lane, int (*child)(int sock), uint64_t most);
void lane__done(struct lane *lane);

/* fd, of which [from, to) is wanted, is borrowed; there is nothing being built. 0, or -EBUSY: the
 * helper can't take it now. */
int lane__start(struct lane *lane, uint32_t number, int fd, uint64_t from, uint64_t to);
/* The same, if only which runtime it is is wanted, however large it is. */
int lane__describe(struct lane *lane, int fd);
/* False: there is no answer, or nothing is being built. TABLE_LARGE: it is another lane's, for it
 * is large, or takes long. */
bool lane__finish(struct lane *lane, uint64_t now, struct lane_answer *ret);
/* That number's file is no longer known. */
void lane__swept(struct lane *lane, uint32_t number);
/* CPU time of all of their helpers so far, and memory, each at its most. */
uint64_t lanes__cpu_ns(const struct lane *lanes, size_t n);
uint64_t lanes__rss_bytes(const struct lane *lanes, size_t n);

#endif
