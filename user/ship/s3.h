/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Objects of S3: a window is one, of a name that says which it is, so that whatever is sent twice
 * is there once. Requests are signed here (AWS Signature Version 4): what has the network never
 * has the key.
 */
#ifndef PMUBPF_SHIP_S3_H
#define PMUBPF_SHIP_S3_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/buf.h"
#include "ship/answer.h"
#include "ship/http_client.h"
#include "ship/url.h"
#include "spool/window_name.h"

struct s3_header {
	const char *name, *value; /* in small letters; trimmed */
};

/* What is signed. */
struct s3_request {
	const char *method, *path, *query; /* as they are sent, percent-encoded; "" for none */
	const struct s3_header *headers;   /* by name */
	size_t n_headers;
	const char *payload_hash; /* in hex */
	const char *date;         /* "20130524T000000Z" */
	const char *region;
	const char *key_id, *key;
};
/* Appends the value of the header Authorization. Pure. */
void s3_sign(const struct s3_request *request, struct buf *out);

struct s3_call {
	const struct ship_url *url;
	const struct http_secrets *secrets;
	const char *method, *path, *query; /* as of s3_request */
	const char *range;                 /* "bytes=0-9"; NULL: all */
	const char *payload_hash;          /* in hex */
};
/* Its lines of headers, signed now; without a key they aren't. */
void s3_put_headers(const struct s3_call *call, struct buf *out);

/* One window, whose sender is called host. why gets what the server says, in a sentence. */
struct s3_put {
	const struct ship_url *url;
	const struct http_secrets *secrets;
	const char *host;
	const char *name; /* of the object (window_dated_name) */
	const void *data;
	size_t len;
	uint32_t ms;
};
enum answer s3__put(struct http_client *http, const struct s3_put *put, uint32_t *ret_wait_s,
		    char why[static HTTP_TEXT_MAX]);
/* All of a window's file; the caller frees. 0 or a negative errno, with a sentence or none. */
int s3_read_file(int fd, void **ret, size_t *ret_len, struct err *err);
/* What an answer means; the body of an error is XML. Pure. */
enum answer s3_answer(const struct http_reply *reply, char why[static HTTP_TEXT_MAX]);
/* "/bucket/prefix/host/NAME", percent-encoded. Pure. */
void s3_put_path(const struct ship_url *url, const char *host, const char *name, struct buf *out);

/* What a window's file is called there: when it was stands in its first bytes; without them the
 * name doesn't say it. */
void s3_object_name(const void *file, size_t len, const char *boot, uint64_t seq,
		    char ret[static WINDOW_DATED_SIZE]);

#endif
