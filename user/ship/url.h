/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where windows go: as rows to "clickhouse+http://HOST[:PORT]/DATABASE", or clickhouse+https; as
 * objects to "s3+http://HOST[:PORT]/BUCKET[/PREFIX…][?region=REGION]", or s3+https.
 */
#ifndef PMUBPF_SHIP_URL_H
#define PMUBPF_SHIP_URL_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

struct ship_url {
	char *base;     /* "http://127.0.0.1:8123" */
	char *database; /* letters, digits and _; NULL: it is S3, and has the next three */
	char *path;     /* "/bucket/prefix" */
	char *region;
	char *authority; /* host, and the port unless it goes without saying */
	bool https;
	bool loopback; /* the host is this one, by an address or as localhost */
};

bool ship_url__is(const char *text); /* it begins as one of ClickHouse */
static inline bool ship_url__is_s3(const struct ship_url *url)
{
	return !url->database;
}
/* 0 or -EINVAL with a usage error that begins with the option's name. The caller frees with its
 * done. */
/* Of ClickHouse alone. */
int ship_url__parse(struct ship_url *ret, const char *text, const char *option, struct err *err);
/* Of either. */
int ship_url__parse_any(struct ship_url *ret, const char *text, const char *option,
			struct err *err);
void ship_url__done(struct ship_url *url);

/* Appends a text as SQL has it: 'it\'s'. */
void sql__put_text(struct buf *out, const char *text);
/* Appends it for a query of a URL: a%20b. */
void url__put(struct buf *out, const char *text);

#endif
