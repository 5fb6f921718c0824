// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * hole MS: spins for so many ms of its CPU time below a frame of 40 KB of which no page was ever
 * touched. Without frame
 * pointers: every stack is main, with_a_hole, spin.
 */
#include <stdlib.h>
#include <time.h>

static volatile unsigned long sink;

__attribute__((noinline)) static void spin(clock_t until)
{
	while (clock() < until) {
		for (int i = 0; i < 1000; i++)
			sink += (unsigned long)i;
	}
}

__attribute__((noinline)) static void with_a_hole(long ms)
{
	volatile char hole[40000];

	/* where it lies is all that is asked of it */
	__asm__ volatile("" : : "r"(hole) : "memory");
	spin(ms * CLOCKS_PER_SEC / 1000);
	__asm__ volatile("" : : "r"(hole) : "memory");
}

int main(int argc, char **argv)
{
	with_a_hole(argc > 1 ? strtol(argv[1], NULL, 10) : 100);
	return 0;
}
