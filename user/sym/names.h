/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A name, or a reason, for every frame of a profile: each file is asked about once. */
#ifndef PMUBPF_SYM_NAMES_H
#define PMUBPF_SYM_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "model/profile.h"
#include "model/set_aside.h"
#include "proc/files.h"
#include "sym/debuginfod.h"
#include "sym/kernel_names.h"
#include "sym/sym.h"

struct known;
struct texts;

struct names {
	/* By frame id. Of files that were running (FRAME_FILE) a frame may have no name; all
	 * others have one, if only "[unknown]". */
	struct sym_name *locations;
	size_t n;
	struct texts *texts;
	bool texts_lent; /* they are of names_opts.known */
	/* By file number, in hex; NULL: not known. */
	char **build_ids;
	size_t n_build_ids;
	struct set_aside aside;
	struct names_work {
		uint64_t known;   /* locations that were known from earlier parts */
		uint64_t lookups; /* distinct locations that the helper was asked about… */
		uint64_t files;   /* …in so many files */
		uint64_t helper_failures;
		uint64_t bytes, cut,
			refused; /* texts: memory; names that were too long; that found no room */
		struct debuginfod_work downloads;
		uint64_t helper_ns, helper_rss_bytes; /* CPU time, memory at its most */
	} work;
};

struct names_opts {
	struct kernel_names *kernel; /* borrowed */
	bool inlined;
	struct debuginfod *servers; /* asked for what hot files lack; borrowed; NULL: nobody is */
	bool lines;                 /* of the source, where that is known */
	bool types;                 /* and members, of data */
	bool blocks;                /* classes of basic blocks where samples were taken */
	const struct objects *objects; /* of interpreters; borrowed; NULL: there are none */
	size_t max_bytes;              /* of texts that programs chose; 0: any */
	int stop_fd; /* readable: name no more, but after a second at the earliest; -1: none */
	/* For a part of a recording that goes on: what earlier parts found isn't asked again,
	 * and where the texts lie (max_bytes is its own); borrowed, and must outlive the names;
	 * NULL: nothing is known. */
	struct known *known;
	void (*meanwhile)(
		void *ctx); /* called every 10 ms at least while a helper is waited for; NULL: not */
	void *meanwhile_ctx;
};

/* Fails only if the symbol helper can't be started: then what is in files has no names
 * (SYM_HELPER), and all else is done. */
int names__resolve(struct names *ret, const struct profile *profile, const struct files *files,
		   const struct names_opts *opts, struct err *err);
/* What it cost and which files were set aside stays. */
void names__forget_locations(struct names *names);
void names__done(struct names *names);

#endif
