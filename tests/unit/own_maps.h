/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef TESTS_OWN_MAPS_H
#define TESTS_OWN_MAPS_H

#include <criterion/criterion.h>
#include <string.h>

#include "base/cleanup.h"
#include "sys/procfs.h"

/* Calls fn for each executable mapping of this process. */
static inline void each_own_map(map_line_fn fn, void *ctx)
{
	_cleanup_free_ char *text = file_read("/proc/self/maps");
	char *line, *rest = text;
	struct map_line map;

	cr_assert_not_null(text);
	while ((line = strsep(&rest, "\n"))) {
		if (procfs_parse_map(line, &map))
			fn(ctx, &map);
	}
}

#endif
