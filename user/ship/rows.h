/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A window's profile as rows of the tables (ship/schema.h), in RowBinary. The same file always
 * becomes the same rows in the same order, so that parts of them can be asked for and sent again.
 * Where only one of many windows is shared, which one is chosen by its hash: it counts for all of
 * these, and the others have a row of windows alone. Pure.
 */
#ifndef PMUBPF_SHIP_ROWS_H
#define PMUBPF_SHIP_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "prof/prof.h"

enum { ROWS_MAX_STACKS = 20000, ROWS_ALARMS = 1 << 15 };

struct rows_window {
	const char *host, *boot;
	uint64_t seq;
};

struct rows_opts {
	size_t max_stacks; /* with the most samples; the rest is [other]. 0: ROWS_MAX_STACKS */
	bool all_labels;   /* of processes, threads, CPUs and addresses, too */
	unsigned one_of;   /* so many windows is shared; 0, 1: all are */
};

/* The hash of host, boot and number: what the tables know the window by. */
uint64_t rows_window__hash(const struct rows_window *window);

struct rows;
struct rows *rows__new(const struct prof *p, const struct rows_window *window,
		       const struct rows_opts *opts); /* p and window are borrowed */
void rows__free(struct rows *r);                      /* NULL is fine */

size_t rows__samples(const struct rows *r);
size_t rows__alarms(const struct rows *r); /* those that its comments tell */
size_t rows__stacks(const struct rows *r);
size_t rows__others(const struct rows *r); /* stacks that are [other] */
uint64_t rows__stack_hash(const struct rows *r, size_t stack);

/* Appends the rows [from, to), as rows of that part. */
void rows__put_samples(const struct rows *r, size_t from, size_t to, uint16_t part,
		       struct buf *out);
void rows__put_stack(const struct rows *r, size_t stack, struct buf *out);
void rows__put_alarms(const struct rows *r, struct buf *out); /* all of them */
void rows__put_window(const struct rows *r, struct buf *out);

/* The question what of it is there, whose rows are a part and how many rows that has: 0 is that of
 * windows, ROWS_ALARMS that of alarms (asked only if there are any: the table may be missing). */
void rows__put_question(const struct rows *r, struct buf *out);

/* Of the part of n rows: part 1 is all, and of part k the halves are 2k and 2k + 1. */
void rows__part(uint16_t part, size_t n, size_t *ret_from, size_t *ret_to);

#endif
