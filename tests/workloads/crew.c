// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * crew [TURNS=50] [MS=10] [FAULTS=20]: threads that wait for each other, so that one runs at a
 * time; windows are opened and closed by two of them, and a third works.
 *
 * Known answer, of each turn: the first thread calls begin(), the second one too, the first calls
 * end(), the second one too; before the first end() and between both the worker spends MS ms of CPU
 * time in helped() and causes FAULTS page faults, and after the second as much in alone(). So by
 * process a turn has one window, from the first begin() to the last end(), and one opening inside
 * of it, whoever of them opens it. last() is called by the first thread once, before the end.
 * Words: the CPU time in helped() and in alone(), us.
 */
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>
#include "spin.h"

struct mate {
	int orders[2], done[2];
};

static struct mate first, second, worker;
static uint64_t spin_ns, helped_ns, alone_ns;
static size_t faults, page_size;
static char *pages;

WORK static void begin(void)
{
	__asm__ volatile("nop");
}

WORK static void end(void)
{
	__asm__ volatile("nop; nop");
}

WORK static void last(void)
{
	__asm__ volatile("nop; nop; nop");
}

WORK static void touch(void)
{
	for (size_t i = 0; i < faults; i++)
		((volatile char *)pages)[i * page_size] = 1;
	madvise(pages, (faults + 1) * page_size, MADV_DONTNEED);
}

static inline __attribute__((always_inline)) uint64_t work(void)
{
	uint64_t before = thread_cpu_ns();

	touch();
	spin_for(spin_ns);
	return thread_cpu_ns() - before;
}

WORK static void helped(void)
{
	helped_ns += work();
}

WORK static void alone(void)
{
	alone_ns += work();
}

static void obey(char order)
{
	switch (order) {
	case 'b':
		begin();
		break;
	case 'e':
		end();
		break;
	case 'l':
		last();
		break;
	case 'h':
		helped();
		break;
	case 'a':
		alone();
		break;
	}
}

static void *serve(void *arg)
{
	struct mate *self = arg;
	char order;

	while (read(self->orders[0], &order, 1) == 1 && order != 'q') {
		obey(order);
		if (write(self->done[1], &order, 1) != 1)
			exit(1);
	}
	return NULL;
}

static void order(struct mate *to, char what)
{
	if (write(to->orders[1], &what, 1) != 1)
		exit(1);
	if (what != 'q' && read(to->done[0], &what, 1) != 1)
		exit(1);
}

static void turn(void)
{
	order(&first, 'b');
	order(&worker, 'h');
	order(&second, 'b');
	order(&first, 'e');
	order(&worker, 'h');
	order(&second, 'e');
	order(&worker, 'a');
}

int main(int argc, char **argv)
{
	struct mate *const all[] = {&first, &second, &worker};
	size_t turns = (size_t)arg_num(argc, argv, 1, 50);
	pthread_t threads[3];

	spin_ns = (uint64_t)(arg_num(argc, argv, 2, 10) * 1e6);
	faults = (size_t)arg_num(argc, argv, 3, 20);
	page_size = (size_t)sysconf(_SC_PAGESIZE);
	pages = mmap(NULL, (faults + 1) * page_size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		return 1;
	madvise(pages, (faults + 1) * page_size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < 3; i++) {
		if (pipe(all[i]->orders) != 0 || pipe(all[i]->done) != 0 ||
		    pthread_create(&threads[i], NULL, serve, all[i]) != 0)
			return 1;
	}
	order(&worker, 'a'); /* what is faulted in once only: tables of pages */
	alone_ns = 0;
	for (size_t i = 0; i < turns; i++)
		turn();
	order(&first, 'l');
	for (size_t i = 0; i < 3; i++) {
		order(all[i], 'q');
		pthread_join(threads[i], NULL);
	}
	printf("helped %llu\nalone %llu\n", (unsigned long long)(helped_ns / 1000),
	       (unsigned long long)(alone_ns / 1000));
	return 0;
}
