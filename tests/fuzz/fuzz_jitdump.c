// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A jitdump, as a file. */
#include <string.h>

#include "fuzz.h"
#include "symd/jitdump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	int fd = fuzz_file(data, len);
	struct perf_map map = {0};
	volatile char last;

	if (fd >= 0 && jitdump__read(fd, &map) == 0) {
		for (size_t i = 0; i < map.symbols.n_segments; i++) {
			const struct segment *s = &map.symbols.segments[i];

			last = s->name[s->len - 1]; /* its names are its own */
			(void)last;
			symtab__find(&map.symbols, s->start);
		}
		perf_map__done(&map);
	}
	if (fd >= 0)
		close(fd);
	return 0;
}
