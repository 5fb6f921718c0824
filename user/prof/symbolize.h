/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names for the addresses of a saved profile, from files that are elsewhere now. */
#ifndef PMUBPF_PROF_SYMBOLIZE_H
#define PMUBPF_PROF_SYMBOLIZE_H

#include <stdbool.h>

#include "base/err.h"
#include "prof/name_book.h"
#include "prof/prof.h"
#include "sym/sym.h"

/* Mappings that have addresses without names. */
struct symbolized {
	size_t mappings, found; /* how many there are, and of how many there was a file */
	size_t locations, named;
};

/* Where files may be. */
struct symbol_files {
	/* Programs, or debug files of those that are found: DIR/.build-id/xx/yyyy.debug,
	 * DIR/xx/yyyy.debug, DIR/NAME as the mapping's, or any right in DIR. */
	const char *const *dirs;
	size_t n_dirs;
	bool here;                  /* where the mapping had them, if the build-id is theirs */
	struct debuginfod *servers; /* asked last, by build-id; NULL: nobody is */
};

/*
 * Replaces *p. A file must have the build-id if the mapping says one. The helper reads it. Places
 * that have names keep them. Files that most places are in come first.
 */
int prof__symbolize(struct prof **p, const struct symbol_files *where, struct sym *sym,
		    struct symbolized *ret, struct err *err);

/* The same of all places of a book. */
int name_book__find(struct name_book *b, const struct symbol_files *where, struct sym *sym,
		    struct symbolized *ret, struct err *err);

#endif
