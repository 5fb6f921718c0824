// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is that nothing can be asked for: what is sent has no name there by which it could
 * be found, and what is sent twice is there twice. So an answer that got lost stays a doubt, which
 * the sender counts.
 */
#include "ship/push.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"

enum { REPLY_BYTES_MAX = 1 << 20 };

struct sending {
	const struct push *push;
	struct http_client *http;
	const struct push_how *how;
	const char *path;
	struct buf headers;
	uint64_t *bytes;
	uint32_t *wait_s;
	char *why;
};

static void put_base64(struct buf *out, const char *text)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const uint8_t *at = (const uint8_t *)text;

	for (size_t left = strlen(text); left; left -= left < 3 ? left : 3, at += 3) {
		uint32_t bits = (uint32_t)at[0] << 16;

		if (left > 1)
			bits |= (uint32_t)at[1] << 8;
		if (left > 2)
			bits |= at[2];
		buf__putc(out, digits[bits >> 18]);
		buf__putc(out, digits[bits >> 12 & 63]);
		buf__putc(out, left > 1 ? digits[bits >> 6 & 63] : '=');
		buf__putc(out, left > 2 ? digits[bits & 63] : '=');
	}
}

static void put_headers(const struct push *p, const struct push_how *how, struct buf *out)
{
	buf__puts(out, p->headers);
	if (how->url->tenant)
		buf__printf(out, "X-Scope-OrgID: %s\n", how->url->tenant);
	if (how->secrets->user) {
		_cleanup_free_ char *pair =
			xasprintf("%s:%s", how->secrets->user, how->secrets->password);

		buf__puts(out, "Authorization: Basic ");
		put_base64(out, pair);
		buf__putc(out, '\n');
		explicit_bzero(pair, strlen(pair));
	}
}

static enum answer post(struct sending *s, const struct buf *body)
{
	_cleanup_(http_reply__done) struct http_reply reply = {0};
	const struct http_request request = {
		.path = s->path,
		.headers = s->headers.data,
		.body = body->data,
		.len = body->len,
		.gzip = s->push->gzip,
		.max_bytes = REPLY_BYTES_MAX,
		.ms = s->how->ms,
	};
	enum answer a;

	http_client__post(s->http, &request, &reply);
	a = s->push->answer(&reply, s->why);
	if (a == ANSWER_DONE)
		*s->bytes += body->len;
	else
		*s->wait_s = reply.wait_s;
	return a;
}

/* ANSWER_SPLIT: it is too much, or the server says so. */
static enum answer send_whole(struct sending *s, size_t from, size_t to)
{
	_cleanup_(buf__done) struct buf body = {0};
	size_t most = s->push->max_bytes;

	s->push->put(s->push->ctx, from, to, &body);
	if (!body.len)
		return ANSWER_DONE;
	if (most && body.len > most && to - from > 1)
		return ANSWER_SPLIT;
	return post(s, &body);
}

static enum answer send_range(struct sending *s, size_t from, size_t to)
{
	enum answer a = send_whole(s, from, to);

	if (a == ANSWER_SPLIT && to - from > 1) {
		size_t middle = from + (to - from) / 2;

		a = send_range(s, from, middle);
		return a == ANSWER_DONE ? send_range(s, middle, to) : a;
	}
	for (size_t i = from; i < to && a == ANSWER_DONE; i++)
		s->push->taken[i] = true;
	return a;
}

enum answer push__send(const struct push *p, struct http_client *http, const struct push_how *how,
		       uint64_t *bytes, uint32_t *ret_wait_s, char why[static HTTP_TEXT_MAX])
{
	_cleanup_free_ char *path =
		xasprintf("%s%s", how->url->path ? how->url->path : "", p->path);
	struct sending s = {
		.push = p,
		.http = http,
		.how = how,
		.path = path,
		.bytes = bytes,
		.wait_s = ret_wait_s,
		.why = why,
	};
	enum answer a;

	put_headers(p, how, &s.headers);
	a = send_range(&s, 0, p->n);
	if (s.headers.len)
		explicit_bzero(s.headers.data, s.headers.len);
	buf__done(&s.headers);
	return a;
}
