/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The command line of `pmubpf ship`. */
#ifndef PMUBPF_CMD_SHIP_ARGS_H
#define PMUBPF_CMD_SHIP_ARGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct ship_args {
	const char *from, *to, *state, *host, *credentials, *ca, *schema;
	int stacks;      /* 0: the default */
	unsigned one_of; /* windows is sent; 0: all are */
	int timeout_s;
	bool all_labels, once, quiet;
	struct err *err;
};

/* Prints help and usage errors itself (argp) and exits then; else 0 or a negative errno with
 * err. */
int ship_args__parse(struct ship_args *args, int argc, char **argv, struct err *err);

#endif
