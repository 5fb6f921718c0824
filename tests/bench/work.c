// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * work CALLS: calls `work_unit` so often, whose first instruction is one that kernels emulate, and
 * prints what a call takes, ns: the least of slices of 1,000.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SLICE = 1000 };

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* A push comes first, for it calls another. */
__attribute__((noipa)) static int leaf(int x)
{
	return x ^ 1;
}

__attribute__((noipa)) int work_unit(int x)
{
	int a = leaf(x);

	return a + leaf(a + x);
}

int main(int argc, char **argv)
{
	long calls = argc > 1 ? strtol(argv[1], NULL, 10) : 100000;
	uint64_t least = UINT64_MAX;
	int sum = 0;

	for (long done = 0; done < calls; done += SLICE) {
		uint64_t start = now_ns(), took;

		for (int i = 0; i < SLICE; i++)
			sum += work_unit(i);
		took = now_ns() - start;
		least = took < least ? took : least;
	}
	printf("%.1f\n", (double)least / SLICE);
	return sum == 42;
}
