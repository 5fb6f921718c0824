/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A function of a process: in which of the files that it runs, where that is in its memory, and
 * which conditional jumps it has. */
#ifndef PMUBPF_SESSION_BRANCH_SITE_H
#define PMUBPF_SESSION_BRANCH_SITE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "sym/site_client.h"

struct opener;

enum { BRANCH_ADDRESSES_MAX = 16 /* where a process may have mapped the function */ };

struct branch_site {
	int fd; /* the file, as the opener found it; -1: none */
	int root_fd;
	uint64_t mnt_ns, root_mnt_ns;
	char *path;   /* as the process has it */
	char *called; /* of whom an address was asked; NULL: it has no name */
	struct site_jumps jumps;
	uint64_t addresses[BRANCH_ADDRESSES_MAX];
	size_t n_addresses;
};

struct branch_whom {
	struct opener *opener;
	pid_t pid;
	const char *function;       /* NULL: the one that holds the address */
	uint64_t address;           /* of the process */
	const char *file;           /* a path or its last part; NULL: any */
	enum pmb_block_class class; /* not PMB_BLOCK_NONE: its instructions of it, not jumps */
	/* For sentences: who asks, and what says of which file it is. */
	const char *option, *which;
};

/* What is there is what the file has, or nothing is found: what was changed in memory isn't
 * probed. -errno with the sentence, -ENOENT: no file's function holds the address; notes: files
 * that were passed over. */
int branch_site__find(struct branch_site *ret, const struct branch_whom *whom, struct buf *notes,
		      struct err *err);
/* What whom->pid has mapped could not be read, -errno r; returns that. */
int branch_site__refuse_maps(const struct branch_whom *whom, int r, struct err *err);
void branch_site__done(struct branch_site *site);

#endif
