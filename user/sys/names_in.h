/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The names in a folder. Not by glob(): glibc's frees twice what it has found when memory is short.
 */
#ifndef PMUBPF_SYS_NAMES_IN_H
#define PMUBPF_SYS_NAMES_IN_H

#include <stddef.h>

struct names_in {
	char **list; /* ours */
	size_t n;
};

/* Those that begin so, as strcmp() sorts them; none of a folder that can't be read. root: before
 * its path. */
void names_in__read(struct names_in *ret, const char *root, const char *folder, const char *prefix);
void names_in__done(struct names_in *names);

#endif
