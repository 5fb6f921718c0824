// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * units [UNITS=1000] [FAULTS=7] [THREADS=4]: threads whose units of work are between two calls of
 * poll(), and move to another CPU in the midst of each, if there is one.
 *
 * Known answer: each of THREADS threads calls poll() UNITS + 1 times, and between two of the calls
 * causes exactly FAULTS page faults, of fresh pages of its own. In windows of `loop' that is
 * THREADS times UNITS that end, and one of each thread that doesn't, because the thread does. The
 * first thread waits in no call that begins a window.
 */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "spin.h"

static size_t units, faults, page_size;
static int done[2], n_cpus, cpus[CPU_SETSIZE];

static void move_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

WORK static void one_unit(volatile char *pages, size_t unit)
{
	for (size_t i = 0; i < faults; i++) {
		if (i == faults / 2)
			move_to(cpus[unit % (size_t)n_cpus]);
		pages[i * page_size] = 1;
	}
}

static void *work(void *arg)
{
	char *pages = mmap(NULL, faults * page_size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)arg;
	if (pages == MAP_FAILED)
		exit(1);
	madvise(pages, faults * page_size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < faults; i++) /* what is faulted in once only: tables of pages */
		((volatile char *)pages)[i * page_size] = 1;
	for (size_t i = 0; i < units; i++) {
		poll(NULL, 0, 0);
		madvise(pages, faults * page_size, MADV_DONTNEED);
		one_unit(pages, i);
	}
	poll(NULL, 0, 0);
	if (write(done[1], "", 1) != 1)
		exit(1);
	return NULL;
}

int main(int argc, char **argv)
{
	size_t threads;
	cpu_set_t set;
	char byte;

	units = (size_t)arg_num(argc, argv, 1, 1000);
	faults = (size_t)arg_num(argc, argv, 2, 7);
	threads = (size_t)arg_num(argc, argv, 3, 4);
	page_size = (size_t)sysconf(_SC_PAGESIZE);
	sched_getaffinity(0, sizeof(set), &set);
	for (int i = 0; i < CPU_SETSIZE; i++) {
		if (CPU_ISSET(i, &set))
			cpus[n_cpus++] = i;
	}
	if (pipe(done) < 0)
		return 1;
	for (size_t i = 0; i < threads; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, work, NULL) != 0)
			return 1;
	}
	for (size_t i = 0; i < threads; i++) {
		if (read(done[0], &byte, 1) != 1)
			return 1;
	}
	return 0;
}
