// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Two threads count, each for itself. Their counters lie on one cache line, which each store takes
 * away from the other's CPU. With -DAPART each has a line of its own.
 *
 *	gcc -O2 -g -pthread -o together sharing.c
 *	gcc -O2 -g -pthread -DAPART -o apart sharing.c
 *	sudo pmubpf record --data -e cpu-clock -o together.pb.gz -- ./together
 *	pmubpf report --shared together.pb.gz
 *
 * A clock brings no addresses: what it finds is a candidate. With memory events of a PMU they are
 * the hardware's, and where the line came from another CPU's cache, changed, that is proof.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

enum { THREADS = 2, WORDS = 4096, ROUNDS = 10000 };

struct counter {
	atomic_long words, odd;
#ifdef APART
} __attribute__((aligned(64)));
#else
};
#endif

static struct counter counters[THREADS] __attribute__((aligned(64)));
static long words[WORDS];

static void *count(void *arg)
{
	struct counter *mine = arg;

	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < WORDS; i++) {
			atomic_fetch_add(&mine->words, 1);
			if (words[i] & 1)
				atomic_fetch_add(&mine->odd, 1);
		}
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	struct timespec used;

	for (long i = 0; i < WORDS; i++)
		words[i] = i * i / 3;
	for (int i = 0; i < THREADS; i++) {
		if (pthread_create(&threads[i], NULL, count, &counters[i]) != 0)
			return 1;
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	printf("%ld words, %ld of them odd: %.2f ns of CPU each\n",
	       counters[0].words + counters[1].words, counters[0].odd + counters[1].odd,
	       ((double)used.tv_sec * 1e9 + (double)used.tv_nsec) / THREADS / WORDS / ROUNDS);
	return 0;
}
