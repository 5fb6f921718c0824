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

size_t map_lines_keep_executable(char *text, size_t len, size_t *ret_lines)
{
	size_t kept = 0, from = 0;
	char *end;

	while ((end = memchr(text + from, '\n', len - from))) {
		size_t line = (size_t)(end + 1 - text) - from;

		if (is_executable(text + from, line)) {
			memmove(text + kept, text + from, line);
			kept += line;
		}
		from += line;
	}
	*ret_lines = kept;
	memmove(text + kept, text + from, len - from);
	return kept + len - from;
}
