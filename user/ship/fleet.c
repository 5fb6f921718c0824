// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is that hosts go on sending. What is counted is what the windows say that were
 * there in one moment: their hashes are asked for once, inside of the query that adds up, and what
 * is beyond the N largest stacks is [other] in that same query. So sums are exact.
 */
#include "ship/fleet.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/cursor.h"
#include "base/mem.h"
#include "ship/fill.h"
#include "ship/fleet_names.h"
#include "ship/name_rows.h"
#include "ship/query.h"
#include "ship/schema.h"

enum {
	NS_PER_S = 1000000000,
	DAY_S = 86400, /* a window is shorter */
	PLACES_MAX = 1000000,
	HASHES_MAX = 8000, /* of one query: 256 kB is the most that servers take */
};

struct load {
	struct http_client *http;
	const struct fleet_ask *ask;
	struct fill *fill;
	struct buf where; /* of windows */
	struct http_reply samples;
};

static void load__done(struct load *l)
{
	fill__free(l->fill);
	buf__done(&l->where);
	http_reply__done(&l->samples);
}

static int ask(struct load *l, const struct buf *query, struct http_reply *ret, struct err *err)
{
	return query__ask(l->http, query, l->ask->max_bytes, ret, err);
}

/* ---------------------------------------------------------------- queries */

/* Times are compared in nanoseconds, and once more in whole seconds: for the partitions. */
static void put_where(struct load *l)
{
	const struct fleet_ask *a = l->ask;
	int64_t since = a->since_ns > 0 ? a->since_ns : 0;

	buf__printf(&l->where,
		    "start_ns+duration_ns>%" PRId64 " AND start>=toDateTime(%" PRId64 ")", since,
		    since / NS_PER_S > DAY_S ? since / NS_PER_S - DAY_S : 0);
	if (a->until_ns < INT64_MAX)
		buf__printf(&l->where,
			    " AND start_ns<%" PRId64 " AND start<=toDateTime(%" PRId64 ")",
			    a->until_ns, a->until_ns / NS_PER_S);
	if (a->host) {
		buf__puts(&l->where, " AND host=");
		sql__put_text(&l->where, a->host);
	}
}

static void put_label(const struct fleet_ask *a, const char *key, struct buf *out)
{
	unsigned n = 0;

	for (size_t i = 0; i < a->n_labels; i++) {
		if (strcmp(a->labels[i].key, key) != 0)
			continue;
		if (n++)
			buf__putc(out, ',');
		else
			buf__printf(out, " AND %s IN (", key);
		sql__put_text(out, a->labels[i].value);
	}
	if (n)
		buf__putc(out, ')');
}

/* Of each that has a column any of its values. */
static void put_labels(const struct fleet_ask *a, struct buf *out)
{
	put_label(a, "host", out);
	for (const char *const *key = schema_labels; *key; key++)
		put_label(a, *key, out);
}

/* Of samples: those of these windows; the times are those of the first and the last. */
static void put_of_windows(struct load *l, struct buf *out)
{
	int64_t first, last, end;

	fill__times(l->fill, &first, &last, &end);
	buf__printf(out,
		    "start>=toDateTime(%" PRId64 ") AND start<=toDateTime(%" PRId64
		    ") AND window GLOBAL IN (SELECT window FROM windows WHERE %s)",
		    first / NS_PER_S, last / NS_PER_S, l->where.data);
	if (l->ask->host) {
		buf__puts(out, " AND host=");
		sql__put_text(out, l->ask->host);
	}
}

static void put_samples_where(struct load *l, struct buf *out)
{
	put_of_windows(l, out);
	put_labels(l->ask, out);
}

static int ask_windows(struct load *l, struct err *err)
{
	_cleanup_(http_reply__done) struct http_reply reply = {0};
	_cleanup_(buf__done) struct buf query = {0};
	int r;

	buf__printf(&query,
		    "SELECT " FILL_WINDOWS
		    " FROM (SELECT * FROM windows WHERE %s ORDER BY start,window LIMIT 1 BY window)"
		    " GROUP BY types ORDER BY count() DESC,types LIMIT 64 FORMAT RowBinary",
		    l->where.data);
	r = ask(l, &query, &reply, err);
	if (r == 0)
		r = fill__windows(l->fill, reply.data, reply.len, err);
	if (r == 0 && !fill__n_windows(l->fill))
		return err__set(err, -ENODATA, "the server has no window of that time%s",
				l->ask->host ? " and host" : "");
	return r;
}

/* Of how many windows it has another number of rows than were sent: of a replica that lags behind
 * the last ones may be on their way; those of the oldest are removed before their windows are. */
static int ask_torn(struct load *l, struct fleet_news *ret, struct err *err)
{
	_cleanup_(http_reply__done) struct http_reply reply = {0};
	_cleanup_(buf__done) struct buf query = {0};
	struct cursor c;
	int r;

	buf__printf(&query,
		    "SELECT countIf(NOT old),countIf(old) FROM (SELECT window,rows,"
		    "start<now()-%d AS old FROM windows WHERE %s LIMIT 1 BY window) "
		    "ANY LEFT JOIN (SELECT window,count() AS n FROM samples WHERE ",
		    SCHEMA_SAMPLES_DAYS * DAY_S, l->where.data);
	put_of_windows(l, &query);
	buf__puts(&query, " GROUP BY window) USING window WHERE n!=rows FORMAT RowBinary");
	r = ask(l, &query, &reply, err);
	if (r < 0)
		return r;
	c = cursor__over(reply.data, reply.len);
	ret->torn = cursor__u64(&c);
	ret->outlived = cursor__u64(&c);
	return cursor__done(&c) ?
		       0 :
		       err__set(err, -EBADMSG, "the server's answer doesn't fit together");
}

/* The newest first, as files are read. */
static int ask_comments(struct load *l, struct err *err)
{
	_cleanup_(http_reply__done) struct http_reply reply = {0};
	_cleanup_(buf__done) struct buf query = {0};
	int r;

	if (fill__n_windows(l->fill) > FLEET_REMARKS)
		return 0;
	buf__printf(&query,
		    "SELECT " FILL_COMMENTS " FROM (SELECT start_ns,host,boot,seq,comments "
		    "FROM windows WHERE %s ORDER BY window LIMIT 1 BY window) "
		    "ORDER BY start_ns DESC,host,boot,seq DESC FORMAT RowBinary",
		    l->where.data);
	r = ask(l, &query, &reply, err);
	return r < 0 ? r : fill__comments(l->fill, reply.data, reply.len, err);
}

/* In the order in which windows have them first. */
static int ask_layouts(struct load *l, struct err *err)
{
	_cleanup_(http_reply__done) struct http_reply reply = {0};
	_cleanup_(buf__done) struct buf query = {0};
	int r;

	buf__printf(&query,
		    "SELECT " FILL_LAYOUTS " FROM (SELECT text,min(start_ns) AS a,min(place) AS b "
		    "FROM windows ARRAY JOIN layouts AS text,arrayEnumerate(layouts) AS place "
		    "WHERE %s GROUP BY text) ORDER BY a,b,text LIMIT %d FORMAT RowBinary",
		    l->where.data, PROF_MAX_COMMENTS);
	r = ask(l, &query, &reply, err);
	return r < 0 ? r : fill__layouts(l->fill, reply.data, reply.len, err);
}

static bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (; *list; list += *list == ',') {
		size_t n = strcspn(list, ",");

		if (n == len && strncmp(list, word, n) == 0)
			return true;
		list += n;
	}
	return false;
}

/* What samples were picked out by is looked at again. */
static bool is_told_apart(const struct fleet_ask *a, const char *column)
{
	bool is_picked = false;

	for (size_t i = 0; i < a->n_labels; i++)
		is_picked |= strcmp(a->labels[i].key, column) == 0;
	return !a->apart || is_picked || has_word(a->apart, column);
}

static void put_column(const struct fleet_ask *a, const char *column, struct buf *columns,
		       struct buf *real)
{
	bool is_real = is_told_apart(a, column);

	buf__printf(columns, "%s,", is_real ? column : "''");
	if (is_real)
		buf__printf(real, "%s,", column);
}

/* What a reply has, nothing in place of what isn't told apart; and what is. */
static void put_columns(const struct fleet_ask *a, struct buf *columns, struct buf *real)
{
	put_column(a, "host", columns, real);
	for (const char *const *label = schema_labels; *label; label++)
		put_column(a, *label, columns, real);
	buf__puts(columns, a->apart ? "emptyArrayString()," : "labels,");
	buf__puts(columns, "event");
	buf__puts(real, a->apart ? "event" : "labels,event");
}

static int ask_samples(struct load *l, struct err *err)
{
	_cleanup_(buf__done) struct buf query = {0};
	_cleanup_(buf__done) struct buf where = {0};
	_cleanup_(buf__done) struct buf columns = {0};
	_cleanup_(buf__done) struct buf real = {0};
	int r;

	put_samples_where(l, &where);
	put_columns(l->ask, &columns, &real);
	buf__printf(&query,
		    "SELECT %s,s,sum(samples),sum(weight),sum(time) FROM (SELECT %s,"
		    "if(stack GLOBAL IN (SELECT stack FROM samples WHERE %s "
		    "GROUP BY stack ORDER BY sum(samples) DESC,stack LIMIT %zu),stack,toUInt64(0)) "
		    "AS s,samples,weight,time FROM samples WHERE %s) "
		    "GROUP BY %s,s ORDER BY s,%s FORMAT RowBinary",
		    columns.data, real.data, where.data,
		    l->ask->stacks ? l->ask->stacks : FLEET_STACKS, where.data, real.data,
		    real.data);
	r = ask(l, &query, &l->samples, err);
	return r < 0 ? r : fill__samples(l->fill, l->samples.data, l->samples.len, err);
}

static int ask_stacks(struct load *l, const uint64_t *hashes, size_t n, struct err *err)
{
	_cleanup_(http_reply__done) struct http_reply reply = {0};
	_cleanup_(buf__done) struct buf query = {0};
	int r;

	buf__puts(&query, "SELECT " FILL_STACKS " FROM stacks WHERE hash IN (");
	for (size_t i = 0; i < n; i++)
		buf__printf(&query, "%s%" PRIu64, i ? "," : "", hashes[i]);
	buf__puts(&query, ") LIMIT 1 BY hash FORMAT RowBinary");
	r = ask(l, &query, &reply, err);
	return r < 0 ? r : fill__stacks(l->fill, reply.data, reply.len, err);
}

static int ask_all_stacks(struct load *l, struct err *err)
{
	const uint64_t *hashes;
	size_t n = fill__hashes(l->fill, &hashes);
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i += HASHES_MAX)
		r = ask_stacks(l, hashes + i, n - i < HASHES_MAX ? n - i : HASHES_MAX, err);
	return r;
}

/* Those that the server was given since; one without the table has none. */
static int name_missing(struct load *l, struct prof **p, struct err *err)
{
	struct name_book *b = name_book__new();
	struct err why = {0};
	int r;

	name_book__want_all(b, *p);
	r = fleet_names__get(b, l->http, l->ask->max_bytes, &why);
	if (r == -ENOENT)
		r = 0;
	else if (r < 0)
		*err = why;
	else
		name_book__apply(b, p);
	name_book__free(b);
	return r;
}

int fleet__unnamed(struct name_book *b, struct http_client *http, const struct fleet_ask *what,
		   bool *ret_all, struct err *err)
{
	_cleanup_(load__done) struct load l = {.http = http, .ask = what};
	_cleanup_(http_reply__done) struct http_reply reply = {0};
	_cleanup_(buf__done) struct buf query = {0};
	size_t n;
	int r;

	l.fill = fill__new(what->max_bytes);
	put_where(&l);
	r = ask_windows(&l, err);
	if (r < 0)
		return r;
	buf__puts(&query, "SELECT DISTINCT f FROM (SELECT arrayJoin(arrayFilter(x -> "
			  "substring(x,1,1)='?',frames)) AS f FROM stacks WHERE hash GLOBAL IN "
			  "(SELECT DISTINCT stack FROM samples WHERE ");
	put_samples_where(&l, &query);
	buf__printf(&query, ")) LIMIT %d FORMAT RowBinary", PLACES_MAX);
	r = ask(&l, &query, &reply, err);
	if (r == 0)
		r = name_rows__want(b, reply.data, reply.len, &n, err);
	if (r == 0)
		*ret_all = n < PLACES_MAX;
	return r;
}

int fleet__load(struct prof **ret, struct http_client *http, const struct fleet_ask *what,
		struct fleet_news *news, struct err *err)
{
	_cleanup_(load__done) struct load l = {.http = http, .ask = what};
	struct fleet_news rows = {0};
	int64_t last_ns;
	int r;

	l.fill = fill__new(what->max_bytes);
	put_where(&l);
	r = ask_windows(&l, err);
	if (r == 0)
		r = ask_torn(&l, &rows, err);
	if (r == 0)
		r = ask_comments(&l, err);
	if (r == 0)
		r = ask_layouts(&l, err);
	if (r == 0)
		r = ask_samples(&l, err);
	if (r == 0)
		r = ask_all_stacks(&l, err);
	if (r == 0)
		r = fill__end(l.fill, ret, err);
	if (r < 0)
		return r;
	r = name_missing(&l, ret, err);
	if (r < 0) {
		*ret = prof__free(*ret);
		return r;
	}
	*news = (struct fleet_news){
		.windows = fill__n_windows(l.fill),
		.torn = rows.torn,
		.outlived = rows.outlived,
		.missing = fill__missing(l.fill),
		.without_remarks = fill__n_windows(l.fill) > FLEET_REMARKS,
	};
	fill__times(l.fill, &news->first_ns, &last_ns, &news->end_ns);
	return 0;
}
