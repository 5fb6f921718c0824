/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Files that results are written to, and the words when something fails. */
#ifndef PMUBPF_CMD_OUTPUT_H
#define PMUBPF_CMD_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/err.h"
#include "sys/beside.h"

/* A file to write. It is opened before the recording, so that a bad name costs no recording, and
 * changed only when it is written. */
struct output {
	FILE *file; /* NULL: stdout, or not wanted */
	const char *path;
	bool created; /* by us: it is taken away again if it doesn't become whole */
	bool is_new;  /* file is another one than that at path, whose descriptor is old */
	int old;
	off_t whole; /* so much of it is: what was finished before, if more is written then */
	struct beside beside;
};

enum {
	OUTPUT_WHOLE = 1,   /* what was there stays until it is finished (for the first time) */
	OUTPUT_PRIVATE = 2, /* a new one is for nobody but the user, under sudo: who called that */
};

/* A NULL path opens nothing. how: OUTPUT_… */
int output__open(struct output *out, const char *path, int how, struct err *err);
/* Where that is written to: whether it was closed, before there is something to lose. */
int output__check_stdout(struct err *err);
void output__done(struct output *out);
/* Before writing. Only a regular file has something to empty. */
void output__empty(struct output *out);
/* Whether it is a regular file, standard output among them. */
bool output__is_regular(const struct output *out);
/* After writing, which went as r says: the file takes the place of the one that was there, or that
 * stays; a new one that isn't whole goes, for it could be taken for a whole one. More may be
 * written then, and finished; if that fails, what was whole before stays. 0, or a negative errno
 * with the sentence; that a pipe's reader has seen enough is no error. */
int output__finish(struct output *out, int r, struct err *err);
/* Whether it is the suffix of the file's name. */
bool ends_in(const char *path, const char *suffix);
/* r (a negative errno) with the sentence; a NULL path is standard output. */
int write_error(const char *path, int r, struct err *err);

/* Prints the sentence; the exit status that it deserves. */
int complain(const struct err *err);

#endif
