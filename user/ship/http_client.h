/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Asks the process that has the network (ship/http.h), and waits no longer than it said. */
#ifndef PMUBPF_SHIP_HTTP_CLIENT_H
#define PMUBPF_SHIP_HTTP_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "ship/http.h"
#include "ship/url.h"

struct http_secrets {
	char *user, *password; /* NULL: none */
	int ca;                /* a descriptor; -1: the system's */
};

struct http_client;
/* Starts the process. url and secrets are borrowed. The caller frees. */
int http_client__new(struct http_client **ret, const struct ship_url *url,
		     const struct http_secrets *secrets, struct err *err);
void http_client__free(struct http_client *c); /* NULL is fine */

/* From here on the process isn't started again: its parent gives up what that needs. */
void http_client__start_no_more(struct http_client *c);
/* It has ended, and there is no other. */
bool http_client__is_over(const struct http_client *c);

/* USER:PASSWORD, from a file that nobody else may read, or without one from systemd's credential
 * "clickhouse", "s3", "pyroscope" or "otlp"; neither is fine. Sets user and password. */
int http_secrets__load(struct http_secrets *s, const char *path, const struct ship_url *url,
		       struct err *err);
/* --ca */
int http_secrets__load_ca(struct http_secrets *s, const char *path, struct err *err);
void http_secrets__done(struct http_secrets *s);

struct http_request {
	/* of S3, Pyroscope and OTLP; all else is of ClickHouse */
	enum http_method method;
	const char *path, *headers; /* lines "name: value\n" */
	const char *query;          /* SQL, of the URL; NULL: it is the body */
	const char *extra;          /* "&name=value" of the URL, or NULL */
	const void *body;
	size_t len;
	bool gzip;          /* the body gets gzip'd: a part of it is none then */
	uint64_t max_bytes; /* of the reply */
	uint32_t ms;
};

struct http_reply {
	enum http_outcome outcome;
	unsigned status;
	uint32_t wait_s;         /* that the server has asked for; 0: none */
	char why[HTTP_TEXT_MAX]; /* of other outcomes than an answer */
	const char *data;        /* of the reply */
	size_t len, mapped;
};

/* Never fails otherwise: a process that has gone is an outcome. The caller frees with its done. */
void http_client__post(struct http_client *c, const struct http_request *request,
		       struct http_reply *ret);
void http_reply__done(struct http_reply *r);

#endif
