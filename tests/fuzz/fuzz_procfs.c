// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Any bytes as /proc/PID/maps, as status, and as mountinfo: paths in them are the program's. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "fuzz.h"
#include "proc/mountinfo.h"
#include "sys/procfs.h"

static void as_maps(char *text)
{
	struct map_line map;
	char *line;

	while ((line = strsep(&text, "\n"))) {
		size_t len = strlen(line);

		if (procfs_parse_map(line, &map) &&
		    (map.start >= map.end || map.path < line || map.path > line + len))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	_cleanup_free_ char *maps = fuzz_text(data, len), *status = fuzz_text(data, len);
	_cleanup_(mountinfo__done) struct mountinfo mounts;
	struct proc_status st;

	as_maps(maps);
	procfs_parse_status(status, &st);
	mountinfo__parse(&mounts, fuzz_text(data, len));
	for (size_t i = 0; i < mounts.n && i < 16; i++) {
		const struct mount_line *m = &mounts.lines[i];

		if (!mountinfo__at(&mounts, m->point))
			abort();
		/* what is mounted can be reached: by itself, if by nothing else */
		free(mountinfo__reach(&mounts, m->device, m->root));
	}
	return 0;
}
