// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Names stand beside the stacks and not in their rows: a host that meets such a stack again sends
 * it again, without a name, and of two rows of one stack a server keeps either.
 */
#include "ship/fleet_names.h"

#include <errno.h>
#include <inttypes.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "ship/answer.h"
#include "ship/name_rows.h"
#include "ship/query.h"
#include "ship/schema.h"
#include "sys/clock.h"

enum {
	PLACES = 2000,        /* of one query: 256 kB is the most that servers take */
	ROWS_BYTES = 1 << 20, /* of one insert, before it is compressed */
	INSERT_MS = 60000,
	REPLY_BYTES = 1 << 20, /* of an insert */
};
#define DAY_NS 86400000000000ULL

static int get_some(struct name_book *b, size_t from, size_t to, struct http_client *http,
		    uint64_t max_bytes, struct err *err)
{
	_cleanup_(http_reply__done) struct http_reply reply = {0};
	_cleanup_(buf__done) struct buf query = {0};
	int r;

	buf__puts(&query, "SELECT " NAME_ROWS_COLUMNS " FROM names WHERE (build_id,offset) IN (");
	for (size_t i = from; i < to; i++) {
		struct name_place place;

		name_book__get(b, i, &place);
		buf__puts(&query, i > from ? ",(" : "(");
		sql__put_text(&query, place.build_id);
		buf__printf(&query, ",%" PRIu64 ")", place.offset);
	}
	buf__puts(&query, ") ORDER BY build_id,offset,added DESC LIMIT 1 BY build_id,offset "
			  "FORMAT RowBinary");
	r = query__ask(http, &query, max_bytes, &reply, err);
	if (r < 0)
		return answer__no_table(&reply) ? -ENOENT : r;
	return name_rows__take(b, reply.data, reply.len, err);
}

int fleet_names__get(struct name_book *b, struct http_client *http, uint64_t max_bytes,
		     struct err *err)
{
	size_t n = name_book__n(b);
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i += PLACES)
		r = get_some(b, i, n - i < PLACES ? n : i + PLACES, http, max_bytes, err);
	return r;
}

static int insert(const struct buf *rows, struct http_client *http, struct err *err)
{
	const struct http_request request = {
		.query = "INSERT INTO names (" SCHEMA_NAMES ") FORMAT RowBinary",
		.extra = "&insert_distributed_sync=1",
		.body = rows->data,
		.len = rows->len,
		.gzip = true,
		.max_bytes = REPLY_BYTES,
		.ms = INSERT_MS,
	};
	_cleanup_(http_reply__done) struct http_reply reply = {0};

	http_client__post(http, &request, &reply);
	return answer__check(&reply, err);
}

int fleet_names__put(const struct name_book *b, struct http_client *http, struct err *err)
{
	const struct prof *p = name_book__prof(b);
	uint16_t day = (uint16_t)(clock_ns(CLOCK_REALTIME) / DAY_NS);
	_cleanup_(buf__done) struct buf rows = {0};
	size_t n = name_book__n(b);
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++) {
		struct name_place place;

		name_book__get(b, i, &place);
		if (p->locations[place.location].n_lines)
			name_rows__put(b, i, day, &rows);
		if (rows.len > ROWS_BYTES || (i + 1 == n && rows.len)) {
			r = insert(&rows, http, err);
			buf__clear(&rows);
		}
	}
	return r;
}
