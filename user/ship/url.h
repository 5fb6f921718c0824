/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where windows go: as rows to "clickhouse+http://HOST[:PORT]/DATABASE", or clickhouse+https; as
 * objects to "s3+http://HOST[:PORT]/BUCKET[/PREFIX…][?region=REGION]", or s3+https; as profiles to
 * "pyroscope+http://HOST[:PORT][/PREFIX…][?tenant=NAME]", or pyroscope+https; likewise, by
 * OpenTelemetry's protocol, to otlp+http or otlp+https.
 */
#ifndef PMUBPF_SHIP_URL_H
#define PMUBPF_SHIP_URL_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

enum ship_kind { SHIP_CLICKHOUSE, SHIP_S3, SHIP_PYROSCOPE, SHIP_OTLP };

struct ship_url {
	enum ship_kind kind;
	char *base;      /* "http://127.0.0.1:8123" */
	char *database;  /* of ClickHouse: letters, digits and _ */
	char *path;      /* of the others: "/bucket/prefix"; NULL: none */
	char *region;    /* of S3 */
	char *authority; /* of S3: host, and the port unless it goes without saying */
	char *tenant;    /* of Pyroscope and OTLP; NULL: none */
	bool https;
	bool loopback; /* the host is this one, by an address or as localhost */
};

bool ship_url__is(const char *text); /* it begins as one of ClickHouse */
bool ship_url__is_s3(const char *text);
const char *ship_kind__name(enum ship_kind kind); /* as systemd's credential is called */
/* 0 or -EINVAL with a usage error that begins with the option's name. The caller frees with its
 * done. */
/* Of ClickHouse alone. */
int ship_url__parse(struct ship_url *ret, const char *text, const char *option, struct err *err);
/* Of any. */
int ship_url__parse_any(struct ship_url *ret, const char *text, const char *option,
			struct err *err);
void ship_url__done(struct ship_url *url);

/* Appends a text as SQL has it: 'it\'s'. */
void sql__put_text(struct buf *out, const char *text);
/* Appends it for a query of a URL: a%20b. */
void url__put(struct buf *out, const char *text);

#endif
