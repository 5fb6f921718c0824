// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

bool library_load(const char *file, const struct library_function *functions, size_t n)
{
	void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);

	for (size_t i = 0; handle && i < n; i++) {
		void *found = dlsym(handle, functions[i].name);

		if (!found)
			return false;
		memcpy(functions[i].at, &found, sizeof(found));
	}
	return handle;
}
