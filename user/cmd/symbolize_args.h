/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The command line of `pmubpf symbolize`. */
#ifndef PMUBPF_CMD_SYMBOLIZE_ARGS_H
#define PMUBPF_CMD_SYMBOLIZE_ARGS_H

#include <stdbool.h>

#include "cmd/from.h"

struct symbolize_args {
	struct from from;
	struct pprof_limits limits;
	const char **dirs; /* of files */
	size_t n_dirs, cap_dirs;
	bool debuginfod, quiet;
	struct err *err;
};

/* As record_args__parse. */
int symbolize_args__parse(struct symbolize_args *args, int argc, char **argv, struct err *err);
void symbolize_args__done(struct symbolize_args *args);

#endif
