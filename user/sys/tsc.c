// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* It stands in the page of any perf event, for programs that turn the counter into time. */
#include "sys/tsc.h"

#include <linux/perf_event.h>
#include <stdbool.h>

#include "base/cleanup.h"
#include "sys/perf.h"

#if defined(__x86_64__)
static uint64_t hz_of(const struct perf_event_mmap_page *page)
{
	/* ns = ticks * time_mult >> time_shift */
	if (!page->cap_user_time || !page->time_mult || page->time_shift > 63)
		return 0;
	return (uint64_t)(1e9 * (double)(1ULL << page->time_shift) / page->time_mult);
}

static uint64_t read_hz(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
	};
	_cleanup_close_ int fd = perf_open(&attr, 0, -1);
	struct perf_ring ring = {0};
	uint64_t hz;

	if (fd < 0 || perf_ring__map(&ring, fd, 0) < 0)
		return 0;
	hz = hz_of(ring.control);
	perf_ring__unmap(&ring);
	return hz;
}

uint64_t tsc_hz(void)
{
	static uint64_t hz;
	static bool known; /* that it isn't said, too: in most virtual machines */

	if (!known)
		hz = read_hz();
	known = true;
	return hz;
}
#else
uint64_t tsc_hz(void)
{
	return 0;
}
#endif
