/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The command line of `pmubpf report`, parsed and checked as far as that goes without the files. */
#ifndef PMUBPF_CMD_REPORT_ARGS_H
#define PMUBPF_CMD_REPORT_ARGS_H

#include <stdbool.h>

#include "base/err.h"
#include "cmd/from.h"
#include "cmd/page_code.h"
#include "prof/pprof_read.h"
#include "prof/select.h"
#include "render/format.h"

struct report_args {
	char **files;
	size_t n_files;
	struct from from; /* instead of files */
	struct pprof_limits limits;
	struct selection selection;
	const char *symbols; /* a folder, or NULL */
	struct page_code_opts code;
	const char *by;     /* NULL: function */
	const char *layout; /* a type; NULL: rows are shown */
	bool regions;       /* are shown, instead of rows */
	bool objects;       /* the same */
	enum { BRANCHES_NONE, BRANCHES_TABLE, BRANCHES_BOLT, BRANCHES_AUTOFDO } branches;
	const char *binary; /* of the last two; NULL: the one with most records */
	double factor;      /* of --regions; 0: its default */
	bool tree;
	const char *sort; /* NULL: the first event's self */
	int limit;        /* -1: as the form of output has it */
	double min_share;
	bool confidence, json, csv;
	const struct format *format; /* NULL: a report */
	const char *output;          /* NULL: standard output */
	struct err *err;
};

/* Prints help and usage errors itself (argp) and exits then; else 0 or a negative errno with
 * err. */
int report_args__parse(struct report_args *args, int argc, char **argv, struct err *err);
void report_args__done(struct report_args *args);

#endif
