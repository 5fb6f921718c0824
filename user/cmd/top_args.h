/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The command line of `pmubpf top`, parsed and checked as far as that goes without the kernel. */
#ifndef PMUBPF_CMD_TOP_ARGS_H
#define PMUBPF_CMD_TOP_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/sampling_args.h"

struct top_args {
	struct sampling_args sampling;
	uint64_t interval_ns; /* of a part */
	int n_parts;          /* 0: any number */
	const char *by, *sort;
	const char *focus; /* NULL: all samples */
	int limit;         /* rows within each row; 0: all; -1: not given */
	bool batch, json;
	bool inlined, lines; /* as names are wanted */
	struct err *err;
};

/* As record_args__parse. */
int top_args__parse(struct top_args *args, int argc, char **argv, struct err *err);
void top_args__done(struct top_args *args);

#endif
