// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "prof/frame_count.h"

bool frame_count__add(uint64_t *all, const struct prof *p, const uint32_t *stack, size_t n,
		      size_t bytes)
{
	uint64_t frames = 0, by_size = (uint64_t)bytes * FRAMES_OF_BYTE;

	for (size_t i = 0; i < n; i++) {
		uint32_t lines = p->locations[stack[i]].n_lines;

		frames += lines ? lines : 1;
	}
	*all += frames;
	return frames <= FRAMES_OF_STACK &&
	       *all <= (by_size > FRAMES_OF_FILE ? by_size : FRAMES_OF_FILE);
}
