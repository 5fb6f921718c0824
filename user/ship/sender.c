// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is an answer that never came. The question whether the rows are there has the
 * insert's query_id: a server that still runs the insert refuses it, so what it says is final. And
 * an insert of one part of a window is one block in one partition, which is there as a whole or not
 * at all; gzip's end keeps a body that was cut from being taken for a shorter one.
 */
#include "ship/sender.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/cursor.h"
#include "base/mem.h"
#include "prof/pprof_read.h"
#include "ship/answer.h"
#include "ship/binary.h"
#include "ship/pause.h"
#include "ship/pushed.h"
#include "ship/s3.h"
#include "ship/schema.h"
#include "ship/url.h"
#include "spool/window_name.h"

enum {
	ASK_BYTES_MAX = 1 << 20,
	STACKS_BYTES = 8 << 20, /* of one insert */
	PART_ROWS_MAX = 500000, /* of one insert: servers make one block of a million */
	PARTS_MAX = ROWS_ALARMS,
	KNOWN_MAX = 200000, /* stacks that needn't be sent again on the same day */
	WAIT_MAX_S = 600,   /* that a server may ask for */
	TOKENS_SINCE = 22,  /* major version that knows insert_deduplication_token */
};

struct sender {
	struct http_client *http;
	struct sender_opts opts;
	struct ship_state state;
	struct sender_news news;
	bool careful;        /* nothing is known of what was sent: each window is asked for */
	struct intern known; /* hashes of stacks that the server has, of one day */
	int64_t known_day;
	uint64_t version;       /* of the server; 0: not asked yet */
	uint64_t learnt;        /* parts that were there though nobody had said so */
	uint32_t wait_s;        /* that the last answer asked for */
	char why[512];          /* the last thing that went wrong, */
	char said[512];         /* and the last that was said */
	struct window_id *list; /* not done yet */
	size_t n, cap;
};

/* A window on its way. */
struct delivery {
	struct rows *rows;
	struct rows_window window;
	struct prof *prof;
	void *file; /* of S3: what is in it */
	size_t len;
	struct pushed pushed;
	uint8_t *done; /* bit k: part k is there */
	bool alarms_done, window_done;
	bool doubt; /* some of it may be there, without our knowing */
};

static void delivery__done(struct delivery *d)
{
	rows__free(d->rows);
	prof__free(d->prof);
	pushed__done(&d->pushed);
	free(d->file);
	free(d->done);
}

int sender__new(struct sender **ret, struct http_client *http, const struct sender_opts *opts,
		struct err *err)
{
	struct sender *s = xcalloc(1, sizeof(*s));
	int r;

	s->http = http;
	s->opts = *opts;
	r = ship_state__load(&s->state, opts->state_dir, opts->to, err);
	s->careful = r == -ENOENT;
	if (r < 0 && r != -ENOENT) {
		sender__free(s);
		return r;
	}
	*ret = s;
	return 0;
}

void sender__free(struct sender *s)
{
	if (!s)
		return;
	intern__done(&s->known);
	free(s->list);
	free(s);
}

const struct ship_state *sender__state(const struct sender *s)
{
	return &s->state;
}

const struct sender_news *sender__news(const struct sender *s)
{
	return &s->news;
}

/* ---------------------------------------------------------------- what is there */

static int scan(struct sender *s, struct err *err)
{
	return ship_state__list(&s->state, s->opts.spool, &s->list, &s->n, &s->cap, err);
}

/* ---------------------------------------------------------------- asking the server */

static void note(struct sender *s, const struct http_reply *reply)
{
	struct err err = {0};

	s->wait_s = reply->wait_s < WAIT_MAX_S ? reply->wait_s : WAIT_MAX_S;
	if (answer__check(reply, &err) < 0)
		snprintf(s->why, sizeof(s->why), "%.500s", err.text);
}

static enum answer post(struct sender *s, const struct http_request *request,
			struct http_reply *ret)
{
	enum answer a;

	http_client__post(s->http, request, ret);
	a = answer__of(ret);
	if (a != ANSWER_DONE)
		note(s, ret);
	return a;
}

/* An answer of numbers: so many, each of 64 bits. */
static enum answer ask_version(struct sender *s)
{
	static const char query[] =
		"SELECT toUInt64(splitByChar('.',version())[1]) FORMAT RowBinary";
	const struct http_request request = {
		.body = query,
		.len = sizeof(query) - 1,
		.max_bytes = ASK_BYTES_MAX,
		.ms = s->opts.timeout_ms,
	};
	_cleanup_(http_reply__done) struct http_reply reply = {0};
	enum answer a = s->version ? ANSWER_DONE : post(s, &request, &reply);
	struct cursor c = cursor__over(reply.data, reply.len);

	if (s->version || a != ANSWER_DONE)
		return a == ANSWER_DONE ? a : ANSWER_LATER;
	s->version = cursor__u64(&c);
	if (cursor__done(&c) && s->version)
		return ANSWER_DONE;
	s->version = 0;
	snprintf(s->why, sizeof(s->why), "what answers isn't ClickHouse");
	return ANSWER_LATER;
}

static void put_query_id(const struct delivery *d, struct buf *out)
{
	buf__printf(out, "&query_id=pmubpf-%016" PRIx64, rows_window__hash(&d->window));
}

static bool take_parts(struct sender *s, struct delivery *d, const struct http_reply *reply)
{
	struct cursor c = cursor__over(reply->data, reply->len);

	while (cursor__left(&c)) {
		uint64_t part = cursor__u64(&c), n = cursor__u64(&c);
		size_t from, to;

		if (!cursor__ok(&c) || part > ROWS_ALARMS)
			return false;
		if (part == ROWS_ALARMS) {
			s->learnt += n > 0 && !d->alarms_done;
			d->alarms_done = n > 0;
			continue;
		}
		if (part == 0) {
			d->window_done = n > 0;
			continue;
		}
		rows__part((uint16_t)part, rows__samples(d->rows), &from, &to);
		s->state.uncertain += n != to - from;
		s->learnt += !(d->done[part / 8] >> part % 8 & 1);
		d->done[part / 8] |= (uint8_t)(1 << part % 8);
	}
	return cursor__done(&c);
}

/* Which parts of the window are there. */
static enum answer ask_parts(struct sender *s, struct delivery *d)
{
	_cleanup_(http_reply__done) struct http_reply reply = {0};
	_cleanup_(buf__done) struct buf query = {0};
	_cleanup_(buf__done) struct buf extra = {0};
	struct http_request request = {.max_bytes = ASK_BYTES_MAX, .ms = s->opts.timeout_ms};
	enum answer a;

	rows__put_question(d->rows, &query);
	put_query_id(d, &extra);
	request.body = query.data;
	request.len = query.len;
	request.extra = extra.data;
	a = post(s, &request, &reply);
	if (a == ANSWER_DONE && take_parts(s, d, &reply))
		return ANSWER_DONE;
	if (a == ANSWER_DONE)
		snprintf(s->why, sizeof(s->why), "the server's answer doesn't fit together");
	return ANSWER_DOUBT;
}

/* ---------------------------------------------------------------- inserts */

/* The token: of those rows, and of no others. Stacks of a window may get names before it is sent
 * again (pmubpf symbolize): theirs is what they are. */
static enum answer insert(struct sender *s, const struct delivery *d, const char *table,
			  const char *columns, uint64_t part, const struct buf *rows)
{
	_cleanup_(http_reply__done) struct http_reply reply = {0};
	_cleanup_free_ char *query =
		xasprintf("INSERT INTO %s (%s) FORMAT RowBinary", table, columns);
	_cleanup_(buf__done) struct buf extra = {0};
	struct http_request request = {
		.query = query,
		.body = rows->data,
		.len = rows->len,
		.gzip = true,
		.max_bytes = ASK_BYTES_MAX,
		.ms = s->opts.timeout_ms,
	};
	enum answer a;

	put_query_id(d, &extra);
	buf__puts(&extra, "&insert_distributed_sync=1");
	if (s->version >= TOKENS_SINCE) {
		buf__puts(&extra, "&async_insert=0&insert_deduplication_token=");
		url__put(&extra, d->window.host);
		buf__printf(&extra, "%%2F%s%%2F%" PRIu64 "%%2F%s%" PRIu64, d->window.boot,
			    d->window.seq, table, part);
	}
	request.extra = extra.data;
	a = post(s, &request, &reply);
	if (a == ANSWER_DONE)
		s->news.bytes += rows->len;
	return a;
}

static void forget_stacks(struct sender *s, const struct delivery *d)
{
	int64_t day = d->prof->time_ns / 86400000000000LL;

	if (day != s->known_day || intern__count(&s->known) > KNOWN_MAX)
		intern__done(&s->known);
	s->known_day = day;
}

static bool is_known(const struct sender *s, const struct delivery *d, size_t stack)
{
	uint64_t hash = rows__stack_hash(d->rows, stack);

	return intern__find(&s->known, &hash, sizeof(hash)) != 0;
}

/* Those of [from, to) that it hasn't; in halves where that is too much. */
static enum answer send_stacks(struct sender *s, struct delivery *d, size_t from, size_t to)
{
	_cleanup_(buf__done) struct buf rows = {0};
	enum answer a = ANSWER_DONE;

	for (size_t i = from; i < to; i++) {
		if (!is_known(s, d, i))
			rows__put_stack(d->rows, i, &rows);
	}
	if (rows.len)
		a = insert(s, d, "stacks", SCHEMA_STACKS,
			   binary_hash__end(binary_hash__add(BINARY_HASH, rows.data, rows.len)),
			   &rows);
	if (a == ANSWER_SPLIT && to - from > 1) {
		size_t middle = from + (to - from) / 2;

		a = send_stacks(s, d, from, middle);
		return a == ANSWER_DONE ? send_stacks(s, d, middle, to) : a;
	}
	for (size_t i = from; i < to && a == ANSWER_DONE; i++) {
		uint64_t hash = rows__stack_hash(d->rows, i);

		intern__add(&s->known, &hash, sizeof(hash));
	}
	return a;
}

static enum answer send_all_stacks(struct sender *s, struct delivery *d)
{
	size_t n = rows__stacks(d->rows), from = 0;
	enum answer a = ANSWER_DONE;
	uint64_t bytes = 0;

	forget_stacks(s, d);
	for (size_t i = 0; i < n && a == ANSWER_DONE; i++) {
		_cleanup_(buf__done) struct buf row = {0};

		if (!is_known(s, d, i))
			rows__put_stack(d->rows, i, &row);
		bytes += row.len;
		if (bytes > STACKS_BYTES) {
			a = send_stacks(s, d, from, i + 1);
			from = i + 1;
			bytes = 0;
		}
	}
	return a == ANSWER_DONE ? send_stacks(s, d, from, n) : a;
}

static bool has_part(const struct delivery *d, unsigned part)
{
	return d->done[part / 8] >> part % 8 & 1;
}

/* It, or a part of it, is there. */
static bool has_some(const struct delivery *d, unsigned part)
{
	return part < PARTS_MAX &&
	       (has_part(d, part) || has_some(d, 2 * part) || has_some(d, 2 * part + 1));
}

static enum answer send_part(struct sender *s, struct delivery *d, unsigned part);

static enum answer send_halves(struct sender *s, struct delivery *d, unsigned part)
{
	enum answer a = send_part(s, d, 2 * part);

	return a == ANSWER_DONE ? send_part(s, d, 2 * part + 1) : a;
}

static enum answer send_part(struct sender *s, struct delivery *d, unsigned part)
{
	_cleanup_(buf__done) struct buf rows = {0};
	bool can_split = 2 * part + 1 < PARTS_MAX;
	enum answer a;
	size_t from, to;

	if (has_part(d, part))
		return ANSWER_DONE;
	rows__part((uint16_t)part, rows__samples(d->rows), &from, &to);
	if (from == to)
		return ANSWER_DONE;
	if (can_split && (to - from > PART_ROWS_MAX || has_some(d, part)))
		return send_halves(s, d, part);
	rows__put_samples(d->rows, from, to, (uint16_t)part, &rows);
	a = insert(s, d, "samples", SCHEMA_SAMPLES, part, &rows);
	if (a == ANSWER_SPLIT && can_split && to - from > 1)
		return send_halves(s, d, part);
	if (a == ANSWER_DONE)
		d->done[part / 8] |= (uint8_t)(1 << part % 8);
	return a;
}

/* In one insert, as a part of samples is. */
static enum answer send_alarms(struct sender *s, struct delivery *d)
{
	_cleanup_(buf__done) struct buf rows = {0};
	enum answer a;

	if (d->alarms_done || d->window_done || !rows__alarms(d->rows))
		return ANSWER_DONE;
	rows__put_alarms(d->rows, &rows);
	a = insert(s, d, "alarms", SCHEMA_ALARMS, 1, &rows);
	d->alarms_done = a == ANSWER_DONE;
	return a;
}

static enum answer send_window(struct sender *s, struct delivery *d)
{
	_cleanup_(buf__done) struct buf row = {0};
	enum answer a;

	if (d->window_done)
		return ANSWER_DONE;
	rows__put_window(d->rows, &row);
	a = insert(s, d, "windows", SCHEMA_WINDOWS, 0, &row);
	d->window_done = a == ANSWER_DONE;
	return a;
}

/* ---------------------------------------------------------------- a window */

static int load(struct sender *s, const struct window_id *id, struct delivery *d, struct err *err)
{
	char name[WINDOW_NAME_SIZE];
	_cleanup_close_ int fd = -1;

	window_name(id, name);
	fd = openat(s->opts.spool, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return -errno; /* it was too old meanwhile */
	d->window = (struct rows_window){s->opts.host, id->boot, id->seq};
	if (s->opts.url->kind == SHIP_S3)
		return s3_read_file(fd, &d->file, &d->len, err);
	d->done = xcalloc(PARTS_MAX / 8, 1);
	return pprof__read(&d->prof, fd, name, NULL, err);
}

static void say(struct sender *s, const char *text)
{
	if (strcmp(s->said, text) == 0)
		return;
	snprintf(s->said, sizeof(s->said), "%s", text);
	s->opts.say(s->opts.ctx, text);
}

static enum answer put_object(struct sender *s, const struct delivery *d)
{
	char name[WINDOW_DATED_SIZE];
	struct s3_put put = {
		.url = s->opts.url,
		.secrets = s->opts.secrets,
		.host = s->opts.host,
		.name = name,
		.data = d->file,
		.len = d->len,
		.ms = s->opts.timeout_ms,
	};
	enum answer a;

	s3_object_name(d->file, d->len, d->window.boot, d->window.seq, name);
	a = s3__put(s->http, &put, &s->wait_s, s->why);
	if (s->wait_s > WAIT_MAX_S)
		s->wait_s = WAIT_MAX_S;
	if (a == ANSWER_DONE)
		s->news.bytes += d->len;
	return a;
}

/* Nothing can be asked for there. */
static enum answer push_profiles(struct sender *s, struct delivery *d)
{
	const struct push_how how = {s->opts.url, s->opts.secrets, s->opts.timeout_ms};
	enum answer a = pushed__send(&d->pushed, s->http, &how, &s->news.bytes, &s->wait_s, s->why);

	if (s->wait_s > WAIT_MAX_S)
		s->wait_s = WAIT_MAX_S;
	d->doubt |= a == ANSWER_DOUBT;
	return a;
}

static enum answer attempt(struct sender *s, struct delivery *d)
{
	enum answer a;

	if (s->opts.url->kind == SHIP_S3)
		return put_object(s, d);
	if (ship_kind__is_pushed(s->opts.url->kind))
		return push_profiles(s, d);
	a = ask_version(s);
	if (a == ANSWER_DONE && d->doubt)
		a = ask_parts(s, d);
	if (a == ANSWER_DONE) {
		d->doubt = false;
		a = d->window_done ? a : send_all_stacks(s, d);
	}
	if (a == ANSWER_DONE && !d->window_done)
		a = send_part(s, d, 1);
	if (a == ANSWER_DONE)
		a = send_alarms(s, d);
	if (a == ANSWER_DONE)
		a = send_window(s, d);
	d->doubt |= a == ANSWER_DOUBT;
	return a;
}

static int give_up(struct sender *s, const char *name, struct err *err)
{
	return err__set(err, -EIO, "window %s isn't sent: %s", name, s->why);
}

/* ANSWER_DONE or ANSWER_REFUSED in *ret. */
static int deliver(struct sender *s, struct delivery *d, const char *name, enum answer *ret,
		   struct err *err)
{
	for (unsigned tries = 1;; tries++) {
		uint64_t before = s->news.bytes + s->learnt;

		s->wait_s = 0;
		*ret = attempt(s, d);
		if (s->news.bytes + s->learnt != before) /* it gets on */
			tries = 1;
		if (*ret == ANSWER_SPLIT) /* not even a row of it */
			*ret = ANSWER_REFUSED;
		if (*ret == ANSWER_DONE || *ret == ANSWER_REFUSED)
			return 0;
		if ((s->opts.tries && tries >= s->opts.tries) || http_client__is_over(s->http))
			return give_up(s, name, err);
		say(s, s->why);
		pause_a_while(tries, s->wait_s);
	}
}

static int finish(struct sender *s, const struct window_id *id, struct err *err)
{
	struct window_id next = *id;
	int r;

	next.seq++;
	ship_state__set_next(&s->state, &next);
	s->state.sending = (struct window_id){0};
	r = ship_state__save(&s->state, s->opts.state_dir, s->opts.to, err);
	if (r == 0 && s->opts.done)
		s->opts.done(s->opts.ctx, &s->state);
	return r;
}

static int refuse(struct sender *s, const struct window_id *id, const char *name, const char *why,
		  struct err *err)
{
	_cleanup_free_ char *text = xasprintf("window %s is left out: %s", name, why);

	say(s, text);
	s->state.refused++;
	return finish(s, id, err);
}

/* Windows that went before they were sent; of a boot that nothing is known of it can't be told. */
static void count_expired(struct sender *s, const struct window_id *id)
{
	int64_t next = ship_state__next(&s->state, id->boot);

	if (next >= 0 && id->seq > (uint64_t)next)
		s->state.expired += id->seq - (uint64_t)next;
}

static bool is_sending(const struct sender *s, const struct window_id *id)
{
	return strcmp(s->state.sending.boot, id->boot) == 0 && s->state.sending.seq == id->seq;
}

static int send_one(struct sender *s, const struct window_id *id, struct err *err)
{
	bool pushed = ship_kind__is_pushed(s->opts.url->kind);
	_cleanup_(delivery__done) struct delivery d = {
		.doubt = (s->careful && !pushed) || is_sending(s, id),
	};
	char name[WINDOW_NAME_SIZE];
	struct err why = {0};
	enum answer a = ANSWER_LATER;
	int r;

	window_name(id, name);
	count_expired(s, id);
	r = load(s, id, &d, &why);
	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return refuse(s, id, name, *why.text ? why.text : strerror(-r), err);
	if (pushed)
		pushed__make(&d.pushed, s->opts.url->kind, d.prof, &d.window,
			     s->opts.rows.max_stacks);
	else if (d.prof)
		d.rows = rows__new(d.prof, &d.window, &s->opts.rows);
	s->state.sending = *id;
	r = ship_state__save(&s->state, s->opts.state_dir, s->opts.to, err);
	if (r == 0)
		r = deliver(s, &d, name, &a, err);
	if (r < 0)
		return r;
	/* what may be there twice, or in spite of a refusal, is counted: once, and at the end */
	s->state.uncertain += pushed && d.doubt;
	if (a == ANSWER_REFUSED)
		return refuse(s, id, name, s->why, err);
	s->state.sent++;
	s->news.windows++;
	s->news.rows += d.rows ? rows__samples(d.rows) : 0;
	return finish(s, id, err);
}

int sender__run(struct sender *s, struct err *err)
{
	int r = scan(s, err);

	for (size_t i = 0; r == 0 && i < s->n; i++)
		r = send_one(s, &s->list[i], err);
	if (r == 0)
		s->careful = false;
	return r;
}
