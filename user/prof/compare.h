/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two profiles, row by row: how much each has of something, and how sure it is that the difference
 * is not chance. What both are measured against, their total, is the caller's choice.
 */
#ifndef PMUBPF_PROF_COMPARE_H
#define PMUBPF_PROF_COMPARE_H

#include "prof/group.h"
#include "prof/prof.h"

struct compare_side {
	const struct prof *prof;
	size_t type;    /* what is compared */
	size_t samples; /* the type that counts them, or PROF_NO_TYPE */
	double total;   /* > 0, in any unit that both sides share */
	double weight;  /* of one sample in units of type, on average; 0: not known */
};

struct compare_row {
	uint32_t text, module; /* comparison__text() */
	double before, after;  /* values as they are, */
	double scaled;         /* and `after` as if it had the other total */
	double n_before, n_after;
	double p; /* how likely chance makes such a difference; NaN: nobody counted samples */
	bool significant; /* p times the number of rows is below 0.05 */
};

struct comparison {
	struct intern texts;
	struct compare_row *rows; /* the most significant ones first */
	size_t n, cap;
	bool has_samples;
};

struct compare_opts {
	const struct prof_key *keys;
	size_t n_keys;
	bool total;  /* not self */
	bool stacks; /* a row for each stack of names, and not for keys */
};

struct comparison *comparison__new(const struct compare_side *before,
				   const struct compare_side *after,
				   const struct compare_opts *opts);
struct comparison *comparison__free(struct comparison *c); /* NULL is fine; returns NULL */
/* That of a stack has its frames in lines; a line feed within a name is COMPARE_LINE_FEED there. */
#define COMPARE_LINE_FEED '\v'
const char *comparison__text(const struct comparison *c, uint32_t text);

/* Relative growth: 0.05 for 5 %; infinite for what is new. */
double compare_row__growth(const struct compare_row *row);

#endif
