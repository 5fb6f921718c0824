// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Breakpoints of the CPU as SHIM_BREAKPOINTS says: "taken": a process can't set any in itself, as
 * where a debugger has them all, though in others; "deaf": they can be set and are never met, as
 * in some VMs.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim.h"

static bool taken, deaf;

__attribute__((constructor)) static void look(int argc, char **argv)
{
	const char *how = getenv("SHIM_BREAKPOINTS");

	if (!how || !shim_wanted(argc, argv))
		return;
	taken = strcmp(how, "taken") == 0;
	deaf = strcmp(how, "deaf") == 0;
}

long syscall(long number, ...)
{
	static long (*real)(long number, ...);
	struct perf_event_attr *attr;
	long arg[6];
	va_list list;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "syscall");
	va_start(list, number);
	for (int i = 0; i < 6; i++)
		arg[i] = va_arg(list, long);
	va_end(list);
	attr = number == SYS_perf_event_open ? (struct perf_event_attr *)arg[0] : NULL;
	if (attr && attr->type == PERF_TYPE_BREAKPOINT) {
		if (taken && arg[1] == 0) {
			errno = ENOSPC;
			return -1;
		}
		if (deaf)
			attr->disabled = 1;
	}
	return real(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}
