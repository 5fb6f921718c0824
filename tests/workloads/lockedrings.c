// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * lockedrings: maps rings of counters of its own until this user may lock no more memory for them,
 * prints "full" (or why that can't be had here), and waits for its end.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { RINGS = 4096 };

/* 0, or the errno. */
static int map_ring(size_t bytes)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_DUMMY,
				       .exclude_kernel = 1,
				       .exclude_hv = 1};
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

	if (fd < 0)
		return errno;
	/* the descriptor goes, the ring stays */
	if (mmap(NULL, page + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED) {
		int e = errno;

		close(fd);
		return e;
	}
	close(fd);
	return 0;
}

int main(void)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE) * 64;
	int e = 0;

	/* smaller ones at the end, for the last page */
	for (int i = 0; i < RINGS && (e == 0 || bytes); i++) {
		e = map_ring(bytes);
		if (e == EPERM)
			bytes = bytes > (size_t)sysconf(_SC_PAGESIZE) ? bytes / 2 : 0;
		else if (e)
			break;
	}
	puts(e == EPERM && !bytes ? "full" : e ? strerror(e) : "no limit");
	fflush(stdout);
	pause();
	return 0;
}
