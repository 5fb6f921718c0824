// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sys/lock.h"

#include <errno.h>
#include <sys/file.h>
#include <time.h>

enum { STEP_MS = 50 };

int lock_alone(int fd, int wait_ms)
{
	const struct timespec step = {.tv_nsec = STEP_MS * 1000000L};

	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK || wait_ms <= 0)
			return -errno;
		nanosleep(&step, NULL);
		wait_ms -= STEP_MS;
	}
	return 0;
}
