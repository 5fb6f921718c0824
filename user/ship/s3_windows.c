// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A server that answers wrong now and then is asked again; one that doesn't know what it was asked
 * for, or mustn't say, is not.
 */
#include "ship/s3_windows.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "ship/pause.h"
#include "ship/s3.h"

enum { GET_MS = 120000, TRIES = 3, RANGE_SIZE = 48, PAGE_BYTES_MAX = 16 << 20 };
/* Of no body. */
static const char no_payload[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

static bool is_worth_another(const struct http_reply *reply)
{
	return reply->outcome == HTTP_NOT_SENT || reply->outcome == HTTP_UNKNOWN ||
	       (reply->outcome == HTTP_ANSWERED && (reply->status == 429 || reply->status >= 500));
}

static int explain(const struct http_reply *reply, struct err *err)
{
	char why[HTTP_TEXT_MAX] = "";

	if (reply->outcome == HTTP_ANSWERED && reply->status == 404)
		return err__set(err, -ENOENT, "the server has no such bucket, or object");
	if (reply->outcome == HTTP_TOO_LARGE)
		return err__set(err, -EFBIG,
				"the server's reply is longer than --max-size allows: name less "
				"time or a host, or allow more");
	if (reply->outcome == HTTP_ANSWERED && reply->status >= 300 && reply->status < 400)
		return err__set(err, -EIO,
				"the server answers %u, a redirect; none is followed: name the "
				"place itself",
				reply->status);
	s3_answer(reply, why);
	return err__set(err, -EIO, "%s", why);
}

/* 0: *ret is what was asked for, and the caller's. */
static int get(const struct s3_place *p, const char *path, const char *query, const char *range,
	       uint64_t max_bytes, struct http_reply *ret, struct err *err)
{
	_cleanup_free_ char *whole = xasprintf("%s%s%s", path, *query ? "?" : "", query);
	int r;

	for (unsigned tries = 1;; tries++) {
		_cleanup_(buf__done) struct buf headers = {0};
		struct http_request request = {
			.method = HTTP_METHOD_GET,
			.path = whole,
			.max_bytes = max_bytes,
			.ms = GET_MS,
		};

		s3_put_headers(&(struct s3_call){.url = p->url,
						 .secrets = p->secrets,
						 .method = "GET",
						 .path = path,
						 .query = query,
						 .range = range,
						 .payload_hash = no_payload},
			       &headers);
		request.headers = headers.data;
		http_client__post(p->http, &request, ret);
		if (ret->outcome == HTTP_ANSWERED && (ret->status == 200 || ret->status == 206))
			return 0;
		if (tries == TRIES || !is_worth_another(ret))
			break;
		http_reply__done(ret);
		pause_a_while(tries, ret->wait_s);
	}
	r = explain(ret, err);
	http_reply__done(ret);
	return r;
}

/* ---------------------------------------------------------------- the list */

/* "/bucket/a/b": names begin with "a/b/", or with nothing. The caller frees. */
static char *prefix_of(const struct ship_url *url)
{
	const char *slash = strchr(url->path + 1, '/');

	return slash ? xasprintf("%s/", slash + 1) : xstrdup("");
}

static void put_query(const struct s3_place *p, const char *prefix, const char *token,
		      struct buf *out)
{
	_cleanup_free_ char *below = p->host ? xasprintf("%s%s/", prefix, p->host) :
					       xstrdup(prefix);

	if (token) {
		buf__puts(out, "continuation-token=");
		url__put(out, token);
		buf__putc(out, '&');
	}
	buf__puts(out, "list-type=2&max-keys=1000&prefix=");
	url__put(out, below);
}

static void drop_older(struct s3_list *list, size_t from, int64_t since_ns)
{
	size_t n = from;

	for (size_t i = from; i < list->n; i++) {
		struct s3_object *o = &list->objects[i];

		/* what says when it was is told by that */
		if (!o->when.from_ns && o->modified_ns < since_ns) {
			s3_object__done(o);
			continue;
		}
		list->objects[n++] = *o;
	}
	list->n = n;
}

static int add_page(const struct s3_place *p, const char *bucket, const char *prefix,
		    uint64_t *bytes, struct s3_list *list, struct err *err)
{
	_cleanup_(http_reply__done) struct http_reply reply = {0};
	_cleanup_(buf__done) struct buf query = {0};
	uint64_t most = p->max_bytes - *bytes;
	int r;

	put_query(p, prefix, list->token, &query);
	r = get(p, bucket, query.data, NULL, most < PAGE_BYTES_MAX ? most : PAGE_BYTES_MAX, &reply,
		err);
	if (r < 0)
		return r;
	*bytes += reply.len;
	if (!s3_list__add(list, prefix, reply.data, reply.len))
		return err__set(err, -EPROTO,
				"the server's list of windows doesn't fit together: is it one of "
				"S3?");
	return 0;
}

int s3_windows__list(const struct s3_place *p, int64_t since_ns, struct s3_list *ret,
		     struct err *err)
{
	_cleanup_free_ char *prefix = prefix_of(p->url);
	_cleanup_free_ char *bucket = xstrndup(p->url->path, 1 + strcspn(p->url->path + 1, "/"));
	int64_t least = since_ns > INT64_MIN + S3_CLOCKS_APART_NS ? since_ns - S3_CLOCKS_APART_NS :
								    INT64_MIN;
	uint64_t bytes = 0;
	int r;

	*ret = (struct s3_list){0};
	do {
		size_t before = ret->n;

		r = add_page(p, bucket, prefix, &bytes, ret, err);
		drop_older(ret, before, least);
	} while (r == 0 && ret->token);
	if (r < 0)
		s3_list__done(ret);
	return r;
}

/* ---------------------------------------------------------------- a window */

static int to_memory(const struct http_reply *reply, struct err *err)
{
	_cleanup_close_ int fd = memfd_create("window", MFD_CLOEXEC);

	for (size_t at = 0; fd >= 0 && at < reply->len;) {
		ssize_t n = pwrite(fd, reply->data + at, reply->len - at, (off_t)at);

		if (n <= 0)
			return err__set(err, -ENOMEM, "no memory for a window");
		at += (size_t)n;
	}
	return fd < 0 ? err__set(err, -errno, "no memory for a window") : TAKE_FD(fd);
}

int s3_windows__open(const struct s3_place *p, const struct s3_object *o, size_t first,
		     struct err *err)
{
	_cleanup_(http_reply__done) struct http_reply reply = {0};
	_cleanup_(buf__done) struct buf path = {0};
	char range[RANGE_SIZE];
	int r;

	snprintf(range, sizeof(range), "bytes=0-%zu", first - 1);
	s3_put_path(p->url, o->host, o->name, &path);
	r = get(p, path.data, "", first ? range : NULL, p->max_bytes, &reply, err);
	return r < 0 ? r : to_memory(&reply, err);
}
