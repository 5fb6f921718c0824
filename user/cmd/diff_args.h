/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The command line of `pmubpf diff`, parsed and checked as far as that goes without the files. */
#ifndef PMUBPF_CMD_DIFF_ARGS_H
#define PMUBPF_CMD_DIFF_ARGS_H

#include <stdbool.h>

#include "base/err.h"
#include "cmd/from.h"
#include "prof/pprof_read.h"
#include "prof/select.h"

enum diff_normalize { BY_EVENT, BY_TIME, BY_SAMPLES, BY_FUNCTION, BY_NUMBERS };

/* What one side is, of --from DIR. */
struct diff_side {
	char *text; /* --old, --new; NULL: not given */
	struct from from;
	struct selection of; /* labels: nothing else is of this side */
};

struct diff_args {
	char **files; /* two, or NULL with --from */
	const char *dir, *container;
	struct fleet_from fleet; /* if dir is a URL */
	struct diff_side sides[2];
	struct pprof_limits limits;
	struct selection selection; /* without events */
	const char *event;          /* NULL: the first */
	const char *by;             /* NULL: function */
	bool stacks, total, json, folded, html;
	enum diff_normalize normalize;
	const char *normalize_text, *function;
	double numbers[2];
	int limit;                    /* -1: as the form of output has it */
	double min_share, fail_above; /* percent; a share, or -1 */
	const char *output;
	struct err *err;
};

/* Prints help and usage errors itself (argp) and exits then; else 0 or a negative errno with
 * err. */
int diff_args__parse(struct diff_args *args, int argc, char **argv, struct err *err);
void diff_args__done(struct diff_args *args);

#endif
