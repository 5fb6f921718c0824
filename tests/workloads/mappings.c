// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * mappings FILE: touches pages of each kind of mapping, each for the first time. FILE is made, and
 * should be on a disk.
 *
 * Known answer, of the page faults below `touch`, PAGES (100) each: touch_anonymous; touch_among,
 * anonymous, too, each page a mapping of its own among 4,000; touch_file, mapped for itself;
 * touch_shared_file; touch_shared and touch_memfd, memory that has no file; touch_own_stack, a
 * thread's; touch_others_stack, of that thread, by the first one: anonymous.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "spin.h"

enum { PAGES = 100, APART = 20 };

static size_t page;

/* From the last to the first: as a stack grows. */
WORK static void touch(volatile char *from, size_t step)
{
	for (size_t i = PAGES; i-- > 0;)
		from[i * step] = 1;
}

#define TOUCH(kind)                                            \
	WORK static void touch_##kind(char *from, size_t step) \
	{                                                      \
		touch(from, step);                             \
		__asm__ volatile("");                          \
	}
TOUCH(anonymous)
TOUCH(among)
TOUCH(file)
TOUCH(shared_file)
TOUCH(shared)
TOUCH(memfd)
TOUCH(own_stack)
TOUCH(others_stack)

static char *map(size_t pages, int flags, int fd)
{
	char *ret = mmap(NULL, pages * page, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (ret == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	madvise(ret, pages * page, MADV_NOHUGEPAGE);
	return ret;
}

/* Neighbours that may be used differently are mappings of their own. */
static char *map_many(void)
{
	char *ret = map((size_t)2 * PAGES * APART, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	for (size_t i = 1; i < (size_t)2 * PAGES * APART; i += 2)
		mprotect(ret + i * page, page, PROT_READ);
	return ret;
}

static char *lent; /* of the thread's stack, which is there as long as it is */
static pthread_barrier_t ready, touched;

static void *stack_thread(void *arg)
{
	/* what was called before has touched some at the end */
	char *room = __builtin_alloca((2 * PAGES + 32) * page);

	room = (char *)(((uintptr_t)room + 4 * page) & ~(page - 1));
	lent = room;
	touch_own_stack(room + PAGES * page, page);
	pthread_barrier_wait(&ready);
	pthread_barrier_wait(&touched);
	return arg;
}

static void stacks(void)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_barrier_init(&ready, NULL, 2);
	pthread_barrier_init(&touched, NULL, 2);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, (4 * PAGES + 64) * page);
	if (pthread_create(&thread, &attr, stack_thread, NULL))
		exit(1);
	pthread_barrier_wait(&ready);
	touch_others_stack(lent, page);
	pthread_barrier_wait(&touched);
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	int file = argc > 1 ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
	int memfd = memfd_create("memfd", MFD_CLOEXEC);

	page = (size_t)sysconf(_SC_PAGESIZE);
	if (file < 0 || memfd < 0 || ftruncate(file, (off_t)(2 * PAGES * page)) ||
	    ftruncate(memfd, (off_t)(PAGES * page)))
		return 1;
	touch_anonymous(map(PAGES, MAP_PRIVATE | MAP_ANONYMOUS, -1), page);
	touch_among(map_many(), 2 * APART * page);
	touch_file(map(PAGES, MAP_PRIVATE, file), page);
	touch_shared_file(map(PAGES, MAP_SHARED, file), page);
	touch_shared(map(PAGES, MAP_SHARED | MAP_ANONYMOUS, -1), page);
	touch_memfd(map(PAGES, MAP_SHARED, memfd), page);
	stacks();
	return 0;
}
