/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The lines of /proc/PID/maps that are about code. */
#ifndef PMUBPF_TESTS_CODE_LINE_H
#define PMUBPF_TESTS_CODE_LINE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* "START-END PERMS OFFSET DEVICE INODE PATH". *ret_path is of the line; NULL: of no file. False: it
 * isn't code. */
static inline bool code_line(char *line, uint64_t *ret_start, uint64_t *ret_end, uint64_t *ret_off,
			     const char **ret_path)
{
	char *at = line;

	*ret_path = strchr(line, '/');
	line[strcspn(line, "\n")] = 0;
	*ret_start = strtoull(at, &at, 16);
	*ret_end = strtoull(at + 1, &at, 16);
	if (strlen(at) < 6 || at[3] != 'x')
		return false;
	*ret_off = strtoull(at + 5, NULL, 16);
	return true;
}

#endif
