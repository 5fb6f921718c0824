/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Windows to Pyroscope: its RPC push.v1.PusherService/Push, as Connect has it over HTTP, with a
 * body in protobuf: a series for each container, whose profile is a pprof file. Numbers of fields
 * are those of github.com/grafana/pyroscope, api/push/v1/push.proto and api/types/v1/types.proto.
 *
 * Its server makes a series of each set of labels that samples have: so they have none here, and
 * what is told apart is the container.
 */
#ifndef PMUBPF_SHIP_PYROSCOPE_H
#define PMUBPF_SHIP_PYROSCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "prof/prof.h"
#include "ship/answer.h"
#include "ship/http_client.h"
#include "ship/push.h"

/* What its servers take by default, of one profile. */
enum { PYROSCOPE_STACKS = 16000, PYROSCOPE_BYTES = 4 << 20 };

struct pyroscope_series {
	char *container; /* NULL: what is in none */
	struct buf file; /* gzip'd */
};

/* A window on its way. */
struct pyroscope {
	struct pyroscope_series *list;
	size_t n, cap;
	bool *taken;      /* of each */
	const char *host; /* borrowed */
};

/*
 * By container; of each at most so many stacks, those with the most samples (0: PYROSCOPE_STACKS),
 * and so many as fit into PYROSCOPE_BYTES: the rest is [other]. Sums don't change.
 */
void pyroscope__make(struct pyroscope *ret, const struct prof *prof, const char *host,
		     size_t max_stacks);
void pyroscope__done(struct pyroscope *p);

/* The body of a request: of those of [from, to) that aren't taken. */
void pyroscope__put(const struct pyroscope *p, size_t from, size_t to, struct buf *out);
/* What an answer means, and what the server says, in a sentence. Pure. */
enum answer pyroscope_answer(const struct http_reply *reply, char why[static HTTP_TEXT_MAX]);

/* As push__send(). */
enum answer pyroscope__send(struct pyroscope *p, struct http_client *http,
			    const struct push_how *how, uint64_t *bytes, uint32_t *ret_wait_s,
			    char why[static HTTP_TEXT_MAX]);

#endif
