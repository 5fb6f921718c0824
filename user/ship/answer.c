// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "ship/answer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"

enum { LINE_MAX_BYTES = 300, STATUS_OK = 200, UNKNOWN_TABLE = 60 };

/* The first line, in characters that a terminal may be given. The caller frees. */
static char *first_line(const struct http_reply *reply)
{
	size_t n = reply->len < LINE_MAX_BYTES ? reply->len : LINE_MAX_BYTES;
	char *line = xstrndup(reply->data ? reply->data : "", reply->data ? n : 0);

	for (char *c = line; *c; c++) {
		if (*c == '\n') {
			*c = '\0';
			break;
		}
		if (*c < ' ' || *c >= 0x7f)
			*c = '?';
	}
	return line;
}

/* The number of ClickHouse's exception; 0: it has named none. */
static unsigned code_of(const struct http_reply *reply)
{
	static const char start[] = "Code: ";
	_cleanup_free_ char *line = first_line(reply);
	const char *at = line + sizeof(start) - 1;
	uint64_t code;

	if (!starts_with(line, start) || !num__take_u64(&at, &code) || code > UINT16_MAX)
		return 0;
	return (unsigned)code;
}

/* ClickHouse's ErrorCodes: of what it couldn't make rows of. */
static bool is_of_rows(unsigned code)
{
	/* ATTEMPT_TO_READ_AFTER_EOF, CANNOT_PARSE_*, CANNOT_READ_ALL_DATA, INCORRECT_DATA,
	 * TOO_LARGE_STRING_SIZE, TOO_LARGE_ARRAY_SIZE */
	static const unsigned codes[] = {6,  26, 27, 32,  33,  38,  41,  53,
					 72, 69, 70, 117, 131, 128, 354, 130};

	for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
		if (codes[i] == code)
			return true;
	}
	return false;
}

/* A shard that went away has the code of rows that were cut: what became of them isn't known. */
static bool is_between_servers(const struct http_reply *reply)
{
	static const char words[] = "while receiving packet from";

	return reply->data && memmem(reply->data, reply->len, words, sizeof(words) - 1);
}

enum answer answer__of(const struct http_reply *reply)
{
	unsigned code;

	if (reply->outcome == HTTP_NOT_SENT || reply->outcome == HTTP_NO_LIBRARY)
		return ANSWER_LATER;
	if (reply->outcome != HTTP_ANSWERED)
		return ANSWER_DOUBT;
	if (reply->status == STATUS_OK)
		return ANSWER_DONE;
	if (reply->status == 413)
		return ANSWER_SPLIT;
	code = code_of(reply);
	if (is_between_servers(reply))
		return ANSWER_DOUBT;
	if (is_of_rows(code) || (reply->status == 400 && !code))
		return ANSWER_REFUSED;
	/* an account, a table that isn't there, too many questions */
	return reply->status < 500 ? ANSWER_LATER : ANSWER_DOUBT;
}

enum answer answer__of_none(const struct http_reply *reply, char why[static HTTP_TEXT_MAX])
{
	snprintf(why, HTTP_TEXT_MAX, "the server can't be asked: %.400s", reply->why);
	return reply->outcome == HTTP_NOT_SENT || reply->outcome == HTTP_NO_LIBRARY ? ANSWER_LATER :
										      ANSWER_DOUBT;
}

bool answer__no_table(const struct http_reply *reply)
{
	return reply->outcome == HTTP_ANSWERED && code_of(reply) == UNKNOWN_TABLE;
}

int answer__check(const struct http_reply *reply, struct err *err)
{
	_cleanup_free_ char *line = first_line(reply);

	if (reply->outcome == HTTP_TOO_LARGE)
		return err__set(err, -EFBIG,
				"the server's reply is longer than --max-size allows: name less "
				"time, a host or a container, or allow more");
	if (reply->outcome != HTTP_ANSWERED)
		return err__set(err, -EIO, "the server can't be asked: %s", reply->why);
	if (reply->status == STATUS_OK)
		return 0;
	if (reply->status >= 300 && reply->status < 400)
		return err__set(err, -EIO,
				"the server answers %u, a redirect; none is followed: name the "
				"place itself",
				reply->status);
	return err__set(err, -EIO, "the server answers %u: %s", reply->status, line);
}
