/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names that were found after samples were sent: the table `names' of a server. */
#ifndef PMUBPF_SHIP_FLEET_NAMES_H
#define PMUBPF_SHIP_FLEET_NAMES_H

#include "base/err.h"
#include "prof/name_book.h"
#include "ship/http_client.h"

/* Asks for names of the book's places. -ENOENT: the server has no such table. */
int fleet_names__get(struct name_book *b, struct http_client *http, uint64_t max_bytes,
		     struct err *err);
/* Inserts those that have one. The same twice does no harm. */
int fleet_names__put(const struct name_book *b, struct http_client *http, struct err *err);

#endif
