/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Files that results are written to, and the words when something fails. */
#ifndef PMUBPF_CMD_OUTPUT_H
#define PMUBPF_CMD_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"

/* A file to write. It is opened before the recording, so that a bad name costs no recording, and
 * emptied only when it is written. */
struct output {
	FILE *file; /* NULL: stdout, or not wanted */
	const char *path;
	bool created; /* by us: a failure before anything is written takes it away again */
};

/* A NULL path opens nothing. */
int output__open(struct output *out, const char *path, struct err *err);
void output__done(struct output *out);
/* Before writing, and after a failed write: a cut-off file could be taken for a whole one. Only a
 * regular file has something to empty. */
void output__empty(struct output *out);
/* Whether it is the suffix of the file's name. */
bool ends_in(const char *path, const char *suffix);
/* r (a negative errno) with the sentence; a NULL path is standard output. */
int write_error(const char *path, int r, struct err *err);

/* Prints the sentence; the exit status that it deserves. */
int complain(const struct err *err);

#endif
