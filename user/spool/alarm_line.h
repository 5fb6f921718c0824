/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An alarm as a comment of the window in which it was:
 *
 *	alarm: 2026-11-28T21:40:03.123Z raised 'Y ~ X': 51.2 % above what was usual since
 *		2026-11-28T21:39:59.123Z, 2400 where 1587.4 were expected
 *	(on one line)
 *
 * The relation is escaped: it has no control characters. Pure.
 */
#ifndef PMUBPF_SPOOL_ALARM_LINE_H
#define PMUBPF_SPOOL_ALARM_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

enum alarm_word {
	ALARM_WORD_RAISED,
	ALARM_WORD_OVER,  /* it is as usual again */
	ALARM_WORD_USUAL, /* it has stayed so long that this is what is usual from here on */
	ALARM_WORDS
};

extern const char *const alarm_words[ALARM_WORDS];

struct alarm_line {
	int64_t at_ns, since_ns; /* since 1970 */
	enum alarm_word word;
	const char *relation; /* borrowed */
	double percent;       /* above what was expected, or below; may be infinite */
	double observed, expected;
};

void alarm_line__put(const struct alarm_line *line, struct buf *out);
/* False: it is none. *ret_relation is the caller's, and what ret points to. */
bool alarm_line__parse(const char *text, struct alarm_line *ret, char **ret_relation);

#endif
