// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * mappers THREADS TIMES: as many threads map memory, with all of its pages, and unmap it, as often
 * each, so that many are in mmap() at once. Prints how often mmap() was called for that.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "spin.h"

enum { SIZE = 256 * 1024 };

static long times;

static void *map_all(void *unused)
{
	for (long i = 0; i < times; i++) {
		void *at = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

		if (at == MAP_FAILED || munmap(at, SIZE) < 0)
			exit(1);
	}
	return unused;
}

int main(int argc, char **argv)
{
	long n = arg_num(argc, argv, 1, 32);
	pthread_t *threads = calloc((size_t)n, sizeof(*threads));

	times = arg_num(argc, argv, 2, 100);
	for (long i = 0; i < n; i++) {
		if (pthread_create(&threads[i], NULL, map_all, NULL) != 0)
			return 1;
	}
	for (long i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	printf("%ld\n", n * times);
	free(threads);
	return 0;
}
