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

/* Why a source can't be had, or what is wrong with it. */
#define SOURCE_TROUBLES(X)                                            \
	X(GONE, "not there; --source DIR looks for it in DIR")        \
	X(CONTAINED, "of a container: --source DIR says where it is") \
	X(NO_TEXT, "not a text file")                                 \
	X(LARGE, "too large")                                         \
	X(DENIED, "not for who called to read")                       \
	X(OTHER, "can't be read")                                     \
	X(CHANGED, "changed after the program was built: its lines may be others")

enum source_trouble {
#define X(name, text) SOURCE_##name,
	SOURCE_TROUBLES(X) N_SOURCE_TROUBLES
#undef X
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
	struct {
		const char *first; /* one of the list */
		unsigned n;
	} troubles[N_SOURCE_TROUBLES];
	struct source list[SOURCES_MAX];
	unsigned n;
	uint64_t bytes;
	bool full; /* there were more */
};

/* The line's text, without what ends it; NULL: it isn't known. The caller frees. */
char *sources__line(struct sources *s, const char *path, uint32_t line);
/* Adds a line for each trouble that there was, to be escaped. */
void sources__notes(const struct sources *s, struct buf *out);
void sources__done(struct sources *s);

#endif
