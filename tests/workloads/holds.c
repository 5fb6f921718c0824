// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * holds SECONDS [FILE TEXT AFTER]: calls of a function, one each millisecond or so, and after so
 * many seconds a thread of it that writes to a file (of tests/vm/pmu/held_lock.c: which takes its
 * own memory's lock).
 *
 * Known answer: it prints how many calls there were.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "spin.h"

static char **words;

WORK static int handle(int n)
{
	usleep(1000);
	return n + 1;
}

static void *writer(void *unused)
{
	int fd = open(words[2], O_WRONLY);

	sleep((unsigned)strtoul(words[4], NULL, 10));
	if (fd < 0 || write(fd, words[3], strlen(words[3])) < 0)
		perror(words[2]);
	return unused;
}

int main(int argc, char **argv)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) +
		       (uint64_t)(1e9 * (argc > 1 ? strtod(argv[1], NULL) : 1));
	pthread_t thread;
	int n = 0;

	words = argv;
	if (argc > 4)
		pthread_create(&thread, NULL, writer, NULL);
	while (clock_ns(CLOCK_MONOTONIC) < end)
		n = handle(n);
	printf("calls %d\n", n);
	return 0;
}
