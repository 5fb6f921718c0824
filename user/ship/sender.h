/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A cursor over a spool: each window goes to a server once, oldest first; then it is written down
 * as done. To ClickHouse: its stacks (twice does no harm), its samples, its row of windows, and
 * what may have arrived is asked for before it is sent again. To S3: its file, under a name that is
 * its own (ship/s3.h). To Pyroscope: a profile of each container (ship/pyroscope.h); what may be
 * there twice is counted. docs/design/0035-fleet.md.
 */
#ifndef PMUBPF_SHIP_SENDER_H
#define PMUBPF_SHIP_SENDER_H

#include <stdbool.h>

#include "base/err.h"
#include "ship/http_client.h"
#include "ship/rows.h"
#include "ship/state.h"

struct sender_opts {
	int spool, state_dir; /* folders; borrowed */
	const char *to;       /* the URL, */
	const struct ship_url *url;
	const struct http_secrets *secrets;
	const char *host; /* what this one is called */
	struct rows_opts rows;
	uint32_t timeout_ms; /* of a request */
	unsigned tries;      /* of a window, then it is an error; 0: for ever */
	/* What there is to say meanwhile: a sentence. */
	void (*say)(void *ctx, const char *text);
	/* After each window, sent or not; NULL: nobody wants to know. */
	void (*done)(void *ctx, const struct ship_state *state);
	void *ctx;
};

struct sender_news {
	uint64_t windows, rows, bytes; /* sent by this process; bytes before they were gzip'd */
};

struct sender;
int sender__new(struct sender **ret, struct http_client *http, const struct sender_opts *opts,
		struct err *err);
void sender__free(struct sender *s); /* NULL is fine */
/* All that is in the spool and isn't done. 0, or a negative errno with the sentence. */
int sender__run(struct sender *s, struct err *err);
const struct ship_state *sender__state(const struct sender *s);
const struct sender_news *sender__news(const struct sender *s);

#endif
