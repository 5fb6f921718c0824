/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --from DIR: what an agent's folder of windows (pmubpf-agent(1)) has of a range of time, added
 * up; --from URL: the same of a server (pmubpf-ship(1)): of ClickHouse, or of S3. */
#ifndef PMUBPF_CMD_FROM_H
#define PMUBPF_CMD_FROM_H

#include "base/buf.h"
#include "base/err.h"
#include "cmd/fleet_load.h"
#include "prof/pprof_read.h"
#include "spool/times.h"
#include "spool/window_name.h"

struct from {
	const char *dir; /* or a URL; NULL: not given; borrowed */
	const char *since, *until;
	const char *whose; /* "old: ", in what is said of it; NULL: nobody's */
	int64_t now_ns;    /* what ranges are counted from */
	struct time_range range;
	struct fleet_from fleet; /* of a URL */
	/* What from__load found, but from ClickHouse: from its first window to its last; NULL:
	 * nobody asks. */
	struct time_range *ret_covered;
};

enum { FROM_WHERE = 540, FROM_SINCE, FROM_UNTIL };

/* Of an array of struct argp_option. */
#define FROM_OPTIONS                                                                               \
	FLEET_OPTION(FROM_WHERE, "from", "DIR|URL",                                                \
		     "Those of an agent's folder, or of a server "                                 \
		     "(clickhouse+http://HOST[:PORT]/DATABASE, "                                   \
		     "s3+http://HOST[:PORT]/BUCKET[/PREFIX]), instead of FILE…: all that "       \
		     "overlap the range are added up"),                                            \
		FLEET_OPTION(FROM_SINCE, "since", "TIME",                                          \
			     "From then on: 1h (ago), now, or 2026-11-27T18:00:00Z (default: the " \
			     "first)"),                                                            \
		FLEET_OPTION(FROM_UNTIL, "until", "TIME", "Up to then (default: the last)"),       \
		FLEET_OPTIONS

/* One of them; ARGP_ERR_UNKNOWN: it is none. */
int from__option(struct from *from, int key, const char *arg);
/* The same again, with times that don't move, for a command line: each one word of a shell. */
void from__put_words(const struct from *from, struct buf *out);
/* --since and --until to a range. */
int from__settle(struct from *from, struct err *err);
/* The same of a range as one text, of that option. */
int from__settle_range(struct from *from, const char *option, const char *text, struct err *err);
/*
 * All windows that overlap the range, whole. What can't be read is named on standard error and
 * passed over, and so are gaps in what they cover. An empty range is an error. *ret_title says what
 * it is: "/var/lib/pmubpf: 60 windows, 2026-11-27T17:30:00Z to …"; the caller frees both.
 */
int from__load(struct prof **ret, char **ret_title, const struct from *from,
	       const struct pprof_limits *limits, struct err *err);

/* *p may be taken, and NULL be put in its place. Below 0: no more is asked for. */
typedef int from_window_fn(void *ctx, const struct window_id *id, struct prof **p, struct err *err);
/*
 * Each window of a folder that overlaps the range, the newest first; what can't be read is passed
 * over. Their number, or a negative errno: that of fn, or one as above.
 */
int from__each_window(const struct from *from, const struct pprof_limits *limits,
		      from_window_fn *fn, void *ctx, struct err *err);

#endif
