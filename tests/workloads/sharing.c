// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * sharing N: two threads, one after the other, touch four lines N times each; before each time the
 * page is given back, so that every touch is a page fault with the address of what was touched. Of
 * `apart` each writes a word of its own, of `same` both the same word; `lone` is written by the
 * second alone, `read_only` only read.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 4096, WORDS = PAGE / 8 };

/* by name, in pages of their own */
uint64_t apart[WORDS] __attribute__((aligned(PAGE)));
uint64_t same[WORDS] __attribute__((aligned(PAGE)));
uint64_t lone[WORDS] __attribute__((aligned(PAGE)));
uint64_t read_only[WORDS] __attribute__((aligned(PAGE)));

static int n;

static volatile uint64_t *fresh(uint64_t *page)
{
	if (madvise(page, PAGE, MADV_DONTNEED) < 0)
		exit(1);
	return page;
}

static void *touch(void *arg)
{
	int thread = arg ? 2 : 1;
	uint64_t sum = 0;

	for (int i = 0; i < n; i++) {
		fresh(apart)[thread] = 1;
		fresh(same)[3] = 1;
		if (thread == 2)
			fresh(lone)[0] = 1;
		sum += fresh(read_only)[thread];
	}
	return sum ? arg : NULL;
}

int main(int argc, char **argv)
{
	n = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 100;
	for (int i = 0; i < 2; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, touch, i ? &n : NULL))
			return 1;
		pthread_join(thread, NULL);
	}
	puts("sharing");
	return 0;
}
