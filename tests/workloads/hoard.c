// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * hoard FOLDER [SECONDS=2]: has all libraries of the folder loaded (of libs/rules.c) and spins in
 * each of them in turn, so that each is in samples.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <string.h>

#include "spin.h"

enum { LIBS_MAX = 256 };

static struct {
	void (*burn)(unsigned long rounds);
} libs[LIBS_MAX];
static int n_libs;

static void load(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *d;
	char path[4096];

	while (dir && n_libs < LIBS_MAX && (d = readdir(dir))) {
		void *lib;

		snprintf(path, sizeof(path), "%s/%s", folder, d->d_name);
		lib = strstr(d->d_name, ".so") ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
		if (!lib)
			continue;
		*(void **)&libs[n_libs++].burn = dlsym(lib, "burn");
	}
	if (dir)
		closedir(dir);
}

int main(int argc, char **argv)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) +
		       (argc > 2 ? strtoull(argv[2], NULL, 10) : 2) * 1000000000;

	load(argc > 1 ? argv[1] : ".");
	if (!n_libs)
		return 1;
	while (clock_ns(CLOCK_MONOTONIC) < end) {
		for (int i = 0; i < n_libs; i++)
			libs[i].burn(100000 * jitter());
	}
	return 0;
}
