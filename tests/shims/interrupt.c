// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A signal every SHIM_US microseconds whose handler does nothing, and after which no call is
 * started again (EINTR). */
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>
#include "shim.h"

static void nothing(int number)
{
	(void)number;
}

__attribute__((constructor)) static void begin(int argc, char **argv)
{
	long us = shim_number("SHIM_US", 500);
	const struct itimerval often = {{0, us}, {0, us}};

	if (!shim_wanted(argc, argv))
		return;
	sigaction(SIGALRM, &(struct sigaction){.sa_handler = nothing}, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
}
