// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: lines are found from the end on, and may be longer than the window. Where one
 * begins is known when the newline before it was found; the window may have moved on by then, and
 * the line's first bytes are read again.
 */
#include "symd/perf_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"

enum {
	WINDOW_BYTES = 64 * 1024,
	HEAD_BYTES = PERF_MAP_NAME_MAX + 128, /* of a line: its numbers and as much of a name */
};

struct lines {
	int fd;
	uint64_t from; /* nothing before it is read */
	uint64_t at;   /* of the window */
	size_t len;
	char *window; /* with a NUL behind it */
	char *head;   /* of a line that isn't in the window; the same */
};

/* What isn't there any more is zeros, and no line. */
static void read_zeroed(int fd, char *ret, size_t n, uint64_t off)
{
	ssize_t got = pread(fd, ret, n, (off_t)off);

	got = got < 0 ? 0 : got;
	memset(ret + got, 0, n - (size_t)got + 1);
}

/* Where the line begins that ends at `end`. */
static uint64_t find_start(struct lines *l, uint64_t end)
{
	for (;;) {
		const char *newline;

		if (end <= l->at || end > l->at + l->len) {
			l->at = end - l->from > WINDOW_BYTES ? end - WINDOW_BYTES : l->from;
			l->len = (size_t)(end - l->at);
			read_zeroed(l->fd, l->window, l->len, l->at);
		}
		newline = memrchr(l->window, '\n', (size_t)(end - l->at));
		if (newline)
			return l->at + (uint64_t)(newline + 1 - l->window);
		if (l->at == l->from)
			return l->from;
		end = l->at;
	}
}

static bool take_number(const char **p, uint64_t *ret)
{
	while (**p == ' ' || **p == '\t')
		++*p;
	if ((*p)[0] == '0' && ((*p)[1] == 'x' || (*p)[1] == 'X'))
		*p += 2;
	return num__take_hex(p, ret) && (**p == ' ' || **p == '\t');
}

/* Digits stop at the line's end, be it a newline or a NUL, so nothing is read past it. In *ret the
 * name's offset is that in the line. */
static bool parse_line(const char *line, const char *end, struct candidate *ret)
{
	const char *p = line;
	uint64_t size;

	if (!take_number(&p, &ret->start) || !take_number(&p, &size))
		return false;
	if (!size || __builtin_add_overflow(ret->start, size, &ret->end))
		return false;
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	if (end > p && end[-1] == '\r')
		end--;
	if (p >= end)
		return false;
	ret->name = (uint64_t)(p - line);
	ret->len = (uint32_t)(end - p < PERF_MAP_NAME_MAX ? end - p : PERF_MAP_NAME_MAX);
	ret->is_set = true;
	return true;
}

static void offer_line(struct lines *l, uint64_t start, uint64_t end, uint32_t number,
		       struct asked *asked)
{
	struct candidate c = {.prio = number};
	const char *line = l->head;
	size_t len = end - start < HEAD_BYTES ? (size_t)(end - start) : HEAD_BYTES;

	if (start >= l->at && end <= l->at + l->len)
		line = l->window + (start - l->at);
	else
		read_zeroed(l->fd, l->head, len, start);
	if (!parse_line(line, line + len, &c))
		return;
	c.name += start;
	asked__offer(asked, c, c.end);
}

static void offer_lines(struct lines *l, uint64_t end, struct asked *asked)
{
	/* Behind the last newline is nothing, or the line that a JIT is writing right now: half a
	 * name is still a name, where no whole line says more. */
	for (uint32_t i = 0; i <= PERF_MAP_LINES_MAX && end > l->from; i++) {
		uint64_t start = find_start(l, end);

		/* the later line has the higher number */
		offer_line(l, start, end, i ? PERF_MAP_LINES_MAX - i + 1 : 0, asked);
		if (start == l->from)
			break;
		end = start - 1;
	}
}

int perf_map__offer(int fd, struct asked *asked)
{
	_cleanup_free_ char *window = NULL, *head = NULL;
	struct lines l = {.fd = fd};
	struct stat st;
	uint64_t end;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if (!asked->n)
		return 0;
	end = (uint64_t)st.st_size;
	if (end > PERF_MAP_BYTES_MAX)
		l.from = end - PERF_MAP_BYTES_MAX;
	l.window = window = xcalloc(1, WINDOW_BYTES + 1);
	l.head = head = xcalloc(1, HEAD_BYTES + 1);
	offer_lines(&l, end, asked);
	return 0;
}
