// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is what a server refuses: most of it is about accounts, regions and clocks, and no
 * fault of the window that happens to be the next one. Only what is about its bytes leaves it out.
 */
#include "ship/s3.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "spool/head.h"

#define ALGORITHM "AWS4-HMAC-SHA256"
enum {
	REPLY_BYTES_MAX = 1 << 20,
	FILE_BYTES_MAX = 128 << 20,
	DATE_SIZE = 32,
	DAY_LEN = 8,
	CODE_SIZE = 64
};

/* ---------------------------------------------------------------- signing */

static void put_signed_names(const struct s3_request *r, struct buf *out)
{
	for (size_t i = 0; i < r->n_headers; i++)
		buf__printf(out, "%s%s", i ? ";" : "", r->headers[i].name);
}

static void put_scope(const struct s3_request *r, struct buf *out)
{
	buf__printf(out, "%.*s/%s/s3/aws4_request", DAY_LEN, r->date, r->region);
}

static void put_canonical(const struct s3_request *r, struct buf *out)
{
	buf__printf(out, "%s\n%s\n%s\n", r->method, r->path, r->query);
	for (size_t i = 0; i < r->n_headers; i++)
		buf__printf(out, "%s:%s\n", r->headers[i].name, r->headers[i].value);
	buf__putc(out, '\n');
	put_signed_names(r, out);
	buf__printf(out, "\n%s", r->payload_hash);
}

static void derive_key(const struct s3_request *r, uint8_t ret[static SHA256_SIZE])
{
	_cleanup_free_ char *start = xasprintf("AWS4%s", r->key);
	static const char service[] = "s3", end[] = "aws4_request";

	sha256_hmac(start, strlen(start), r->date, DAY_LEN, ret);
	sha256_hmac(ret, SHA256_SIZE, r->region, strlen(r->region), ret);
	sha256_hmac(ret, SHA256_SIZE, service, sizeof(service) - 1, ret);
	sha256_hmac(ret, SHA256_SIZE, end, sizeof(end) - 1, ret);
	explicit_bzero(start, strlen(start));
}

void s3_sign(const struct s3_request *r, struct buf *out)
{
	_cleanup_(buf__done) struct buf canonical = {0}, text = {0};
	uint8_t hash[SHA256_SIZE], key[SHA256_SIZE];
	char hex[SHA256_HEX];

	put_canonical(r, &canonical);
	sha256_of(canonical.data, canonical.len, hash);
	sha256_hex(hash, hex);
	buf__printf(&text, "%s\n%s\n", ALGORITHM, r->date);
	put_scope(r, &text);
	buf__printf(&text, "\n%s", hex);
	derive_key(r, key);
	sha256_hmac(key, sizeof(key), text.data, text.len, hash);
	explicit_bzero(key, sizeof(key));
	sha256_hex(hash, hex);
	buf__printf(out, "%s Credential=%s/", ALGORITHM, r->key_id);
	put_scope(r, out);
	buf__puts(out, ",SignedHeaders=");
	put_signed_names(r, out);
	buf__printf(out, ",Signature=%s", hex);
}

/* ---------------------------------------------------------------- a window */

void s3_put_path(const struct ship_url *url, const char *host, const char *name, struct buf *out)
{
	buf__printf(out, "%s/", url->path);
	url__put(out, host);
	buf__putc(out, '/');
	url__put(out, name);
}

void s3_put_headers(const struct s3_call *c, struct buf *out)
{
	time_t now = time(NULL);
	char date[DATE_SIZE];
	struct tm tm;
	struct s3_header headers[4];
	struct s3_request request = {
		.method = c->method,
		.path = c->path,
		.query = c->query,
		.headers = headers,
		.payload_hash = c->payload_hash,
		.date = date,
		.region = c->url->region,
		.key_id = c->secrets->user,
		.key = c->secrets->password,
	};

	strftime(date, sizeof(date), "%Y%m%dT%H%M%SZ", gmtime_r(&now, &tm));
	headers[request.n_headers++] = (struct s3_header){"host", c->url->authority};
	if (c->range)
		headers[request.n_headers++] = (struct s3_header){"range", c->range};
	headers[request.n_headers++] = (struct s3_header){"x-amz-content-sha256", c->payload_hash};
	headers[request.n_headers++] = (struct s3_header){"x-amz-date", date};
	for (size_t i = 0; i < request.n_headers; i++)
		buf__printf(out, "%s: %s\n", headers[i].name, headers[i].value);
	if (!c->secrets->user)
		return;
	buf__puts(out, "Authorization: ");
	s3_sign(&request, out);
	buf__putc(out, '\n');
}

/* The code of an error: "<Code>AccessDenied</Code>". */
static void code_of(const struct http_reply *reply, char ret[static CODE_SIZE])
{
	static const char start[] = "<Code>";
	_cleanup_free_ char *text = reply->data ? xstrndup(reply->data, reply->len) : NULL;
	const char *at = text ? strstr(text, start) : NULL;

	if (at)
		at += sizeof(start) - 1;
	snprintf(
		ret, CODE_SIZE, "%.*s",
		at ? (int)strspn(at,
				 "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") :
		     0,
		at ? at : "");
}

/* Of those that come with 400: what isn't about the bytes, or was lost on the way. */
static bool is_of_account(const char *code)
{
	static const char *const codes[] = {
		"AuthorizationHeaderMalformed",
		"BadDigest",
		"ExpiredToken",
		"IllegalLocationConstraintException",
		"IncompleteBody",
		"InvalidBucketName",
		"InvalidDigest",
		"InvalidLocationConstraint",
		"InvalidToken",
		"RequestTimeout",
		"TokenRefreshRequired",
		"XAmzContentSHA256Mismatch",
	};

	for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
		if (strcmp(codes[i], code) == 0)
			return true;
	}
	return false;
}

enum answer s3_answer(const struct http_reply *reply, char why[static HTTP_TEXT_MAX])
{
	char code[CODE_SIZE];

	if (reply->outcome == HTTP_ANSWERED && reply->status >= 200 && reply->status < 300)
		return ANSWER_DONE;
	if (reply->outcome != HTTP_ANSWERED) {
		snprintf(why, HTTP_TEXT_MAX, "the server can't be asked: %.400s", reply->why);
		return ANSWER_LATER;
	}
	code_of(reply, code);
	snprintf(why, HTTP_TEXT_MAX, "the server answers %u%s%s", reply->status, *code ? ": " : "",
		 code);
	if (reply->status == 413 || (reply->status == 400 && !is_of_account(code)))
		return ANSWER_REFUSED;
	return ANSWER_LATER;
}

int s3_read_file(int fd, void **ret, size_t *ret_len, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > FILE_BYTES_MAX)
		return err__set(err, -EFBIG, "it isn't a file, or larger than %d MB",
				FILE_BYTES_MAX >> 20);
	*ret_len = (size_t)st.st_size;
	*ret = xcalloc(1, *ret_len + 1);
	return pread(fd, *ret, *ret_len, 0) == st.st_size ? 0 : -EIO;
}

enum answer s3__put(struct http_client *http, const struct s3_put *p, uint32_t *ret_wait_s,
		    char why[static HTTP_TEXT_MAX])
{
	_cleanup_(http_reply__done) struct http_reply reply = {0};
	_cleanup_(buf__done) struct buf path = {0}, headers = {0};
	uint8_t hash[SHA256_SIZE];
	char hex[SHA256_HEX];
	struct http_request request = {
		.method = HTTP_METHOD_PUT,
		.body = p->data,
		.len = p->len,
		.max_bytes = REPLY_BYTES_MAX,
		.ms = p->ms,
	};

	s3_put_path(p->url, p->host, p->name, &path);
	sha256_of(p->data, p->len, hash);
	sha256_hex(hash, hex);
	s3_put_headers(&(struct s3_call){.url = p->url,
					 .secrets = p->secrets,
					 .method = "PUT",
					 .path = path.data,
					 .query = "",
					 .payload_hash = hex},
		       &headers);
	request.path = path.data;
	request.headers = headers.data;
	http_client__post(http, &request, &reply);
	*ret_wait_s = reply.wait_s;
	return s3_answer(&reply, why);
}

void s3_object_name(const void *file, size_t len, const char *boot, uint64_t seq,
		    char ret[static WINDOW_DATED_SIZE])
{
	struct window_id id = {.seq = seq};
	int64_t time_ns = 0, duration_ns = 0;

	snprintf(id.boot, sizeof(id.boot), "%s", boot);
	if (!window_head(file, len < HEAD_BYTES ? len : HEAD_BYTES, &time_ns, &duration_ns))
		time_ns = 0;
	window_dated_name(&id, time_ns, duration_ns, ret);
}
