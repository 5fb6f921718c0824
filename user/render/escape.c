// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/cleanup.h"

/* The length of the UTF-8 sequence at s, 0 if it isn't one (overlong, surrogate, cut short). */
static int utf8_length(const uint8_t *s)
{
	int len = s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;

	for (int i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	}
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	if (s[0] == 0xc2 && s[1] < 0xa0)
		return 0; /* C1 control characters: terminals obey them */
	return len;
}

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
		int len = *s < 0x80 ? 0 : utf8_length(s);

		if (len && !breaks_or_turns_lines(s)) {
			buf__add(out, s, (size_t)len);
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

void escape_word(struct buf *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_./:,+=@-";
	_cleanup_(buf__done) struct buf safe = {0};

	escape_name(&safe, word);
	if (safe.len && strspn(safe.data, plain) == safe.len) {
		buf__puts(out, safe.data);
		return;
	}
	buf__putc(out, '\'');
	for (const char *p = safe.data; p && *p; p++)
		buf__printf(out, *p == '\'' ? "'\\%c'" : "%c", *p);
	buf__putc(out, '\'');
}
