/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The command line of `pmubpf record`, parsed and checked as far as that goes without the
 * kernel. */
#ifndef PMUBPF_CMD_RECORD_ARGS_H
#define PMUBPF_CMD_RECORD_ARGS_H

#include <stdbool.h>

#include "cmd/alarms.h"
#include "cmd/page_code.h"
#include "cmd/sampling_args.h"
#include "model/measure.h"
#include "render/format.h"
#include "sym/names.h"

struct record_args {
	struct sampling_args sampling;
	bool unit_given;
	enum number_unit unit;
	/* Where the profile goes; none: folded stacks to standard output. */
	struct record_output {
		const char *path; /* NULL: standard output */
		const struct format *format;
	} * outputs;
	size_t n_outputs, cap_outputs;
	const char *format; /* the name of the one for all outputs; NULL: by their suffixes */
	const char *by[12]; /* labels that folded lines begin with, NULL-terminated */
	size_t n_by;
	struct format_opts show; /* as the folded lines are wanted */
	bool no_symbols;
	struct page_code_opts code; /* of pages */
	const char *summary;
	struct buf remarks;  /* of the profile: lines, "key: value" */
	const char *regions; /* a list that is renewed while recording; NULL: not wanted */
	struct names_opts names;
	bool debuginfod;
	struct alarms alarms;      /* --when */
	struct event_list watched; /* for them, of the target */
	uint64_t lookback_ns, lookahead_ns;
	bool around;      /* one of these was given */
	bool passes;      /* run the command once for each set of events that fit together */
	bool handed_over; /* the profile is the caller's, who prints: outputs are files alone */
	struct err *err;
};

/* What isn't said otherwise; before parsing. */
void record_args__init(struct record_args *args, struct err *err);
/* -o, "-" is standard output. */
int record_args__add_output(struct record_args *args, const char *path);
/* Once all options are known: what follows from them, and whether they go together; `subcommand`
 * is for the hint. */
int record_args__settle(struct record_args *args, const char *subcommand);
/* Prints help and usage errors itself (argp) and exits then; else 0 or a negative errno with
 * err. */
int record_args__parse(struct record_args *args, int argc, char **argv, struct err *err);
void record_args__done(struct record_args *args);

#endif
