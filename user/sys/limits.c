// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sys/limits.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/resource.h>

#include "base/cleanup.h"

/* Two to three times what was seen to be needed, with libbpf, zlib and all outputs. */
enum { STACK_BYTES = 128 * 1024 };

static struct rlimit before, stack_before;
static bool raised, stack_raised;

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

unsigned long fds_open(void)
{
	_cleanup_closedir_ DIR *dir = opendir("/proc/self/fd");
	const struct dirent *entry;
	unsigned long n = 0;

	while (dir && (entry = readdir(dir)))
		n += entry->d_name[0] != '.';
	return n ? n - 1 : 0; /* our own look at it */
}

unsigned long stack_kb_needed(void)
{
	/* the kernel puts our name at the very top, above arguments and environment */
	uintptr_t top = getauxval(AT_EXECFN), here = (uintptr_t)__builtin_frame_address(0);
	unsigned long bytes = STACK_BYTES + (top > here ? top - here : 0);

	return (bytes + 1023) / 1024;
}

/* The kernel looks at the limit when the stack grows. */
unsigned long raise_stack_limit(void)
{
	rlim_t needed = stack_kb_needed() * 1024;
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &stack_before) < 0 || stack_before.rlim_cur >= needed)
		return 0;
	limit = stack_before;
	limit.rlim_cur = needed;
	if (needed > limit.rlim_max)
		return limit.rlim_max / 1024;
	stack_raised = setrlimit(RLIMIT_STACK, &limit) == 0;
	return 0;
}

void restore_limits(void)
{
	if (raised)
		setrlimit(RLIMIT_NOFILE, &before);
	if (stack_raised)
		setrlimit(RLIMIT_STACK, &stack_before);
}
