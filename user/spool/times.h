/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Times and ranges as command lines name them: RFC 3339 ("2026-11-27T18:00:00Z", "…+01:00"), "now",
 * or how long ago ("1h", "90s", "2d"). Pure: now is handed over.
 */
#ifndef PMUBPF_SPOOL_TIMES_H
#define PMUBPF_SPOOL_TIMES_H

#include <stdint.h>

/* Since 1970, ns. INT64_MIN and INT64_MAX: it has no beginning, no end. */
struct time_range {
	int64_t since_ns, until_ns;
};

/* What a time is, for error messages. */
#define TIME_WORDS                                                                        \
	"a time is RFC 3339 (2026-11-27T18:00:00Z), `now', or how long ago, with a unit " \
	"(90s, 15m, 1h, 2d)"

/* -EINVAL: it is none of them. */
int time__parse(const char *text, int64_t now_ns, int64_t *ret_ns);
/* "3h..2h", "1h..now"; a side may be empty. -EINVAL: it isn't one; -ERANGE: it ends before it
 * begins. */
int time_range__parse(const char *text, int64_t now_ns, struct time_range *ret);

enum { TIME_TEXT = 32 };
/* "2026-11-27T18:00:00Z" */
void time__text(int64_t ns, char ret[static TIME_TEXT]);

#endif
