/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A profile out of rows, as a server sends them (RowBinary): the way back from ship/rows.h. Nothing
 * of it is trusted: a reply is read through a cursor, costs memory in proportion to its bytes, and
 * what doesn't fit together is an error with one sentence. Pure.
 *
 * In this order: windows, comments, layouts, samples (whose stacks are then known by their hashes),
 * stacks, and the end.
 */
#ifndef PMUBPF_SHIP_FILL_H
#define PMUBPF_SHIP_FILL_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "prof/prof.h"

/* What a query has to ask for. */
#define FILL_WINDOWS                                                                               \
	"types,any(default_type),any(period_type),any(period),any(drop_frames),"                   \
	"any(keep_frames),min(start_ns),max(start_ns),max(start_ns+duration_ns),sum(duration_ns)," \
	"count()"
#define FILL_COMMENTS "host,comments" /* of each window */
#define FILL_LAYOUTS "text"
/* stack 0 is [other] */
#define FILL_SAMPLES "host,container,comm,labels,event,stack,sum(samples),sum(weight),sum(time)"
#define FILL_STACKS "hash,functions,frames"

struct fill;
struct fill *fill__new(uint64_t max_bytes); /* of all replies; 0: PPROF_MAX_BYTES */
void fill__free(struct fill *f);            /* NULL is fine */

int fill__windows(struct fill *f, const void *data, size_t len, struct err *err);
int fill__comments(struct fill *f, const void *data, size_t len, struct err *err);
int fill__layouts(struct fill *f, const void *data, size_t len, struct err *err);
/* data is borrowed until the end. */
int fill__samples(struct fill *f, const void *data, size_t len, struct err *err);
int fill__stacks(struct fill *f, const void *data, size_t len, struct err *err);
/* The caller frees *ret. */
int fill__end(struct fill *f, struct prof **ret, struct err *err);

uint64_t fill__n_windows(const struct fill *f);
/* When the first and the last of them began, and when all had ended. */
void fill__times(const struct fill *f, int64_t *ret_first_ns, int64_t *ret_last_ns,
		 int64_t *ret_end_ns);
/* Of the stacks of samples, but [other]; borrowed. */
size_t fill__hashes(const struct fill *f, const uint64_t **ret);
/* Of those, after the end: no row has said what they are. */
size_t fill__missing(const struct fill *f);

#endif
