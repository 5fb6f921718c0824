// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * calls SECONDS: what a system call costs that does nothing (getppid), and one that waits and need
 * not (epoll_wait): the least of slices of 1,000 calls, in ns, which is what nothing disturbed.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { SLICE = 1000 };

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static uint64_t slice_of_nothing(void)
{
	uint64_t start = now_ns();

	for (int i = 0; i < SLICE; i++)
		syscall(SYS_getppid);
	return now_ns() - start;
}

static uint64_t slice_of_waits(int poll)
{
	struct epoll_event event;
	uint64_t start = now_ns();

	for (int i = 0; i < SLICE; i++)
		epoll_wait(poll, &event, 1, 0);
	return now_ns() - start;
}

int main(int argc, char **argv)
{
	uint64_t end = now_ns() + (uint64_t)((argc > 1 ? strtod(argv[1], NULL) : 1) * 1e9);
	uint64_t nothing = UINT64_MAX, waits = UINT64_MAX;
	int poll = epoll_create1(0), ready = eventfd(1, 0);
	struct epoll_event event = {.events = EPOLLIN};

	epoll_ctl(poll, EPOLL_CTL_ADD, ready, &event);
	while (now_ns() < end) {
		uint64_t a = slice_of_nothing(), b = slice_of_waits(poll);

		nothing = a < nothing ? a : nothing;
		waits = b < waits ? b : waits;
	}
	printf("%.1f %.1f\n", (double)nothing / SLICE, (double)waits / SLICE);
	return 0;
}
