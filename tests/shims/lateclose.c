// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The opener takes SHIM_CLOSE_S seconds for closing a probe that it has kept: so it is where a
 * program holds the lock that the kernel needs for taking a probe out of it. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <unistd.h>
#include "shim.h"

static bool wanted;
static bool kept[1024];

__attribute__((constructor)) static void begin(int argc, char **argv)
{
	wanted = argc > 1 && strcmp(argv[1], "opener") == 0;
}

/* Nothing else in the opener is copied. */
static int copied(int fd)
{
	if (wanted && fd >= 0 && fd < 1024)
		kept[fd] = true;
	return fd;
}

int fcntl(int fd, int command, ...)
{
	int (*next)(int fd, int command, long argument) =
		(int (*)(int, int, long))dlsym(RTLD_NEXT, "fcntl");
	va_list args;
	long argument;

	va_start(args, command);
	argument = va_arg(args, long);
	va_end(args);
	if (command == F_DUPFD_CLOEXEC)
		return copied(next(fd, command, argument));
	return next(fd, command, argument);
}

int close(int fd)
{
	int (*next)(int fd) = (int (*)(int))dlsym(RTLD_NEXT, "close");

	if (wanted && fd >= 0 && fd < 1024 && kept[fd]) {
		kept[fd] = false;
		sleep((unsigned)shim_number("SHIM_CLOSE_S", 1));
	}
	return next(fd);
}
