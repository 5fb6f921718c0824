// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What the known-answer programs share: thread CPU time, one unit of work, numbers from argv. All
 * but spin_for is inlined, so that no frame of its own appears in a stack.
 */
#ifndef PMUBPF_TESTS_SPIN_H
#define PMUBPF_TESTS_SPIN_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* noipa: neither inlined, nor cloned (name.constprop.0), nor folded with a function of equal
 * code. */
#if __has_attribute(noipa)
#define WORK __attribute__((noipa))
#else /* clang; the cross builds that it does don't look at more than inlining */
#define WORK __attribute__((noinline))
#endif

static inline __attribute__((always_inline)) uint64_t clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static inline __attribute__((always_inline)) uint64_t thread_cpu_ns(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* Work that depends on nothing but its length: no memory, no calls, nothing to fold away. */
static inline __attribute__((always_inline)) void burn(uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++)
		__asm__ volatile("" : "+r"(i));
}

/*
 * 1 to 16, pseudo-random, mean 8.5: how long the next turn is. Turns of equal length could be in
 * step with a sampling period, and the shares would then be anything.
 */
static inline __attribute__((always_inline)) uint64_t jitter(void)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return 1 + (state >> 60);
}

/* A function whose name a test looks for, which spins; the asm keeps its call from being the last
 * thing it does. */
#define SPINS(name)                        \
	WORK static void name(uint64_t ns) \
	{                                  \
		spin_for(ns);              \
		__asm__ volatile("");      \
	}

/*
 * Spins until the thread has used ns more of CPU time. Not inlined: clock_gettime has no frame, so
 * its caller is what a walk along frame pointers loses; that shall be this one and not the function
 * with the name that a test looks for.
 */
WORK __attribute__((unused)) static void spin_for(uint64_t ns)
{
	uint64_t start_ns = thread_cpu_ns();

	while (thread_cpu_ns() - start_ns < ns)
		burn(20000);
}

/* The number in argv[i], or the default. */
static inline __attribute__((always_inline)) double arg_num(int argc, char **argv, int i,
							    double dflt)
{
	return i < argc ? strtod(argv[i], NULL) : dflt;
}

#endif
