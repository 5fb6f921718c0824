// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "ship/query.h"

#include "prof/pprof_read.h"
#include "ship/answer.h"

enum { QUERY_MS = 120000 };

int query__ask(struct http_client *http, const struct buf *query, uint64_t max_bytes,
	       struct http_reply *ret, struct err *err)
{
	const struct http_request request = {
		.body = query->data,
		.len = query->len,
		.max_bytes = max_bytes ? max_bytes : PPROF_MAX_BYTES,
		.ms = QUERY_MS,
	};

	http_client__post(http, &request, ret);
	return answer__check(ret, err);
}
