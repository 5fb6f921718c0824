/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Windows by OpenTelemetry's protocol over HTTP, as profiles: experimental, since the signal is
 * still called v1development there, and its messages change. Numbers of fields are those of
 * opentelemetry-proto, profiles/v1development, as of 1.11. A resource for each container, in it a
 * profile for each type of value, of many samples several; what they have in common stands in one
 * dictionary.
 */
#ifndef PMUBPF_SHIP_OTLP_H
#define PMUBPF_SHIP_OTLP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "model/intern.h"
#include "prof/prof.h"
#include "ship/answer.h"
#include "ship/http_client.h"
#include "ship/push.h"
#include "ship/rows.h"

/* What a request can be halved down to: a profile, of so many samples of a resource. */
enum { OTLP_PART_SAMPLES = 4096 };
struct otlp_part {
	uint32_t resource, chunk; /* of the resource's samples */
	size_t type, first, n;    /* those of `order` */
};

/* A window on its way. */
struct otlp {
	const struct prof *prof;          /* borrowed */
	const struct rows_window *window; /* likewise */
	struct intern resources;          /* arrays of texts: values of a resource's labels */
	size_t *order;                    /* samples, those of a resource together */
	struct otlp_part *parts;
	size_t n, cap;
	bool *taken; /* of each part */
};

void otlp__make(struct otlp *ret, const struct prof *prof, const struct rows_window *window);
void otlp__done(struct otlp *o);

/* The body of a request: of those of [from, to) that aren't taken. */
void otlp__put(const struct otlp *o, size_t from, size_t to, struct buf *out);
/* What an answer means, and what the server says, in a sentence. Pure. */
enum answer otlp_answer(const struct http_reply *reply, char why[static HTTP_TEXT_MAX]);

/* As push__send(). */
enum answer otlp__send(struct otlp *o, struct http_client *http, const struct push_how *how,
		       uint64_t *bytes, uint32_t *ret_wait_s, char why[static HTTP_TEXT_MAX]);

#endif
