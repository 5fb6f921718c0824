/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A question to ClickHouse. */
#ifndef PMUBPF_SHIP_QUERY_H
#define PMUBPF_SHIP_QUERY_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "ship/http_client.h"

/* The reply is the caller's, also of an error; max_bytes 0: PPROF_MAX_BYTES. */
int query__ask(struct http_client *http, const struct buf *query, uint64_t max_bytes,
	       struct http_reply *ret, struct err *err);

#endif
