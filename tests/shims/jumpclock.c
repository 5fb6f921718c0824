// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The time of day jumps by a day, back and forth, with every look at it. */
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "shim.h"

static bool on;
static long jump = 86400;

__attribute__((constructor)) static void begin(int argc, char **argv)
{
	on = shim_wanted(argc, argv);
}

static long next_jump(void)
{
	return on ? (jump = -jump) : 0;
}

int clock_gettime(clockid_t id, struct timespec *ret)
{
	int r = (int)syscall(SYS_clock_gettime, id, ret);

	if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)
		ret->tv_sec += next_jump();
	return r;
}

int gettimeofday(struct timeval *ret, void *zone)
{
	int r = (int)syscall(SYS_gettimeofday, ret, zone);

	ret->tv_sec += next_jump();
	return r;
}

time_t time(time_t *ret)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (ret)
		*ret = now.tv_sec;
	return now.tv_sec;
}
