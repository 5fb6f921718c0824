/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names that were found for places of files after their samples were sent (prof/name_book.h), as
 * rows of the table `names', in RowBinary. Replies are as little trusted as others (ship/fill.h).
 * Pure.
 */
#ifndef PMUBPF_SHIP_NAME_ROWS_H
#define PMUBPF_SHIP_NAME_ROWS_H

#include "base/buf.h"
#include "base/err.h"
#include "prof/name_book.h"

/* Appends a row of place i, which has a name; day: since 1970. */
void name_rows__put(const struct name_book *b, size_t i, uint16_t day, struct buf *out);

/* What a query has to ask for. */
#define NAME_ROWS_COLUMNS "build_id,offset,functions,frames"
/* Names of the book's places, as they were put. */
int name_rows__take(struct name_book *b, const void *data, size_t len, struct err *err);
/* Texts of frames (ship/frame_text.h): of those that have no name the book wants one. *ret_n: how
 * many texts. */
int name_rows__want(struct name_book *b, const void *data, size_t len, size_t *ret_n,
		    struct err *err);

#endif
