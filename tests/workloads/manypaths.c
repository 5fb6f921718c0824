// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * manypaths [SECONDS=5] [DEPTH=28]: 40,000 call paths, 28 to 32 frames deep, each about as often.
 *
 * Known answer: a path goes down DEPTH levels, at each through left or right as the bits of its
 * number say, plus up to four more: 5 × 8,000 numbers. For measuring what repeated and what
 * never repeated stacks cost. Prints the number of paths.
 */
#include "spin.h"

enum { PATHS_PER_DEPTH = 8000, EXTRA_DEPTHS = 5 };

static void go_left(uint64_t bits, int depth);
static void go_right(uint64_t bits, int depth);

WORK static void path_end(void)
{
	burn(30000);
	(void)thread_cpu_ns(); /* a call: path_end has a frame */
}

static inline __attribute__((always_inline)) void step(uint64_t bits, int depth)
{
	if (depth == 0)
		path_end();
	else if (bits & 1)
		go_left(bits >> 1, depth - 1);
	else
		go_right(bits >> 1, depth - 1);
}

WORK static void go_left(uint64_t bits, int depth)
{
	step(bits, depth);
	__asm__ volatile("");
}

WORK static void go_right(uint64_t bits, int depth)
{
	step(bits, depth);
	__asm__ volatile("# right");
}

int main(int argc, char **argv)
{
	uint64_t end_ns = thread_cpu_ns() + (uint64_t)(arg_num(argc, argv, 1, 5) * 1e9);
	int depth = (int)arg_num(argc, argv, 2, 28) - 2; /* main and path_end are frames too */

	for (uint64_t i = 0; thread_cpu_ns() < end_ns; i++) {
		uint64_t n = i % (PATHS_PER_DEPTH * EXTRA_DEPTHS);

		step(n / EXTRA_DEPTHS, depth + (int)(n % EXTRA_DEPTHS));
	}
	printf("paths %d\n", PATHS_PER_DEPTH * EXTRA_DEPTHS);
	return 0;
}
