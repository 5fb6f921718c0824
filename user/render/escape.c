// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/utf8.h"

/* U+2028 and U+2029 end a line, for those that read text as Unicode; U+202A to U+202E and U+2066 to
 * U+2069 turn around how the rest of one looks. */
static bool breaks_or_turns_lines(const uint8_t *s)
{
	return s[0] == 0xe2 && ((s[1] == 0x80 && s[2] >= 0xa8 && s[2] <= 0xae) ||
				(s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9));
}

static void escape(struct buf *out, const char *name, const char *marks)
{
	const uint8_t *s = (const uint8_t *)name;

	while (*s) {
		size_t len = utf8__length(s, UTF8_TO_ITS_NUL);

		if (len > 1 && !utf8__is_control(s) && !breaks_or_turns_lines(s)) {
			buf__add(out, s, len);
			s += len;
			continue;
		}
		if (*s < 0x20 || *s >= 0x7f || strchr(marks, *s))
			buf__printf(out, "\\x%02x", *s);
		else
			buf__putc(out, (char)*s);
		s++;
	}
}

void escape_name(struct buf *out, const char *name)
{
	escape(out, name, ";\\");
}

void escape_line(struct buf *out, const char *line)
{
	escape(out, line, "");
}

void escape_lines(struct buf *out, const char *before, const char *lines)
{
	while (lines && *lines) {
		_cleanup_free_ char *line = xstrndup(lines, strcspn(lines, "\n"));

		buf__puts(out, before);
		escape_line(out, line);
		buf__putc(out, '\n');
		lines += strlen(line);
		lines += *lines == '\n';
	}
}

/* In quotes that know \xHH, which no others do. */
static void quote_bytes(struct buf *out, const char *word)
{
	buf__puts(out, "$'");
	for (; *word; word++) {
		if (*word >= 0x20 && *word < 0x7f)
			buf__printf(out, strchr("'\\", *word) ? "\\%c" : "%c", *word);
		else
			buf__printf(out, "\\x%02x", (uint8_t)*word);
	}
	buf__putc(out, '\'');
}

void escape_word(struct buf *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_./:,+=@-";
	_cleanup_(buf__done) struct buf safe = {0};

	escape_line(&safe, word);
	if (*word && word[strspn(word, plain)] == '\0') {
		buf__puts(out, word);
		return;
	}
	if (safe.len && strcmp(safe.data, word) != 0) {
		quote_bytes(out, word);
		return;
	}
	buf__putc(out, '\'');
	for (; *word; word++)
		buf__printf(out, *word == '\'' ? "'\\%c'" : "%c", *word);
	buf__putc(out, '\'');
}
