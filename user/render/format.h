/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kinds of files that a profile is saved as, one line each in format.c. */
#ifndef PMUBPF_RENDER_FORMAT_H
#define PMUBPF_RENDER_FORMAT_H

#include <stdio.h>

#include "base/buf.h"
#include "model/measure.h"
#include "prof/prof.h"
#include "render/room.h"

/* What those that show one number of a sample have to know besides. */
struct format_opts {
	int unit;           /* enum number_unit; -1: time where the event has one, else events */
	unsigned max_depth; /* frames of a line, leaf first; 0: all */
	bool lines;         /* names end in :file.c:42 */
	/* Labels that are the first frames of a line, outermost first; NULL-terminated, may be
	 * NULL. */
	const char *const *by;
	bool inlined; /* calls that were inlined are frames of their own */
	/* For formats that write each stack out: beyond so many bytes (0: any) the rarest stacks
	 * become [other], counted in cut (may be NULL). */
	uint64_t max_bytes;
	struct room_cut *cut;
	const struct buf *code; /* of a page; NULL: none */
};

/*
 * X(id, word for --format, suffixes of file names, title for the help, positive, whole, write), and
 * FIRST of the first. The functions are format.c's.
 */
#define FORMATS(FIRST, X)                                                                        \
	FIRST(FOLDED, "folded", ".folded .txt", "collapsed stacks", false, false, folded__write) \
	X(PPROF, "pprof", ".pb.gz .pprof", "pprof, gzip'd", false, true, write_pprof)            \
	X(HTML, "html", ".html", "a flame graph, one HTML file", false, true, write_html)        \
	X(SPEEDSCOPE, "speedscope", ".json", "speedscope's JSON", true, true, write_speedscope)  \
	X(PERF, "perf", ".perf", "text like perf script's", true, false, perf_text__write)       \
	X(JSONL, "jsonl", ".jsonl", "a line of JSON for each overflow", false, true, packets__write)

enum format_id {
#define X(id, ...) FORMAT_##id,
	FORMATS(X, X) N_FORMATS
#undef X
};

struct format {
	const char *name;
	const char *suffixes; /* separated by spaces */
	const char *title;
	bool positive; /* what is below zero has no place in it, and is left out */
	bool whole; /* it has labels, lines and inlined calls, whatever the others are asked for */
	/* 0, or -errno of the write (-EPIPE: the reader has gone). */
	int (*write)(FILE *file, const struct prof *prof, const struct format_opts *opts);
};

/* NULL if there is none of that name. */
const struct format *format__named(const char *name);
/* By the suffix of a path's last part; NULL if it has none of them. */
const struct format *format__by_suffix(const char *path);
/* Its suffix promises what nothing here writes: a picture, perf's own file. */
bool format__is_of_others(const char *path);
/* By the suffix of a path's last part; folded stacks if it has none of them. */
const struct format *format__of(const char *path);
extern const struct format formats[N_FORMATS];

/* The type of an event's numbers in a unit, or where that has none the nearest. */
size_t prof_event__type(const struct prof_event *event, int unit);
/* The numbers of a sample in that unit, of all events together: what matters more has more. */
int64_t prof_events__weight(const struct prof_event *events, size_t n, const struct prof *p,
			    size_t sample, int unit);

#endif
