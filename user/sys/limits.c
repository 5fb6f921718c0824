// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sys/limits.h"

#include <stdbool.h>
#include <sys/resource.h>

static struct rlimit before;
static bool raised;

void raise_fd_limit(void)
{
	struct rlimit limit;

	if (raised || getrlimit(RLIMIT_NOFILE, &before) < 0)
		return;
	limit = before;
	limit.rlim_cur = limit.rlim_max;
	raised = setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

unsigned long fd_limit(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 0;
}

void restore_fd_limit(void)
{
	if (raised)
		setrlimit(RLIMIT_NOFILE, &before);
}
