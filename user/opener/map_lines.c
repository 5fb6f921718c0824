// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "opener/map_lines.h"

#include <stdbool.h>
#include <string.h>

/* "55d0c1a2b000-55d0c1a2d000 r-xp …" */
static bool is_executable(const char *line, size_t len)
{
	const char *space = memchr(line, ' ', len);

	return space && space + 3 < line + len && space[3] == 'x';
}

/* "7f3e2c000000-7f3e2c001000 rw-s 00000000 00:01 1234   /memfd:OTEL_CTX (deleted)" */
static bool is_published(const char *line, size_t len)
{
	static const char *const names[] = {" /memfd:OTEL_CTX", " [anon:OTEL_CTX",
					    " [anon_shmem:OTEL_CTX"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *at = memmem(line, len, names[i], strlen(names[i]));

		if (at && at[-1] == ' ')
			return true;
	}
	return false;
}

static size_t keep(char *text, size_t len, bool (*matters)(const char *line, size_t len),
		   size_t *ret_lines)
{
	size_t kept = 0, from = 0;
	char *end;

	while ((end = memchr(text + from, '\n', len - from))) {
		size_t line = (size_t)(end + 1 - text) - from;

		if (matters(text + from, line)) {
			memmove(text + kept, text + from, line);
			kept += line;
		}
		from += line;
	}
	*ret_lines = kept;
	memmove(text + kept, text + from, len - from);
	return kept + len - from;
}

size_t map_lines_keep_executable(char *text, size_t len, size_t *ret_lines)
{
	return keep(text, len, is_executable, ret_lines);
}

size_t map_lines_keep_published(char *text, size_t len, size_t *ret_lines)
{
	return keep(text, len, is_published, ret_lines);
}
