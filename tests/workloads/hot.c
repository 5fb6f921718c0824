// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * hot [SECONDS=3] [CALLS_PER_SECOND=0] [FILE] [TURNS=200]: calls a function, as often as it can (0)
 * or that often, by its own clock. A call takes so many turns of a loop that does nothing.
 *
 * Known answer: prints how many calls of `handle` it made, and how many ns of CPU time it had for
 * that; to FILE, where `handle` is, when it has begun. Ten times a second, and at the end, it calls
 * `now_and_then`.
 */
#include "spin.h"

enum { AT_ONCE = 100 };

static int turns = 200;

static const uint64_t SECOND = 1000000000;

WORK static unsigned long part(unsigned long x)
{
	for (int i = 0; i < turns; i++)
		__asm__ volatile("" : "+r"(x));
	return x + 1;
}

WORK static unsigned long handle(unsigned long x)
{
	return part(x) * 3;
}

WORK static unsigned long now_and_then(unsigned long x)
{
	return part(x) * 5;
}

static uint64_t call(uint64_t end, uint64_t rate)
{
	uint64_t begin = clock_ns(CLOCK_MONOTONIC), next = begin, n = 0, now;
	const struct timespec moment = {.tv_nsec = 1000000};
	volatile unsigned long sum = 0;

	while ((now = clock_ns(CLOCK_MONOTONIC)) < begin + end) {
		if (now >= next) {
			sum += now_and_then(n);
			next += SECOND / 10;
		}
		if (rate && n * (SECOND / rate) > now - begin) {
			nanosleep(&moment, NULL);
			continue;
		}
		for (int i = 0; i < (rate ? 1 : AT_ONCE); i++, n++)
			sum += handle(n);
	}
	now_and_then(n);
	return n;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? strtod(argv[1], NULL) : 3;
	uint64_t rate = argc > 2 ? strtoull(argv[2], NULL, 10) : 0, n, before;
	FILE *begun = argc > 3 ? fopen(argv[3], "w") : NULL;

	if (begun) {
		fprintf(begun, "%p\n", (void *)(uintptr_t)handle);
		fclose(begun);
	}
	if (argc > 4)
		turns = (int)strtol(argv[4], NULL, 10);
	before = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	n = call((uint64_t)(seconds * 1e9), rate);
	printf("%llu calls %llu ns\n", (unsigned long long)n,
	       (unsigned long long)(clock_ns(CLOCK_PROCESS_CPUTIME_ID) - before));
	return 0;
}
