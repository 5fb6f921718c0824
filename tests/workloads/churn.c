// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Allocates and frees blocks for so many seconds, as fast as it can, and writes to one that it has
 * from the beginning. By so many threads; 1.
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum { AT_ONCE = 1000, KEPT = 1 << 20 };

static time_t end;

static void *churn(void *unused)
{
	char *volatile kept = malloc(KEPT);

	for (size_t n = 0; kept && time(NULL) < end; n++) {
		for (size_t i = 0; i < AT_ONCE; i++) {
			void *volatile p = malloc(64 + i % 100);

			free(p);
		}
		kept[n % KEPT] = 1;
	}
	free(kept);
	return unused;
}

int main(int argc, char **argv)
{
	size_t threads = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
	pthread_t thread;

	end = time(NULL) + (argc > 1 ? (time_t)strtoul(argv[1], NULL, 10) : 3);
	for (size_t i = 1; i < threads; i++) {
		if (pthread_create(&thread, NULL, churn, NULL))
			return 1;
	}
	churn(NULL);
	return 0;
}
