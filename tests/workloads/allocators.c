// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Two functions allocate memory that a third one touches first: allocate_most 700 pages and
 * allocate_rest 300, in blocks of a page or two, among others that are freed and given to somebody
 * else again. So of the faults in touch_all 70 % are about memory of allocate_most and 30 % about
 * allocate_rest's. allocate_other's are never touched; grow has one block of 64 pages, that began
 * as one of 16 bytes. With names, each is done as often as there are, by those: malloc (as
 * without), calloc, realloc, reallocarray, aligned_alloc, memalign, posix_memalign, valloc, and
 * operator new of whoever is loaded before all else: new, new[], nothrow (given back
 * with its size), aligned. With a number besides, it says where its malloc is
 * ("malloc ADDRESS"), and does it all so many seconds after.
 */
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, MOST = 700, REST = 300, GROWN = 64, BLOCKS = MOST + REST, SIZE = 2 * PAGE };

static char *volatile pages[BLOCKS];

static const char *how = "malloc";
static void *aligned;

/* operator new, new[], new of std::nothrow and of an alignment, and their deletes, where there is a
 * library that has them. */
void *_Znwm(size_t size) __attribute__((weak));
void *_Znam(size_t size) __attribute__((weak));
void *_ZnwmRKSt9nothrow_t(size_t size, const void *nothrow) __attribute__((weak));
void *_ZnwmSt11align_val_t(size_t size, size_t alignment) __attribute__((weak));
void _ZdlPv(void *p) __attribute__((weak));
void _ZdaPv(void *p) __attribute__((weak));
void _ZdlPvm(void *p, size_t size) __attribute__((weak));
void _ZdlPvSt11align_val_t(void *p, size_t alignment) __attribute__((weak));

static int is(const char *name)
{
	return strcmp(how, name) == 0;
}

/* A macro, so that it is the function's own call. */
#define ALLOCATE(size)                                                                  \
	(is("calloc")         ? calloc(1, size) :                                       \
	 is("realloc")        ? realloc(NULL, size) :                                   \
	 is("reallocarray")   ? reallocarray(NULL, 2, (size) / 2) :                     \
	 is("aligned_alloc")  ? aligned_alloc(PAGE, size) :                             \
	 is("memalign")       ? memalign(64, size) :                                    \
	 is("posix_memalign") ? (posix_memalign(&aligned, 64, size) ? NULL : aligned) : \
	 is("valloc")         ? valloc(size) :                                          \
	 is("new")            ? _Znwm(size) :                                           \
	 is("new[]")          ? _Znam(size) :                                           \
	 is("nothrow")        ? _ZnwmRKSt9nothrow_t(size, "") :                         \
	 is("aligned")        ? _ZnwmSt11align_val_t(size, 64) :                        \
				malloc(size))

static void give_back(void *p)
{
	if (is("new"))
		_ZdlPv(p);
	else if (is("new[]"))
		_ZdaPv(p);
	else if (is("nothrow"))
		_ZdlPvm(p, SIZE);
	else if (is("aligned"))
		_ZdlPvSt11align_val_t(p, 64);
	else
		free(p);
}

/* The page that is all the block's. */
static char *page_in(char *block)
{
	return (char *)(((uintptr_t)block + PAGE - 1) & ~(uintptr_t)(PAGE - 1));
}

static __attribute__((noipa)) char *allocate_most(void)
{
	return ALLOCATE(SIZE);
}

static __attribute__((noipa)) char *allocate_rest(void)
{
	return ALLOCATE(SIZE);
}

/* Given back at once: the same addresses will be another's. */
static __attribute__((noipa)) void allocate_other(void)
{
	char *volatile p = ALLOCATE(SIZE);

	give_back(p);
}

/* The first to do so, whatever the allocator has done with them. */
static __attribute__((noipa)) void touch_all(void)
{
	for (int i = 0; i < BLOCKS; i++) {
		madvise(pages[i], PAGE, MADV_DONTNEED);
		*(volatile char *)pages[i] = 1;
	}
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

static void allocate_all(void)
{
	for (int i = 0; i < BLOCKS; i++) {
		allocate_other();
		pages[i] = page_in(i % 10 < 7 ? allocate_most() : allocate_rest());
	}
	touch_all();
}

int main(int argc, char **argv)
{
	char *names = argc > 1 ? argv[1] : NULL;

	if (argc > 2) {
		printf("malloc %p\n", (void *)(uintptr_t)malloc);
		fflush(stdout);
		sleep((unsigned)strtoul(argv[2], NULL, 10));
	}
	do {
		how = names ? strsep(&names, ",") : how;
		allocate_all();
	} while (names);
	touch_grown(grow());
	free(NULL);
	return 0;
}
