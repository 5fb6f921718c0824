// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sys/kernel_functions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* "ffffffff81000000 T name", and behind a tab the module. */
static int is_function_called(const char *line, const char *name)
{
	const char *at = strchr(line, ' ');
	size_t n = strlen(name);

	return at && at[1] && strchr("tTwW", at[1]) && at[2] == ' ' &&
	       strncmp(at + 3, name, n) == 0 && strchr("\t\n", at[3 + n]);
}

int kernel_functions_called(const char *name)
{
	_cleanup_fclose_ FILE *file = fopen("/proc/kallsyms", "re");
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;
	int n = 0;

	if (!file)
		return -errno;
	while (getline(&line, &cap, file) > 0)
		n += is_function_called(line, name);
	return n;
}
