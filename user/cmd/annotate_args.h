/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The command line of annotate. */
#ifndef PMUBPF_CMD_ANNOTATE_ARGS_H
#define PMUBPF_CMD_ANNOTATE_ARGS_H

#include <sys/types.h>

#include "base/err.h"
#include "cmd/from.h"
#include "prof/pprof_read.h"
#include "prof/select.h"

struct annotate_args {
	const char *function;
	char **files;
	size_t n_files;
	struct from from;           /* instead of files */
	struct selection selection; /* events and labels */
	const char *file;           /* of which file's function; NULL: of any */
	const char *symbols;        /* where files with code are; NULL: where they were */
	const char *jitdump;        /* that has a JIT's code; NULL: none */
	const char *source;         /* where sources are; NULL: where debug information says */
	bool debuginfod;            /* servers are asked for what has the lines */
	bool all, json;
	bool branches; /* of a process, in place of samples */
	pid_t pid;     /* 0: none */
	uint64_t duration_ns;
	bool budget_given;
	double budget; /* percent of the CPUs' time */
	struct pprof_limits limits;
	struct err *err;
};

int annotate_args__parse(struct annotate_args *args, int argc, char **argv, struct err *err);
void annotate_args__done(struct annotate_args *args);

#endif
