// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * waits [TIMES=40]: threads that have no CPU for known reasons.
 *
 * Known answer: "sleeper" sleeps TIMES times for 4 ms in nap(). "contender" waits TIMES / 4 times
 * in wait_for_lock() for a lock that "owner" keeps for 4 ms. "reader" waits TIMES times in
 * wait_for_word() for what "writer" sends each 4 ms. Two threads "busy" want the same CPU until
 * each has had it for 2 ms times TIMES. What each of them measured of itself is printed:
 *
 *	NAME TIMES WALL-NS CPU-NS	of the waiting; of "busy" all
 *	all THREADS WALL-NS CPU-NS MOST-NS
 *		of all threads, from their first switch on; MOST-NS: from where each but the first
 *		was made until it was gone
 */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include "spin.h"

enum { MS = 1000000 };

static size_t times;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t turn;
static int words[2];

struct figures {
	const char *name;
	uint64_t times, wall_ns, cpu_ns, life_ns, made_ns;
	void (*work)(struct figures *f);
};

WORK static void nap(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 4 * MS}, NULL);
}

WORK static void wait_for_lock(void)
{
	pthread_mutex_lock(&lock);
}

WORK static void wait_for_word(void)
{
	char word;

	if (read(words[0], &word, 1) != 1)
		exit(1);
}

static void timed(struct figures *f, void (*what)(void))
{
	uint64_t began = clock_ns(CLOCK_MONOTONIC);

	what();
	f->wall_ns += clock_ns(CLOCK_MONOTONIC) - began;
	f->times++;
}

static void sleeper(struct figures *f)
{
	for (size_t i = 0; i < times; i++)
		timed(f, nap);
}

static void owner(struct figures *f)
{
	(void)f;
	for (size_t i = 0; i < times / 4; i++) {
		pthread_mutex_lock(&lock);
		pthread_barrier_wait(&turn); /* the other one wants it now */
		nanosleep(&(struct timespec){.tv_nsec = 4 * MS}, NULL);
		pthread_mutex_unlock(&lock);
		pthread_barrier_wait(&turn);
	}
}

static void contender(struct figures *f)
{
	for (size_t i = 0; i < times / 4; i++) {
		pthread_barrier_wait(&turn);
		timed(f, wait_for_lock);
		pthread_mutex_unlock(&lock);
		pthread_barrier_wait(&turn);
	}
}

static void writer(struct figures *f)
{
	(void)f;
	for (size_t i = 0; i < times; i++) {
		nanosleep(&(struct timespec){.tv_nsec = 4 * MS}, NULL);
		if (write(words[1], "", 1) != 1)
			exit(1);
	}
}

static void reader(struct figures *f)
{
	for (size_t i = 0; i < times; i++)
		timed(f, wait_for_word);
}

SPINS(want_the_cpu)

static void busy(struct figures *f)
{
	cpu_set_t all, one;

	sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&one);
	for (int cpu = 0; cpu < CPU_SETSIZE && !CPU_COUNT(&one); cpu++) {
		if (CPU_ISSET(cpu, &all))
			CPU_SET(cpu, &one);
	}
	sched_setaffinity(0, sizeof(one), &one);
	f->times = 1;
	f->wall_ns = clock_ns(CLOCK_MONOTONIC);
	f->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	want_the_cpu(2 * MS * (uint64_t)times);
	f->wall_ns = clock_ns(CLOCK_MONOTONIC) - f->wall_ns;
	f->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - f->cpu_ns;
}

/* What a thread does before its first switch is in nobody's books. */
static uint64_t begin(void)
{
	poll(NULL, 0, 1);
	return clock_ns(CLOCK_MONOTONIC);
}

static void *run(void *figures)
{
	struct figures *f = figures;
	uint64_t began;

	pthread_setname_np(pthread_self(), f->name);
	began = begin();
	f->work(f);
	f->life_ns = clock_ns(CLOCK_MONOTONIC) - began;
	return NULL;
}

int main(int argc, char **argv)
{
	struct figures all[] = {
		{.name = "sleeper", .work = sleeper},     {.name = "owner", .work = owner},
		{.name = "contender", .work = contender}, {.name = "writer", .work = writer},
		{.name = "reader", .work = reader},       {.name = "busy", .work = busy},
		{.name = "busy", .work = busy},
	};
	enum { N = sizeof(all) / sizeof(*all) };
	uint64_t wall = begin(), most = 0;
	pthread_t threads[N];

	times = (size_t)arg_num(argc, argv, 1, 40);
	if (pipe(words) < 0)
		return 1;
	pthread_barrier_init(&turn, NULL, 2);
	for (size_t i = 0; i < N; i++) {
		all[i].made_ns = clock_ns(CLOCK_MONOTONIC);
		pthread_create(&threads[i], NULL, run, &all[i]);
	}
	for (size_t i = 0; i < N; i++) {
		pthread_join(threads[i], NULL);
		most += clock_ns(CLOCK_MONOTONIC) - all[i].made_ns;
	}
	wall = clock_ns(CLOCK_MONOTONIC) - wall;
	for (size_t i = 0; i < N; i++) {
		printf("%s %ju %ju %ju\n", all[i].name, (uintmax_t)all[i].times,
		       (uintmax_t)all[i].wall_ns, (uintmax_t)all[i].cpu_ns);
		wall += all[i].life_ns;
	}
	printf("all %d %ju %ju %ju\n", N + 1, (uintmax_t)wall,
	       (uintmax_t)clock_ns(CLOCK_PROCESS_CPUTIME_ID), (uintmax_t)most);
	return 0;
}
