// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A character is a column: names with wide ones are rare, and a terminal wraps what is left. */
#include "render/wrap.h"

#include <string.h>

#include "base/utf8.h"

static size_t columns(const char *text, size_t len)
{
	size_t n = 0, step;

	for (size_t i = 0; i < len; i += step ? step : 1, n++)
		step = utf8__length((const uint8_t *)text + i, len - i);
	return n;
}

/* A number and its percent sign are one. */
static size_t word_length(const char *text)
{
	size_t n = strcspn(text, " \n");

	return n && strncmp(text + n, " %", 2) == 0 ? n + 1 + strcspn(text + n + 1, " \n") : n;
}

static void wrap_line(struct buf *out, const char *line, size_t len, unsigned width)
{
	size_t margin = strspn(line, " "), indent = margin + 2 < width / 2 ? margin + 2 : 0;
	size_t column = 0, end;

	for (size_t at = 0; at < len; at = end) {
		size_t space = strspn(line + at, " "), word, used;

		space = space < len - at ? space : len - at;
		word = word_length(line + at + space);
		if (!word)
			break;
		end = at + space + word;
		used = columns(line + at + space, word);
		if (column > margin && column + space + used > width) {
			buf__printf(out, "\n%*s", (int)indent, "");
			column = indent;
			at += space;
			space = 0;
		}
		buf__add(out, line + at, end - at);
		column += space + used;
	}
}

void wrap_lines(struct buf *out, const char *text, unsigned width)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		if (width && columns(text, len) > width)
			wrap_line(out, text, len, width);
		else
			buf__add(out, text, len);
		text += len;
		if (*text)
			buf__putc(out, *text++);
	}
}
