// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "ship/pause.h"

#include <errno.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

enum {
	BACKOFF_MS = 500,       /* doubled with each try, */
	BACKOFF_MAX_MS = 60000, /* up to that */
};

static uint64_t random_below(uint64_t n)
{
	uint64_t r = 0;

	if (getrandom(&r, sizeof(r), 0) != sizeof(r))
		r = (uint64_t)getpid();
	return n ? r % n : 0;
}

void pause_a_while(unsigned tries, uint32_t wait_s)
{
	uint64_t most = BACKOFF_MS, ms;
	struct timespec t;

	for (unsigned i = 1; i < tries && most < BACKOFF_MAX_MS; i++)
		most *= 2;
	ms = random_below(most < BACKOFF_MAX_MS ? most : BACKOFF_MAX_MS) + wait_s * 1000ULL;
	t = (struct timespec){(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};
	while (nanosleep(&t, &t) < 0 && errno == EINTR)
		;
}
