// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "collect/beside.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "collect/programs.h"

static bool is_own(const struct bpf_map *map)
{
	static const char *const own[] = {"pmb_scratch", "pmb_known_rules", "pmb_dumps",
					  "pmb_stats",   "pmb_alloc",       "pmb_block",
					  "pmb_mapped",  "pmb_none"};

	for (size_t i = 0; i < ARRAY_SIZE(own); i++) {
		if (strncmp(bpf_map__name(map), own[i], strlen(own[i])) == 0)
			return true;
	}
	return bpf_map__is_internal(map);
}

int beside__share_maps(struct bpf_object *obj, const struct programs *programs)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, obj) {
		int fd = is_own(map) ? -1 : programs__map_fd(programs, bpf_map__name(map));
		int r = 0;

		if (!is_own(map))
			r = fd < 0 ? -ENOENT : bpf_map__reuse_fd(map, fd);
		if (r < 0)
			return r;
	}
	return 0;
}
