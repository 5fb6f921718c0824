// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sys/names_in.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void names_in__read(struct names_in *ret, const char *root, const char *folder, const char *prefix)
{
	_cleanup_free_ char *path = xasprintf("%s%s", root, folder);
	_cleanup_closedir_ DIR *dir = opendir(path);
	const struct dirent *entry;
	size_t cap = 0;

	*ret = (struct names_in){0};
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || !starts_with(entry->d_name, prefix))
			continue;
		GROW(ret->list, ret->n, cap);
		ret->list[ret->n++] = xstrdup(entry->d_name);
	}
	if (ret->n)
		qsort(ret->list, ret->n, sizeof(*ret->list), by_name);
}

void names_in__done(struct names_in *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->list[i]);
	free(names->list);
	*names = (struct names_in){0};
}
