/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The command line of advise. */
#ifndef PMUBPF_CMD_ADVISE_ARGS_H
#define PMUBPF_CMD_ADVISE_ARGS_H

#include "base/err.h"
#include "cmd/from.h"
#include "cmd/record_args.h"
#include "prof/pprof_read.h"
#include "prof/select.h"

struct advise_args {
	char **files;
	size_t n_files, cap_files;
	struct from from;           /* instead of files */
	struct selection selection; /* labels, and of `from` the containers */
	bool all, json;
	bool records; /* neither files nor windows, but a target */
	struct record_args record;
	struct pprof_limits limits;
	struct err *err;
};

int advise_args__parse(struct advise_args *args, int argc, char **argv, struct err *err);
void advise_args__done(struct advise_args *args);

#endif
