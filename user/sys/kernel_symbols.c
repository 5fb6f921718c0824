// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sys/kernel_symbols.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* A line is "ffffffff81000000 T name", and behind a tab the module. types: those that count, NULL:
 * all. */
static bool is_called(const char *line, const char *types, const char *name)
{
	const char *at = strchr(line, ' ');
	size_t n = strlen(name);

	return at && at[1] && (!types || strchr(types, at[1])) && at[2] == ' ' &&
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
		n += is_called(line, "tTwW", name);
	return n;
}

int kernel_symbols_at(const char *const *names, size_t n, uint64_t *ret)
{
	_cleanup_fclose_ FILE *file = fopen("/proc/kallsyms", "re");
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;

	if (!file)
		return -errno;
	memset(ret, 0, n * sizeof(*ret));
	while (getline(&line, &cap, file) > 0) {
		for (size_t i = 0; i < n; i++) {
			if (is_called(line, NULL, names[i]))
				ret[i] = strtoull(line, NULL, 16);
		}
	}
	for (size_t i = 0; i < n; i++) {
		if (!ret[i])
			return -ENOENT;
	}
	return 0;
}
