// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * breakpoints: whether hardware breakpoints count here, asked without the tool.
 *
 * Opens one on a variable of its own, stores to it ten times and prints the count: 10. Some
 * hypervisors let a guest set them and never let them fire; then it prints 0. Exit 1: they can't be
 * opened.
 */
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile uint64_t watched;

int main(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(attr),
		.bp_type = HW_BREAKPOINT_W,
		.bp_addr = (uintptr_t)&watched,
		.bp_len = HW_BREAKPOINT_LEN_8,
		.exclude_kernel = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	uint64_t count;

	if (fd < 0) {
		perror("perf_event_open");
		return 1;
	}
	for (uint64_t i = 0; i < 10; i++)
		watched = i;
	if (read(fd, &count, sizeof(count)) != sizeof(count))
		return 1;
	printf("%ju\n", (uintmax_t)count);
	return 0;
}
