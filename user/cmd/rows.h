/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the subcommands that show rows of a profile have in common. */
#ifndef PMUBPF_CMD_ROWS_H
#define PMUBPF_CMD_ROWS_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "prof/group.h"

/* --sort: "self", "total", "EVENT", "EVENT:total", or the word of one of opts' keys; NULL: the
 * first event's self, of a tree its total. Sets the type and whether it is the total, or the
 * level. */
int rows__sort_by(struct group_opts *opts, const char *text, bool tree, const struct prof *p,
		  struct err *err);
/* Columns of the terminal that it is, or of standard output as COLUMNS says; 0: any number. */
unsigned terminal_width(FILE *file);

#endif
