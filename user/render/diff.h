/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A comparison of two profiles: text, JSON, and folded stacks with two numbers. */
#ifndef PMUBPF_RENDER_DIFF_H
#define PMUBPF_RENDER_DIFF_H

#include "base/buf.h"
#include "prof/compare.h"

struct diff {
	char *const *command_line; /* behind "pmubpf diff" */
	char *const *files;        /* two */
	const struct comparison *comparison;
	const char *event, *unit;
	const char *normalized; /* by what */
	const struct compare_side *before, *after;
	double whole_before; /* of the event, for shares */
	const struct prof *whole[2];
	bool stacks;
	size_t limit;       /* 0: all */
	double min_share;   /* of rows on either side, in percent of the whole */
	uint64_t max_bytes; /* rows stop before that; 0: any */
	size_t *n_cut;      /* gets how many did not fit, if any; NULL: none may be cut */
	double fail_above;  /* negative: not asked for */
};

void diff__text(const struct diff *diff, struct buf *out);
void diff__json(const struct diff *diff, struct buf *out);
/* "stack before after", the latter scaled: what red and blue flame graphs are made of. Of stacks
 * only. */
void diff__folded(const struct diff *diff, struct buf *out);

/* Whether something significant has grown by more than that. */
bool diff__has_grown(const struct diff *diff);

#endif
