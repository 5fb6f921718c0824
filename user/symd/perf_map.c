// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/perf_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"

static bool take_number(const char **p, uint64_t *ret)
{
	while (**p == ' ' || **p == '\t')
		++*p;
	if ((*p)[0] == '0' && ((*p)[1] == 'x' || (*p)[1] == 'X'))
		*p += 2;
	return num__take_hex(p, ret) && (**p == ' ' || **p == '\t');
}

/* The text goes on after the line; digits stop at its newline, so nothing is read past it. */
static bool parse_line(const char *line, const char *end, struct symbol *ret)
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
	ret->name = p;
	ret->len = (uint32_t)(end - p < PERF_MAP_NAME_MAX ? end - p : PERF_MAP_NAME_MAX);
	return ret->len > 0;
}

/* Where the last PERF_MAP_LINES_MAX lines begin. */
static const char *last_lines(const char *text, const char *stop)
{
	size_t n = 0;

	for (const char *p = stop; p > text; p--) {
		if (p[-1] == '\n' && n++ == PERF_MAP_LINES_MAX)
			return p;
	}
	return text;
}

void perf_map__parse(char *text, size_t len, struct perf_map *ret)
{
	const char *stop = text + len, *line = last_lines(text, stop);
	uint32_t number = 0;

	*ret = (struct perf_map){.text = text};
	while (line < stop) {
		const char *end = memchr(line, '\n', (size_t)(stop - line));
		struct symbol s = {.prio = ++number};

		if (!end)
			end = stop;
		if (parse_line(line, end, &s) && !symtab__add(&ret->symbols, &s))
			break;
		line = end + 1;
	}
	symtab__finish(&ret->symbols);
}

int perf_map__read(int fd, struct perf_map *ret)
{
	_cleanup_free_ char *text = NULL;
	size_t len = 0, cap = 0;
	off_t from = 0;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if (st.st_size > PERF_MAP_BYTES_MAX)
		from = st.st_size - PERF_MAP_BYTES_MAX;
	while (len < PERF_MAP_BYTES_MAX) {
		ssize_t n;

		if (cap - len < 64 * 1024) {
			cap = cap ? 2 * cap : 256 * 1024;
			text = xrealloc(text, cap + 1, 1);
		}
		n = pread(fd, text + len, cap - len, from + (off_t)len);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n == 0)
			break;
		if (n > 0)
			len += (size_t)n;
	}
	/* A JIT may be writing the last line right now; half a name is still a name. */
	text[len] = '\0';
	perf_map__parse(TAKE_PTR(text), len, ret);
	return 0;
}

void perf_map__done(struct perf_map *map)
{
	symtab__done(&map->symbols);
	free(map->text);
	map->text = NULL;
}
