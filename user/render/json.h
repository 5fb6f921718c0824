/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A streaming JSON writer, indented by two spaces, that always yields valid UTF-8: bytes that are
 * no UTF-8 become U+FFFD, control bytes \u00XX. Commas and newlines are the writer's business.
 *
 *	struct json j = { .out = &buf };
 *	json__obj(&j, NULL);
 *	json__str(&j, "event", "cycles");
 *	json__end_obj(&j);		the outermost end adds the last newline
 *
 * `key` is NULL inside an array and for the outermost value. A NULL string value becomes null.
 */
#ifndef PMUBPF_RENDER_JSON_H
#define PMUBPF_RENDER_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct json {
	struct buf *out; /* borrowed */
	unsigned depth;
	bool more;     /* the innermost object or array has a member already */
	bool one_line; /* everything on one line: JSON Lines */
};

void json__obj(struct json *j, const char *key);
void json__end_obj(struct json *j);
void json__arr(struct json *j, const char *key);
void json__end_arr(struct json *j);

void json__str(struct json *j, const char *key, const char *val);
/* What every document begins with: version, and command_line: the words behind `pmubpf
 * SUBCOMMAND`. */
void json__head(struct json *j, const char *subcommand, char *const *words);
/* An array of the lines of a text, which may be NULL. */
void json__lines(struct json *j, const char *key, const char *lines);
void json__u64(struct json *j, const char *key, uint64_t val);
void json__i64(struct json *j, const char *key, int64_t val);
/* JSON knows neither NaN nor infinity: both are written as null. */
void json__f64(struct json *j, const char *key, double val, int decimals);
void json__bool(struct json *j, const char *key, bool val);
void json__null(struct json *j, const char *key);

#endif
