/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --baseline FILE: intervals of before, as `pmubpf stat -I … --json` wrote them, a line each. Only
 * the columns that are asked for are kept.
 */
#ifndef PMUBPF_CMD_STAT_BASELINE_H
#define PMUBPF_CMD_STAT_BASELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Else units of work that ended. */
struct baseline_column {
	const char *name;     /* of an event, or NULL; borrowed */
	const char *relation; /* NULL name: a term of an alarm of that text; borrowed */
	bool is_y;            /* the first of its terms */
	bool user_only;       /* the file's: it was narrowed to user code */
};

struct stat_baseline {
	struct baseline_column *columns; /* set before reading; ours */
	size_t n_columns;
	double *cells; /* [line * n_columns + column], all rows together */
	double *spans; /* seconds, of each line */
	size_t n, cap_cells, cap_spans;
};

/* err has the line and the reason. interval_ns: what these intervals should last, as a rule. */
int stat_baseline__read(struct stat_baseline *baseline, const char *file, uint64_t interval_ns,
			struct err *err);
/* The same of what a file has; text is changed. */
int stat_baseline__parse(struct stat_baseline *baseline, char *text, size_t len, const char *file,
			 struct err *err);
/* The middle one of the spans; 0: there is none. */
double stat_baseline__span(const struct stat_baseline *baseline);
void stat_baseline__done(struct stat_baseline *baseline);

#endif
