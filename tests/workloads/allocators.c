// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Two functions allocate memory that a third one touches first: allocate_most 700 pages and
 * allocate_rest 300, in blocks of a page or two, among others that are freed and given to somebody
 * else again. So of the faults in touch_all 70 % are about memory of allocate_most and 30 % about
 * allocate_rest's. allocate_other's are never touched; grow has one block of 64 pages, that began
 * as one of 16 bytes. With a name, allocations are by that: malloc (as without), calloc, realloc,
 * aligned_alloc, posix_memalign. With a number besides, it says where its malloc is ("malloc
 * ADDRESS"), and does it all so many seconds after.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAGE = 4096, MOST = 700, REST = 300, GROWN = 64, BLOCKS = MOST + REST };

static char *volatile pages[BLOCKS];

static const char *how = "malloc";
static void *aligned;

/* A macro, so that it is the function's own call. */
#define ALLOCATE(size)                                                                         \
	(strcmp(how, "calloc") == 0         ? calloc(1, size) :                                \
	 strcmp(how, "realloc") == 0        ? realloc(NULL, size) :                            \
	 strcmp(how, "aligned_alloc") == 0  ? aligned_alloc(PAGE, size) :                      \
	 strcmp(how, "posix_memalign") == 0 ? (posix_memalign(&aligned, 64, size) ? NULL :     \
										    aligned) : \
					      malloc(size))

/* The page that is all the block's. */
static char *page_in(char *block)
{
	return (char *)(((uintptr_t)block + PAGE - 1) & ~(uintptr_t)(PAGE - 1));
}

static __attribute__((noipa)) char *allocate_most(void)
{
	return ALLOCATE(2 * PAGE);
}

static __attribute__((noipa)) char *allocate_rest(void)
{
	return ALLOCATE(2 * PAGE);
}

/* Given back at once: the same addresses will be another's. */
static __attribute__((noipa)) void allocate_other(void)
{
	char *volatile p = ALLOCATE(2 * PAGE);

	free(p);
}

static __attribute__((noipa)) void touch_all(void)
{
	for (int i = 0; i < BLOCKS; i++)
		*(volatile char *)pages[i] = 1;
}

static __attribute__((noipa)) char *grow(void)
{
	char *p = malloc(16);

	p = realloc(p, (GROWN + 1) * PAGE);
	return p ? p : NULL;
}

static __attribute__((noipa)) void touch_grown(char *p)
{
	p = page_in(p);
	for (int i = 0; i < GROWN - 1; i++)
		*(volatile char *)(p + i * PAGE) = 1;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		how = argv[1];
	if (argc > 2) {
		printf("malloc %p\n", (void *)(uintptr_t)malloc);
		fflush(stdout);
		sleep((unsigned)strtoul(argv[2], NULL, 10));
	}
	for (int i = 0; i < BLOCKS; i++) {
		allocate_other();
		pages[i] = page_in(i % 10 < 7 ? allocate_most() : allocate_rest());
	}
	touch_all();
	touch_grown(grow());
	free(NULL);
	return 0;
}
