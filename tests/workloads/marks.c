// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * marks [UNITS=1000] [FAULTS=7] [THREADS=1]: units of work that begin and end with a write
 * to memory at a known address.
 *
 * Known answer: each of THREADS threads writes UNITS times to 0x600000000000, causes exactly
 * FAULTS page faults, of fresh pages of its own, moves to another CPU, if there is one, and writes
 * to 0x600000000040. It has two probes of its own at these places, marks:begin and marks:end; the
 * latter is met only while somebody waits for it. Between two units it causes one more fault.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "spin.h"

#include "sdt.h"

enum { BEGIN = 0, END = 64 };

SDT_COUNTER(end);
static size_t units, faults, page_size;
static volatile char *marks;
static int n_cpus, cpus[CPU_SETSIZE];

WORK static void move_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

WORK static void touch(volatile char *pages)
{
	for (size_t i = 0; i < faults; i++)
		pages[i * page_size] = 1;
}

WORK static void one_unit(volatile char *pages, size_t unit)
{
	marks[BEGIN] = 1;
	SDT_PROBE(marks, begin);
	touch(pages);
	move_to(cpus[unit % (size_t)n_cpus]);
	if (SDT_IS_ON(end))
		SDT_PROBE_COUNTED(marks, end);
	marks[END] = 1;
}

static void *work(void *arg)
{
	size_t size = (faults + 1) * page_size;
	char *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)arg;
	if (pages == MAP_FAILED)
		exit(1);
	madvise(pages, size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i <= faults; i++) /* what is faulted in once only: tables of pages */
		((volatile char *)pages)[i * page_size] = 1;
	for (size_t i = 0; i < units; i++) {
		madvise(pages, size, MADV_DONTNEED);
		one_unit(pages, i);
		((volatile char *)pages)[faults * page_size] = 1;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[64];
	size_t n;
	cpu_set_t set;

	units = (size_t)arg_num(argc, argv, 1, 1000);
	faults = (size_t)arg_num(argc, argv, 2, 7);
	n = (size_t)arg_num(argc, argv, 3, 1);
	page_size = (size_t)sysconf(_SC_PAGESIZE);
	marks = mmap((void *)0x600000000000, page_size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (marks != (volatile char *)0x600000000000 || n > 64)
		return 1;
	sched_getaffinity(0, sizeof(set), &set);
	for (int i = 0; i < CPU_SETSIZE; i++) {
		if (CPU_ISSET(i, &set))
			cpus[n_cpus++] = i;
	}
	for (size_t i = 0; i < n; i++) {
		if (pthread_create(&threads[i], NULL, work, NULL) != 0)
			return 1;
	}
	for (size_t i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
