// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/options.h"

#include <stdio.h>

#include "base/err.h"

int options__parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input)
{
	static char name[32]; /* argp's messages begin with it */

	snprintf(name, sizeof(name), "pmubpf %s", argv[0]);
	argv[0] = name;
	argp_err_exit_status = EXIT_USAGE;
	return -argp_parse(argp, argc, argv, flags, NULL, input);
}
