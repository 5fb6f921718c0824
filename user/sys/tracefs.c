// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sys/tracefs.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "sys/procfs.h"

/* The second is where it lay before 4.1, and where debugfs still has it. */
static const char *const folders[] = {"/sys/kernel/tracing/events",
				      "/sys/kernel/debug/tracing/events"};

/* 0, or why no folder of events is there. */
static int find_events(const char **ret)
{
	int r = -ENODEV;

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		if (access(folders[i], X_OK) == 0) {
			*ret = folders[i];
			return 0;
		}
		if (errno == EACCES)
			r = -EACCES;
	}
	return r;
}

/* Neither leads out of the folder. */
static bool is_name(const char *text)
{
	return *text && *text != '.' && !strchr(text, '/');
}

int tracepoint_id(const char *category, const char *name, uint64_t *ret_id)
{
	_cleanup_free_ char *path = NULL, *text = NULL;
	const char *events;
	int r = find_events(&events);

	if (r < 0)
		return r;
	if (!is_name(category) || !is_name(name))
		return -ENOENT;
	path = xasprintf("%s/%s/%s/id", events, category, name);
	if (access(path, R_OK) < 0)
		return errno == EACCES ? -EACCES : -ENOENT;
	text = file_read_line(path);
	if (!text)
		return -EACCES;
	return num__parse_u64(text, ret_id) < 0 ? -ENOENT : 0;
}

bool tracepoint_has_category(const char *category)
{
	_cleanup_free_ char *path = NULL;
	const char *events;

	if (find_events(&events) < 0 || !is_name(category))
		return false;
	path = xasprintf("%s/%s", events, category);
	return access(path, X_OK) == 0;
}
