// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/target_memory.h"

#include <string.h>
#include <unistd.h>

enum { PAGE = 4096 };

bool target_memory__read(struct target_memory *m, uint64_t addr, void *to, size_t n)
{
	if (!m->reads_left || !addr || addr > INT64_MAX - n)
		return false;
	m->reads_left--;
	return pread(m->fd, to, n, (off_t)addr) == (ssize_t)n;
}

uint64_t target_memory__word(struct target_memory *m, uint64_t addr)
{
	uint64_t word;

	return target_memory__read(m, addr, &word, sizeof(word)) ? word : 0;
}

/* Not beyond its page, unless it goes on there: the next may be none. */
bool target_memory__text(struct target_memory *m, uint64_t addr, char *to, size_t max)
{
	size_t done = 0;

	while (done < max - 1) {
		size_t n = PAGE - (addr + done) % PAGE;

		if (n > max - 1 - done)
			n = max - 1 - done;
		if (!target_memory__read(m, addr + done, to + done, n))
			return false;
		if (memchr(to + done, '\0', n))
			return true;
		done += n;
	}
	to[done] = '\0';
	return true;
}
