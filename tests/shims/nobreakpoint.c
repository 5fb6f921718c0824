// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A process can't set breakpoints of the CPU in itself, as where a debugger has taken them all.
 * Those in other processes it can.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim.h"

static bool wanted;

__attribute__((constructor)) static void look(int argc, char **argv)
{
	wanted = shim_wanted(argc, argv);
}

long syscall(long number, ...)
{
	static long (*real)(long number, ...);
	long arg[6];
	va_list list;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "syscall");
	va_start(list, number);
	for (int i = 0; i < 6; i++)
		arg[i] = va_arg(list, long);
	va_end(list);
	if (wanted && number == SYS_perf_event_open && arg[1] == 0 &&
	    ((const struct perf_event_attr *)arg[0])->type == PERF_TYPE_BREAKPOINT) {
		errno = ENOSPC;
		return -1;
	}
	return real(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}
