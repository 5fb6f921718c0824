// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Memory that several functions touch first: of each what it touches is printed, as FUNCTION PAGES.
 * touch_set lets the C library do it (memset), the others don't; touch_again is given the addresses
 * that touch_before has given back. use_rest() then writes to touch_rest's pages alone, for so many
 * ms of CPU time: most of a clock's samples. With a number of pages besides, touch_many touches
 * that many, one after the other.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, MOST = 700, REST = 300, BOTH = 200, SET = 100 };

static char *map(char *where, size_t pages)
{
	char *p = mmap(where, pages * PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | (where ? MAP_FIXED : 0), -1, 0);

	if (p == MAP_FAILED)
		exit(1);
	madvise(p, pages * PAGE, MADV_NOHUGEPAGE);
	return p;
}

static __attribute__((noipa)) void touch_set(char *p)
{
	memset(p, 1, SET * PAGE);
}

static __attribute__((noipa)) void touch_most(volatile char *p)
{
	for (int i = 0; i < MOST; i++)
		p[i * PAGE] = 1;
}

static __attribute__((noipa)) void touch_rest(volatile char *p)
{
	for (int i = 0; i < REST; i++)
		p[i * PAGE] = 1;
}

static __attribute__((noipa)) void touch_before(volatile char *p)
{
	for (int i = 0; i < BOTH; i++)
		p[i * PAGE] = 1;
}

static __attribute__((noipa)) void touch_again(volatile char *p)
{
	for (int i = BOTH; i-- > 0;)
		p[i * PAGE] = 1;
}

/* Read: they are all the page of zeroes. */
static __attribute__((noipa)) void touch_many(const volatile char *p, size_t pages)
{
	for (size_t i = 0; i < pages; i++)
		(void)p[i * PAGE];
}

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static __attribute__((noipa)) void write_all(volatile long *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[i] += 1;
}

static void use_rest(char *p, long ms)
{
	for (long end = now_ms() + ms; now_ms() < end;) {
		for (int i = 0; i < 20; i++)
			write_all((long *)p, REST * PAGE / sizeof(long));
	}
}

int main(int argc, char **argv)
{
	char *most = map(NULL, MOST), *rest = map(NULL, REST), *both = map(NULL, BOTH);

	touch_most(most);
	touch_rest(rest);
	touch_before(both);
	munmap(both, BOTH * PAGE);
	touch_again(map(both, BOTH));
	touch_set(map(NULL, SET));
	printf("touch_most %d\ntouch_rest %d\ntouch_before %d\ntouch_again %d\ntouch_set %d\n",
	       MOST, REST, BOTH, BOTH, SET);
	if (argc > 1)
		use_rest(rest, strtol(argv[1], NULL, 10));
	if (argc > 2) {
		size_t pages = strtoul(argv[2], NULL, 10);

		touch_many(map(NULL, pages), pages);
		printf("touch_many %s\n", argv[2]);
	}
	return 0;
}
