// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Streaming JSON. Depth and one flag are state enough: after an inner object or array has ended,
 * the outer one has a member by definition.
 */
#include "render/json.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/utf8.h"

static void newline(struct json *j)
{
	if (j->one_line)
		return;
	buf__putc(j->out, '\n');
	for (unsigned i = 0; i < j->depth; i++)
		buf__puts(j->out, "  ");
}

static void put_control(struct buf *out, unsigned char c)
{
	static const char from[] = "\b\f\n\r\t", to[] = "bfnrt";
	const char *found = strchr(from, c);

	if (found)
		buf__printf(out, "\\%c", to[found - from]);
	else
		buf__printf(out, "\\u%04x", c);
}

static void put_string(struct buf *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t len;

	buf__putc(out, '"');
	while (*s) {
		len = utf8__length(s, UTF8_TO_ITS_NUL);
		if (len == 0) {
			buf__puts(out, "\\ufffd");
			len = 1;
		} else if (*s < 0x20 || *s == 0x7f) {
			put_control(out, *s);
		} else if (utf8__is_control(s)) {
			put_control(out, s[1]);
		} else {
			if (*s == '"' || *s == '\\')
				buf__putc(out, '\\');
			buf__add(out, s, len);
		}
		s += len;
	}
	buf__putc(out, '"');
}

/* What stands before a value: comma, line break and key. */
static void lead(struct json *j, const char *key)
{
	if (j->more)
		buf__putc(j->out, ',');
	if (j->depth)
		newline(j);
	if (key) {
		put_string(j->out, key);
		buf__puts(j->out, ": ");
	}
	j->more = true;
}

static void open_with(struct json *j, const char *key, char bracket)
{
	lead(j, key);
	buf__putc(j->out, bracket);
	j->depth++;
	j->more = false;
}

static void close_with(struct json *j, char bracket)
{
	j->depth--;
	if (j->more)
		newline(j);
	buf__putc(j->out, bracket);
	j->more = j->depth > 0;
	if (!j->depth)
		buf__putc(j->out, '\n');
}

void json__obj(struct json *j, const char *key)
{
	open_with(j, key, '{');
}

void json__end_obj(struct json *j)
{
	close_with(j, '}');
}

void json__arr(struct json *j, const char *key)
{
	open_with(j, key, '[');
}

void json__end_arr(struct json *j)
{
	close_with(j, ']');
}

void json__null(struct json *j, const char *key)
{
	lead(j, key);
	buf__puts(j->out, "null");
}

void json__str(struct json *j, const char *key, const char *val)
{
	if (!val) {
		json__null(j, key);
		return;
	}
	lead(j, key);
	put_string(j->out, val);
}

void json__u64(struct json *j, const char *key, uint64_t val)
{
	lead(j, key);
	buf__printf(j->out, "%" PRIu64, val);
}

void json__i64(struct json *j, const char *key, int64_t val)
{
	lead(j, key);
	buf__printf(j->out, "%" PRId64, val);
}

void json__f64(struct json *j, const char *key, double val, int decimals)
{
	if (!isfinite(val)) {
		json__null(j, key);
		return;
	}
	lead(j, key);
	buf__printf(j->out, "%.*f", decimals, val);
}

void json__bool(struct json *j, const char *key, bool val)
{
	lead(j, key);
	buf__puts(j->out, val ? "true" : "false");
}

void json__lines(struct json *j, const char *key, const char *lines)
{
	json__arr(j, key);
	while (lines && *lines) {
		_cleanup_(buf__done) struct buf line = {0};
		size_t len = strcspn(lines, "\n");

		buf__add(&line, lines, len);
		json__str(j, NULL, line.data);
		lines += len + (lines[len] == '\n');
	}
	json__end_arr(j);
}

void json__head(struct json *j, const char *subcommand, char *const *words)
{
	json__str(j, "version", PMUBPF_VERSION);
	json__arr(j, "command_line");
	json__str(j, NULL, "pmubpf");
	json__str(j, NULL, subcommand);
	while (*words)
		json__str(j, NULL, *words++);
	json__end_arr(j);
}
