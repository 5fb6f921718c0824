/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Options of a subcommand in a file: a line each, "name = value" or, of those that take none,
 * "name"; the names are those of the command line without their dashes. '#' begins a comment.
 */
#ifndef PMUBPF_CMD_CONFIG_FILE_H
#define PMUBPF_CMD_CONFIG_FILE_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum { CONFIG_BYTES_MAX = 64 * 1024, CONFIG_LINES_MAX = 1000 };

struct config_line {
	const char *name; /* borrowed from argp's options */
	char *value;      /* NULL: it takes none */
};

struct config_file {
	struct config_line *lines;
	size_t n, cap;
};

/*
 * Reads it: a regular file and no link, root's or the user's own, not writable by others, of at
 * most that size. 0; -ENOENT without a sentence: there is none; or a negative errno with the
 * sentence, which begins with the path and the line.
 */
int config_file__read(struct config_file *ret, const char *path, const struct argp *argp,
		      struct err *err);
/* The same of a text; label is what the sentence begins with. Pure. */
int config_file__parse(struct config_file *ret, const char *text, const char *label,
		       const struct argp *argp, struct err *err);
void config_file__done(struct config_file *f);

/* Whether both have the same values of an option, in the same order. */
bool config_file__same(const struct config_file *a, const struct config_file *b, const char *name);

/* What the command line has as an option's value, the last one; NULL: it isn't there. Borrowed. */
const char *config_words__option(const struct argp *argp, int argc, char **argv, const char *name);

/* argv[0] is the subcommand's name, NULL ends them. */
struct config_words {
	char **words;
	size_t n;
};
/* The lines of the file, then argv's own words. Of an option that argv has, no line of the file
 * counts; nor of those that belong to it (`with`: pairs of names, the second belongs to the first,
 * NULL ends them). The caller frees with its done. */
void config_words__make(struct config_words *ret, const struct config_file *file,
			const struct argp *argp, int argc, char **argv,
			const char *const (*with)[2]);
void config_words__done(struct config_words *w);

#endif
