// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sys/calls.h"

#include <errno.h>
#include <seccomp.h>

#include "base/cleanup.h"
#include "base/mem.h"

int call_number(const char *name)
{
	int number = seccomp_syscall_resolve_name(name);

	return number < 0 ? -ENOENT : number; /* those of other architectures have negative ones */
}

char *call_name(int number)
{
	_cleanup_free_ char *name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, number);

	return name ? xstrdup(name) : xasprintf("#%d", number);
}
