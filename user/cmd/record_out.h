/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What becomes of a recording: its files and its summary. */
#ifndef PMUBPF_CMD_RECORD_OUT_H
#define PMUBPF_CMD_RECORD_OUT_H

#include "cmd/held_up.h"
#include "cmd/output.h"
#include "cmd/record_args.h"
#include "model/kept.h"
#include "model/passes.h"
#include "prof/prof.h"
#include "sys/processor.h"

struct signals;

/* Who wants the profile besides the files. */
struct record_taker {
	/* Once the files are written, or couldn't be, and signals released; the profile is
	 * theirs; err may be NULL. */
	int (*take)(void *ctx, struct prof *prof, struct err *err);
	void *ctx;
};

struct record_out {
	struct signals
		*signals; /* caught; released where they can't cut a file any more; borrowed */
	const struct record_taker *taker; /* NULL: nobody; borrowed */
	const struct record_args *args;
	char **argv;              /* of pmubpf */
	struct measure *measures; /* per event */
	struct output *files;     /* per output */
	struct output summary;
	int64_t start_ns;   /* since 1970 */
	uint64_t opened_ns; /* the same by CLOCK_MONOTONIC */
	struct processor_watch processor;
	struct held_up held_up;
	struct room_cut cut;
	struct buf code;         /* of pages */
	const struct kept *kept; /* NULL: all of it; borrowed */
};

/* Chooses units and opens the files, so that what can't work fails before anything runs. */
int record_out__open(struct record_out *out, const struct record_args *args, char **argv,
		     struct err *err);
/* Uses up the result's profile. */
int record_out__write(struct record_out *out, struct session_result *result,
		      const struct passes *passes, struct err *err);
void record_out__done(struct record_out *out);

#endif
