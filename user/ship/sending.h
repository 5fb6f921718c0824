/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A sender (ship/sender.h) as a process: it has its two folders, no capability and no network; what
 * it asks servers by (ship/http.h), which is started before that is given up, has the network. If
 * that one ends, so does the sender.
 */
#ifndef PMUBPF_SHIP_SENDING_H
#define PMUBPF_SHIP_SENDING_H

#include <sys/types.h>

#include "ship/keeper.h"

/* What it says on its socket, after each window. */
struct sending_news {
	struct destination_books books;
};

struct sending_opts {
	const struct destination *destination;
	int spool, state; /* folders */
	const char *host; /* what this one is called */
	struct rows_opts rows;
	keeper_say *say; /* in its process */
};

/* All of opts is borrowed until it returns. 0 or a negative errno; both are the caller's to end. */
int sending_start(const struct sending_opts *opts, pid_t *ret_pid, int *ret_sock);

#endif
