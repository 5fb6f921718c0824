// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Allocates and frees blocks for so many seconds, as fast as it can, and writes to one that it has
 * from the beginning. By so many threads; 1.
 */
#include <pthread.h>
#include "spin.h"

enum { AT_ONCE = 1000, KEPT = 1 << 20 };

static uint64_t end_ns;

static void *churn(void *unused)
{
	char *volatile kept = malloc(KEPT);

	for (size_t n = 0; kept && clock_ns(CLOCK_MONOTONIC) < end_ns; n++) {
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
	size_t threads = (size_t)arg_num(argc, argv, 2, 1);
	pthread_t thread;

	end_ns = clock_ns(CLOCK_MONOTONIC) + (uint64_t)(arg_num(argc, argv, 1, 3) * 1e9);
	for (size_t i = 1; i < threads; i++) {
		if (pthread_create(&thread, NULL, churn, NULL))
			return 1;
	}
	churn(NULL);
	return 0;
}
