/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lines of source files, whose names come from debug information or from a profile: any file may be
 * named there. They are opened with the rights that this process has left (sys/drop.h), only
 * regular files, of a bounded size, as text.
 */
#ifndef PMUBPF_PROF_SOURCES_H
#define PMUBPF_PROF_SOURCES_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/buf.h"

enum {
	SOURCES_MAX = 64,                     /* files */
	SOURCE_BYTES_MAX = 16 * 1024 * 1024,  /* of one */
	SOURCES_BYTES_MAX = 64 * 1024 * 1024, /* of all */
	SOURCE_SUFFIXES_MAX = 64,             /* of a path that are tried in the folder */
};

struct source {
	char *path;      /* as it was asked for */
	char *text;      /* NULL: it can't be had */
	uint32_t *lines; /* where each begins in it */
	uint32_t n_lines;
};

struct sources {
	const char *dir;  /* looked into first, by ever shorter ends of the path; NULL: none */
	bool only_dir;    /* nowhere else */
	bool only_public; /* elsewhere only what everybody may read */
	time_t built;     /* of the program; what has changed since is said to; 0: not known */
	struct buf notes; /* lines: what couldn't be had, and why; to be escaped */
	struct source list[SOURCES_MAX];
	unsigned n;
	uint64_t bytes;
	bool full; /* there were more */
};

/* The line's text, without what ends it; NULL: it isn't known. The caller frees. */
char *sources__line(struct sources *s, const char *path, uint32_t line);
void sources__done(struct sources *s);

#endif
