// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * threads [SECONDS=2]: four threads, each in a function of its own.
 *
 * Known answer: the CPU time splits 40/30/20/10 between spin_a, spin_b, spin_c and spin_d: every
 * thread stops when its own task clock has reached its part of SECONDS. The threads are named
 * worker-a … worker-d. Every stack has thread_body below the leaf's caller; main only waits.
 *
 * The clock is a task-clock counter of the thread where it may have one: unlike the thread's CPU
 * time, it goes on while the hypervisor has taken the CPU away, and so do the clocks that a
 * profiler samples by.
 *
 * threads SECONDS hold: prints "tid NAME TID" for each thread and starts the work when a line comes
 * in on stdin, so that a test can attach to one of them before. threads SECONDS leave: the first
 * thread ends as soon as the others work.
 */
#include <linux/perf_event.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "spin.h"

static pthread_barrier_t ready;
static uint64_t total_ns;

#define SPINNER(letter)                                 \
	WORK static void spin_##letter(uint64_t rounds) \
	{                                               \
		burn(rounds);                           \
	}

SPINNER(a)
SPINNER(b)
SPINNER(c)
SPINNER(d)

static const struct worker {
	const char *name;
	unsigned int percent;
	void (*spin)(uint64_t rounds);
} workers[] = {
	{"worker-a", 40, spin_a},
	{"worker-b", 30, spin_b},
	{"worker-c", 20, spin_c},
	{"worker-d", 10, spin_d},
};

enum { N_WORKERS = sizeof(workers) / sizeof(workers[0]) };

static int open_task_clock(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static uint64_t task_clock_ns(int fd)
{
	uint64_t ns;

	return fd >= 0 && read(fd, &ns, sizeof(ns)) == sizeof(ns) ? ns : thread_cpu_ns();
}

WORK static void *thread_body(void *arg)
{
	const struct worker *w = arg;

	pthread_setname_np(pthread_self(), w->name);
	printf("tid %s %d\n", w->name, (int)gettid());
	fflush(stdout);
	pthread_barrier_wait(&ready); /* named and printed */
	pthread_barrier_wait(&ready); /* may start */
	int fd = open_task_clock();
	uint64_t start_ns = task_clock_ns(fd);

	while (task_clock_ns(fd) - start_ns < total_ns / 100 * w->percent)
		w->spin(100000);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t ids[N_WORKERS];
	char line[16];

	total_ns = (uint64_t)(arg_num(argc, argv, 1, 2) * 1e9);
	pthread_barrier_init(&ready, NULL, N_WORKERS + 1);
	for (int i = 0; i < N_WORKERS; i++)
		pthread_create(&ids[i], NULL, thread_body, (void *)&workers[i]);
	pthread_barrier_wait(&ready);
	if (argc > 2 && strcmp(argv[2], "hold") == 0 && !fgets(line, sizeof(line), stdin))
		return 1;
	pthread_barrier_wait(&ready);
	if (argc > 2 && strcmp(argv[2], "leave") == 0)
		pthread_exit(NULL);
	for (int i = 0; i < N_WORKERS; i++)
		pthread_join(ids[i], NULL);
	return 0;
}
