/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef PMUBPF_CMD_OPTIONS_H
#define PMUBPF_CMD_OPTIONS_H

#include <argp.h>
#include <stdint.h>

#include "base/err.h"

/* Parses the words of a subcommand (argv[0] is its name). Prints help and usage errors itself and
 * exits then; else 0 or the parser's negative errno. */
int options__parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input);

enum { DEFAULT_BUDGET = 1 /* percent of the CPUs' time */ };
/* The text of --budget. */
int parse_budget(double *ret, const char *text, struct err *err);
/* That of -d. */
int parse_duration(uint64_t *ret_ns, const char *text, struct err *err);

#endif
