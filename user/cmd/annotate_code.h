/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The instructions of a profile's function: from its file, if that is the one that ran. */
#ifndef PMUBPF_CMD_ANNOTATE_CODE_H
#define PMUBPF_CMD_ANNOTATE_CODE_H

#include <time.h>

#include "base/buf.h"
#include "prof/code.h"
#include "sym/listing.h"

struct annotate_code {
	struct sym *sym; /* its texts are those of the listings */
	char *path;      /* NULL: no file was read */
	time_t changed;  /* it, the last time */
	struct listing *listings;
	size_t n;
	uint64_t base; /* addresses are shown as distances from there: of the kernel's; else 0 */
	char **texts;  /* in place of the listings' */
	size_t n_texts;
};

struct debuginfod;

struct annotate_where {
	const char *dir;            /* where files are looked for; NULL: where the program had it */
	struct debuginfod *servers; /* that are asked for what has the lines; NULL: nobody is */
	const char *jitdump;        /* NULL: there is none */
	uint64_t until_ns;          /* CLOCK_MONOTONIC; 0: as long as a file may take */
};

/* Of a file's function, or one that has none. What is missing goes to notes, each on a line. */
void annotate_code__find(struct annotate_code *ret, const struct prof *p,
			 const struct code_function *function, const struct code_points *points,
			 const struct annotate_where *where, struct buf *notes);
void annotate_code__done(struct annotate_code *code);
/* What the helper couldn't say, or had no library for. */
void annotate_code__note_helper(struct annotate_code *code, enum listing_end end,
				struct buf *notes);

#endif
