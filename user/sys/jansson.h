/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* libjansson, loaded when the first JSON file is read: whoever has none to read needs no
 * library. */
#ifndef PMUBPF_SYS_JANSSON_H
#define PMUBPF_SYS_JANSSON_H

#include <jansson.h>

#define JANSSON_LIBRARY "libjansson.so.4"

struct jansson {
	typeof(json_load_file) *load_file;
	typeof(json_loadb) *loadb;
	typeof(json_object_get) *object_get;
	typeof(json_array_get) *array_get;
	typeof(json_array_size) *array_size;
	typeof(json_string_value) *string_value;
	typeof(json_number_value) *number_value;
	typeof(json_delete) *delete;
};

/* NULL if it isn't there. */
const struct jansson *jansson_load(void);

#endif
