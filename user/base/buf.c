// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/buf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static void buf__reserve(struct buf *b, size_t more)
{
	size_t need = b->len + more + 1;

	if (need <= b->cap)
		return;
	b->cap = need < 2 * b->cap ? 2 * b->cap : need + 64;
	b->data = xrealloc(b->data, b->cap, 1);
}

void buf__add(struct buf *b, const void *data, size_t len)
{
	buf__reserve(b, len);
	if (len)
		memcpy(b->data + b->len, data, len);
	b->len += len;
	b->data[b->len] = '\0';
}

void buf__puts(struct buf *b, const char *text)
{
	buf__add(b, text, strlen(text));
}

void buf__putc(struct buf *b, char c)
{
	buf__add(b, &c, 1);
}

void buf__printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (len <= 0)
		return;
	buf__reserve(b, (size_t)len);
	va_start(ap, fmt);
	vsnprintf(b->data + b->len, (size_t)len + 1, fmt, ap);
	va_end(ap);
	b->len += (size_t)len;
}

void *buf__room(struct buf *b, size_t len)
{
	void *room;

	buf__reserve(b, len);
	room = b->data + b->len;
	b->len += len;
	b->data[b->len] = '\0';
	return room;
}

int buf__write(const struct buf *b, FILE *file)
{
	errno = 0;
	if ((!b->len || fwrite(b->data, 1, b->len, file) == b->len) && fflush(file) == 0)
		return 0;
	return errno ? -errno : -EIO;
}

bool buf__cut(struct buf *b, size_t max, size_t before)
{
	if (!max || b->len <= max)
		return false;
	b->len = before;
	b->data[before] = '\0';
	return true;
}

void buf__clear(struct buf *b)
{
	b->len = 0;
	if (b->data)
		b->data[0] = '\0';
}

void buf__done(struct buf *b)
{
	free(b->data);
	*b = (struct buf){0};
}

char *buf__take(struct buf *b)
{
	char *text = b->data ? b->data : xstrdup("");

	*b = (struct buf){0};
	return text;
}
