// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * lines [SECONDS=1]: one function, whose lines have known shares.
 *
 * Known answer: hot() touches PAGES pages of fresh memory in one line ("line: touch"), by one
 * instruction, so all page faults of it are there; and burns nearly all of its time in another
 * ("line: spin"), into which two calls are inlined (spin_inner in spin_outer). stdout: how many
 * pages were touched.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "spin.h"

enum { PAGES = 64, PAGE = 4096 };

#define INLINED static inline __attribute__((always_inline))

INLINED void spin_inner(uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++) /* line: spin */
		__asm__ volatile("" : "+r"(i));
}

INLINED void spin_outer(uint64_t rounds)
{
	spin_inner(2 * rounds);
}

WORK static void hot(volatile char *fresh, uint64_t rounds)
{
	for (size_t i = 0; i < PAGES; i++)
		fresh[i * PAGE] = 1; /* line: touch */
	spin_outer(rounds);
}

int main(int argc, char **argv)
{
	uint64_t end_ns = thread_cpu_ns() + (uint64_t)(arg_num(argc, argv, 1, 1) * 1e9);
	unsigned long touched = 0;

	while (thread_cpu_ns() < end_ns) {
		char *fresh = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (fresh == MAP_FAILED)
			return 1;
		madvise(fresh, PAGES * PAGE, MADV_NOHUGEPAGE);
		hot(fresh, 1000000 * jitter());
		munmap(fresh, PAGES * PAGE);
		touched += PAGES;
	}
	printf("%lu\n", touched);
	return 0;
}
