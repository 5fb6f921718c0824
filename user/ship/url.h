/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where rows go: "clickhouse+http://HOST[:PORT]/DATABASE", or clickhouse+https. */
#ifndef PMUBPF_SHIP_URL_H
#define PMUBPF_SHIP_URL_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

struct ship_url {
	char *base;     /* "http://127.0.0.1:8123" */
	char *database; /* letters, digits and _ */
	bool https;
	bool loopback; /* the host is this one, by an address or as localhost */
};

bool ship_url__is(const char *text); /* it begins as one */
/* 0 or -EINVAL with a usage error that begins with the option's name. The caller frees with its
 * done. */
int ship_url__parse(struct ship_url *ret, const char *text, const char *option, struct err *err);
void ship_url__done(struct ship_url *url);

/* Appends a text as SQL has it: 'it\'s'. */
void sql__put_text(struct buf *out, const char *text);
/* Appends it for a query of a URL: a%20b. */
void url__put(struct buf *out, const char *text);

#endif
