/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A window to a server that takes it over HTTP in parts, and can't be asked for it afterwards: what
 * Pyroscope and OTLP have in common.
 */
#ifndef PMUBPF_SHIP_PUSH_H
#define PMUBPF_SHIP_PUSH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "ship/answer.h"
#include "ship/http_client.h"
#include "ship/url.h"

/* Where to, and how. */
struct push_how {
	const struct ship_url *url;
	const struct http_secrets *secrets;
	uint32_t ms;
};

/* What is sent. */
struct push {
	const char *path;    /* behind that of the URL */
	const char *headers; /* lines of the kind, besides who asks and for whom */
	bool gzip;
	size_t max_bytes; /* of a body, unpacked, of more than one part; 0: as many as there are */
	void *ctx;
	size_t n;    /* parts */
	bool *taken; /* of each: it is there */
	/* The body of a request: of those of [from, to) that aren't there; empty: none are. */
	void (*put)(void *ctx, size_t from, size_t to, struct buf *out);
	/* What an answer means, and what the server says, in a sentence. */
	enum answer (*answer)(const struct http_reply *reply, char why[static HTTP_TEXT_MAX]);
};

/* All that aren't there; in halves where that is too much. *bytes grows by what was taken. */
enum answer push__send(const struct push *p, struct http_client *http, const struct push_how *how,
		       uint64_t *bytes, uint32_t *ret_wait_s, char why[static HTTP_TEXT_MAX]);

#endif
