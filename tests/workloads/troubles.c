// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * troubles KIND [MS=400]: a program that is badly made in one way, for so much CPU time.
 *
 * Known answer, of `pmubpf advise`:
 *
 *	churn      frees and allocates 40 MB again, in reuse(): allocator-churn
 *	touch      maps 40 MB and touches each page once, in touch_pages(): page-faults
 *	switches   two threads hand a byte to and fro, in hand_over(): context-switches
 *	locks      four threads want one lock, in want_lock(): locks
 *	queue      four threads on one CPU: run-queue
 *	starts     starts itself again and again: process-starts
 *	calls      calls that do nothing, in ask(): system-calls
 *	copy       copies 1 MB, in copy_all(): copying
 *	fine       none of these
 */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spin.h"

enum { MEGA = 1 << 20, SIZE = 40 * MEGA, PAGE = 4096, THREADS = 4, MS = 1000000 };

static uint64_t work_ns;
static int there[2], back[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool goes_on(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID) < work_ns;
}

WORK static void touch_all(volatile char *pages)
{
	for (int i = 0; i < SIZE; i += PAGE)
		pages[i] = 1;
}

WORK static void reuse(void)
{
	char *buffer = malloc(SIZE);

	touch_all(buffer);
	free(buffer);
}

WORK static void touch_pages(void)
{
	char *fresh = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (fresh == MAP_FAILED)
		exit(1);
	touch_all(fresh);
	munmap(fresh, SIZE);
}

WORK static void hand_over(int from, int to)
{
	char byte = 0;

	if (read(from, &byte, 1) != 1 || write(to, &byte, 1) != 1)
		exit(0);
}

static void *answer(void *arg)
{
	for (;;)
		hand_over(there[0], back[1]);
	return arg;
}

static void keep_to_one_cpu(void)
{
	cpu_set_t set;
	int cpu = sched_getcpu();

	CPU_ZERO(&set);
	CPU_SET(cpu < 0 ? 0 : cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void start(pthread_t *thread, void *(*work)(void *))
{
	if (pthread_create(thread, NULL, work, NULL))
		exit(1);
}

static void switches(void)
{
	pthread_t thread;

	keep_to_one_cpu();
	if (pipe(there) || pipe(back) || write(back[1], "", 1) != 1)
		exit(1);
	start(&thread, answer);
	while (goes_on())
		hand_over(back[0], there[1]);
}

WORK static void want_lock(void)
{
	pthread_mutex_lock(&lock);
	burn(100000);
	pthread_mutex_unlock(&lock);
}

static void *lock_again(void *arg)
{
	while (goes_on())
		want_lock();
	return arg;
}

static void *burn_along(void *arg)
{
	while (goes_on())
		burn(100000);
	return arg;
}

static void together(void *(*work)(void *))
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		start(&threads[i], work);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

/* Children's CPU time is theirs, so it is told by their number. */
static void starts(const char *self)
{
	for (int i = 0; i < 300; i++) {
		pid_t child = fork();

		if (child == 0) {
			execl(self, self, "nothing", (char *)NULL);
			_exit(1);
		}
		waitpid(child, NULL, 0);
	}
}

WORK static void ask(void)
{
	for (int i = 0; i < 1000; i++)
		syscall(SYS_getppid);
}

WORK static void copy_all(char *to, const char *from)
{
	memcpy(to, from, MEGA);
	__asm__ volatile("" : : "r"(to) : "memory");
}

static void copy(void)
{
	char *from = calloc(1, MEGA), *to = malloc(MEGA);

	while (from && to && goes_on())
		copy_all(to, from);
}

static void again(void (*work)(void))
{
	while (goes_on())
		work();
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";

	work_ns = (argc > 2 ? strtoull(argv[2], NULL, 10) : 400) * MS;
	if (!strcmp(kind, "churn"))
		again(reuse);
	else if (!strcmp(kind, "touch"))
		again(touch_pages);
	else if (!strcmp(kind, "switches"))
		switches();
	else if (!strcmp(kind, "locks"))
		together(lock_again);
	else if (!strcmp(kind, "queue"))
		keep_to_one_cpu(), together(burn_along);
	else if (!strcmp(kind, "starts"))
		starts(argv[0]);
	else if (!strcmp(kind, "calls"))
		again(ask);
	else if (!strcmp(kind, "copy"))
		copy();
	else if (!strcmp(kind, "fine"))
		burn_along(NULL);
	return 0;
}
