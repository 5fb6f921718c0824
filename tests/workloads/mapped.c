// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * mapped [SECONDS]: three functions ask the kernel for memory that a fourth one touches, a page
 * each time: of the faults in touch_all, 700 are about what ask_most has from mmap(), 200 about
 * what ask_rest grew by mremap(), and 100 about what ask_heap has from brk(). In between is what
 * must not be taken for theirs: ask_gone's memory, half of which is unmapped and given to ask_rest,
 * at the same addresses. Begins after so many seconds. A child that is forked before the last 100
 * pages of ask_most's are touched touches 50 of these.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spin.h"

enum { PAGE = 4096, MOST = 700, REST = 200, HEAP = 100, LAST = 100, CHILD = 50, GONE = 2 * REST };

#define CHECK(what)                    \
	do {                           \
		if (!(what)) {         \
			perror(#what); \
			exit(1);       \
		}                      \
	} while (0)

static inline __attribute__((always_inline)) char *map(void *at, size_t pages, int flags)
{
	char *ret = mmap(at, pages * PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	CHECK(ret != MAP_FAILED);
	madvise(ret, pages * PAGE, MADV_NOHUGEPAGE);
	return ret;
}

WORK static char *ask_most(void)
{
	char *ret = map(NULL, MOST, 0);

	__asm__ volatile("");
	return ret;
}

WORK static char *ask_gone(void)
{
	char *ret = map(NULL, GONE, 0);

	__asm__ volatile("");
	return ret;
}

/* Where the second half of ask_gone's was. */
WORK static char *ask_rest(char *gone)
{
	char *ret;

	CHECK(munmap(gone + REST * PAGE, REST * PAGE) == 0);
	ret = map(gone + REST * PAGE, REST / 2, MAP_FIXED);
	ret = mremap(ret, REST / 2 * PAGE, REST * PAGE, MREMAP_MAYMOVE);
	CHECK(ret != MAP_FAILED);
	madvise(ret, (size_t)REST * PAGE, MADV_NOHUGEPAGE);
	return ret;
}

/* No library's: its brk() would be asked by somebody else before. */
WORK static char *ask_heap(void)
{
	char *now = sbrk(0);

	CHECK(brk(now + HEAP * PAGE + PAGE) == 0);
	return (char *)(((unsigned long)now + PAGE - 1) & ~(PAGE - 1UL));
}

WORK static void touch_all(volatile char *from, size_t pages)
{
	for (size_t i = 0; i < pages; i++)
		from[i * PAGE] = 1;
}

int main(int argc, char **argv)
{
	char *most, *rest, *heap, *gone;
	pid_t child;

	if (argc > 1)
		sleep((unsigned)arg_num(argc, argv, 1, 0));
	most = ask_most();
	gone = ask_gone();
	rest = ask_rest(gone);
	heap = ask_heap();
	touch_all(most, MOST - LAST);
	touch_all(rest, REST);
	touch_all(heap, HEAP);
	child = fork();
	CHECK(child >= 0);
	if (!child) {
		touch_all(most + (MOST - LAST) * PAGE, CHILD);
		_exit(0);
	}
	CHECK(waitpid(child, NULL, 0) == child);
	touch_all(most + (MOST - LAST) * PAGE, LAST);
	return 0;
}
