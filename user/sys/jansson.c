// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sys/jansson.h"

#include "base/library.h"
#include "base/mem.h"

const struct jansson *jansson_load(void)
{
	static struct jansson lib;
	static const struct library_function functions[] = {
		{"json_loadb", &lib.loadb},
		{"json_object_get", &lib.object_get},
		{"json_array_get", &lib.array_get},
		{"json_array_size", &lib.array_size},
		{"json_string_value", &lib.string_value},
		{"json_number_value", &lib.number_value},
		{"json_delete", &lib.delete},
		{"json_load_file", &lib.load_file},
	};
	static bool loaded;

	if (!loaded)
		loaded = library_load(JANSSON_LIBRARY, functions, ARRAY_SIZE(functions));
	return loaded ? &lib : NULL;
}
