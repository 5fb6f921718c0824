/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Files that results are written to, and the words when something fails. */
#ifndef PMUBPF_CMD_OUTPUT_H
#define PMUBPF_CMD_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "sys/beside.h"

/* A file to write. It is opened before the recording, so that a bad name costs no recording, and
 * changed only when it is written. */
struct output {
	FILE *file; /* NULL: stdout, or not wanted */
	const char *path;
	bool created; /* by us: a failure before anything is written takes it away again */
	bool is_new;  /* file is another one than that at path, whose descriptor is old */
	int old;
	struct beside beside;
};

enum {
	OUTPUT_WHOLE = 1,   /* it is written at once: what was there may stay until that is done */
	OUTPUT_PRIVATE = 2, /* a new one is for nobody but the user, under sudo: who called that */
};

/* A NULL path opens nothing. how: OUTPUT_… */
int output__open(struct output *out, const char *path, int how, struct err *err);
void output__done(struct output *out);
/* Before writing, and after a failed write: a cut-off file could be taken for a whole one. Only a
 * regular file has something to empty. */
void output__empty(struct output *out);
/* After writing, which went as r says: the file takes the place of the one that was there, or that
 * stays. 0, or a negative errno with the sentence; that a pipe's reader has seen enough is no
 * error. */
int output__finish(struct output *out, int r, struct err *err);
/* Whether it is the suffix of the file's name. */
bool ends_in(const char *path, const char *suffix);
/* r (a negative errno) with the sentence; a NULL path is standard output. */
int write_error(const char *path, int r, struct err *err);

/* Prints the sentence; the exit status that it deserves. */
int complain(const struct err *err);

#endif
