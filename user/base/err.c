// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool continues_character(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* What is said behind a long name is what matters: so the middle goes, not the end. */
static void leave_middle_out(struct err *err, const char *text, size_t len)
{
	static const char gap[] = " … ";
	size_t room = sizeof(err->text) - sizeof(gap), head = room / 2;
	const char *tail = text + len - (room - head);

	while (head && continues_character(text[head]))
		head--;
	while (continues_character(*tail))
		tail++;
	snprintf(err->text, sizeof(err->text), "%.*s%s%s", (int)head, text, gap, tail);
}

static int err__fill(struct err *err, int exit_code, int ret, const char *fmt, va_list ap)
{
	char *whole = NULL;
	va_list again;
	int len;

	if (!err)
		return ret;
	va_copy(again, ap);
	err->exit_code = exit_code;
	len = vsnprintf(err->text, sizeof(err->text), fmt, ap);
	/* without memory it stays cut at the end */
	if (len >= (int)sizeof(err->text) && vasprintf(&whole, fmt, again) == len)
		leave_middle_out(err, whole, (size_t)len);
	va_end(again);
	free(whole);
	return ret;
}

#define FILL(exit_code, ret)                                   \
	do {                                                   \
		va_list ap;                                    \
		va_start(ap, fmt);                             \
		ret = err__fill(err, exit_code, ret, fmt, ap); \
		va_end(ap);                                    \
		return ret;                                    \
	} while (0)

int err__set(struct err *err, int ret, const char *fmt, ...)
{
	FILL(EXIT_FAILED, ret);
}

int err__usage(struct err *err, const char *fmt, ...)
{
	int ret = -EINVAL;

	FILL(EXIT_USAGE, ret);
}

int err__cannot(struct err *err, const char *fmt, ...)
{
	int ret = -EOPNOTSUPP;

	FILL(EXIT_CANNOT, ret);
}
