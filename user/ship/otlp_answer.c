// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "ship/otlp.h"

#include <stdio.h>
#include <string.h>

#include "base/cursor.h"
#include "base/proto.h"

/* Fields, by their messages. */
enum {
	RESPONSE_PARTIAL = 1,
	PARTIAL_REJECTED = 1,
	PARTIAL_MESSAGE = 2,
	STATUS_MESSAGE = 2,
};

enum { SAID_MAX = 300 };

/* The text of a field, in characters that a terminal may be given. */
static void said(const void *data, size_t len, unsigned field, char ret[static SAID_MAX])
{
	struct cursor c = cursor__over(data, len);
	struct proto_field f;
	size_t n = 0;

	while (proto__next(&c, &f)) {
		if (f.number != field || !f.bytes)
			continue;
		for (; n < f.len && n + 1 < SAID_MAX; n++)
			ret[n] = f.bytes[n] >= ' ' && f.bytes[n] < 0x7f ? (char)f.bytes[n] : '?';
		break;
	}
	ret[n] = '\0';
}

/* Profiles that it has rejected; false: the bytes aren't such a message. */
static bool rejected(const struct proto_field *partial, uint64_t *ret)
{
	struct cursor c = cursor__over(partial->bytes, partial->len);
	struct proto_field f;

	while (cursor__left(&c)) {
		if (!proto__next(&c, &f))
			return false;
		if (f.number == PARTIAL_REJECTED && f.wire == PROTO_VARINT)
			*ret = f.value;
	}
	return true;
}

/* What the server has taken only a part of is over: it mustn't be sent again. What is no answer of
 * this protocol may be a proxy's page, and the profiles went nowhere. */
static enum answer accepted(const struct http_reply *reply, char why[static HTTP_TEXT_MAX])
{
	struct cursor c = cursor__over(reply->data, reply->len);
	struct proto_field f, partial = {0};
	char message[SAID_MAX];
	uint64_t n = 0;
	bool is_ours = true;

	while (is_ours && cursor__left(&c)) {
		is_ours = proto__next(&c, &f);
		if (is_ours && f.number == RESPONSE_PARTIAL) {
			partial = f;
			is_ours = f.bytes && rejected(&f, &n);
		}
	}
	if (!is_ours) {
		snprintf(why, HTTP_TEXT_MAX,
			 "the server answers 200, but not in OpenTelemetry's protocol");
		return ANSWER_DOUBT;
	}
	if (!n)
		return ANSWER_DONE;
	said(partial.bytes, partial.len, PARTIAL_MESSAGE, message);
	snprintf(why, HTTP_TEXT_MAX, "the server has rejected %llu profiles%s%s",
		 (unsigned long long)n, *message ? ": " : "", message);
	return ANSWER_REFUSED;
}

enum answer otlp_answer(const struct http_reply *reply, char why[static HTTP_TEXT_MAX])
{
	char message[SAID_MAX];

	if (reply->outcome != HTTP_ANSWERED)
		return answer__of_none(reply, why);
	if (reply->status == 200)
		return accepted(reply, why);
	said(reply->data, reply->len, STATUS_MESSAGE, message);
	snprintf(why, HTTP_TEXT_MAX, "the server answers %u%s%s", reply->status,
		 *message ? ": " : "", message);
	/* which the Collector says with 400 */
	if (reply->status == 413 || strstr(message, "request body too large"))
		return ANSWER_SPLIT;
	if (reply->status == 400)
		return ANSWER_REFUSED;
	return reply->status == 408 || reply->status >= 500 ? ANSWER_DOUBT : ANSWER_LATER;
}
