// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * /proc/kcore is the file that SHIM_KCORE names: not every kernel has one, and none has code that
 * is known beforehand. A helper that was given a descriptor of it says so in the file SHIM_SEEN.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>
#include "shim.h"

int open(const char *path, int flags, ...)
{
	static int (*real)(const char *, int, ...);
	const char *other = getenv("SHIM_KCORE");
	va_list rest;
	int mode;

	va_start(rest, flags);
	mode = flags & O_CREAT ? va_arg(rest, int) : 0;
	va_end(rest);
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "open");
	return real(other && strcmp(path, "/proc/kcore") == 0 ? other : path, flags, mode);
}

static void say_seen(void)
{
	FILE *file = fopen(getenv("SHIM_SEEN"), "a");

	if (file) {
		fputs("a helper has it\n", file);
		fclose(file);
	}
}

__attribute__((constructor)) static void look(int argc, char **argv)
{
	const char *kcore = getenv("SHIM_KCORE");
	DIR *dir = argc > 1 && strncmp(argv[1], "symd", 4) == 0 ? opendir("/proc/self/fd") : NULL;
	struct dirent *entry;

	while (dir && kcore && (entry = readdir(dir))) {
		char path[300], target[300] = "";

		snprintf(path, sizeof(path), "/proc/self/fd/%s", entry->d_name);
		if (readlink(path, target, sizeof(target) - 1) > 0 && strcmp(target, kcore) == 0)
			say_seen();
	}
	if (dir)
		closedir(dir);
}
