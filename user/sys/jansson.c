// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sys/jansson.h"

#include <dlfcn.h>
#include <stddef.h>

const struct jansson *jansson_load(void)
{
	static struct jansson lib;
	void *handle;

	if (lib.load_file)
		return &lib;
	handle = dlopen(JANSSON_LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		return NULL;
	lib.loadb = dlsym(handle, "json_loadb");
	lib.object_get = dlsym(handle, "json_object_get");
	lib.array_get = dlsym(handle, "json_array_get");
	lib.array_size = dlsym(handle, "json_array_size");
	lib.string_value = dlsym(handle, "json_string_value");
	lib.delete = dlsym(handle, "json_delete");
	lib.load_file = dlsym(handle, "json_load_file");
	return &lib;
}
