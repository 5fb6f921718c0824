// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * decoys [SECONDS=1]: for so much CPU time runs code that touches no memory, a few instructions
 * behind a harmless store of a number.
 *
 * Known answer: what a clock interrupts there is never about `decoy`: between the two lies what
 * something else jumps to (`behind_a_jump`) or a call (`behind_a_call`). Each gets half of the
 * time, but for what is around them.
 */
#include "spin.h"

enum { ROUNDS = 200000 };

static volatile struct counts {
	long first, second;
} decoy;

WORK static void behind_a_jump(void)
{
	decoy.first = 1;
	burn(ROUNDS);
}

WORK static void nothing(void)
{
	__asm__ volatile("");
}

/* Eight instructions, each of which waits for the one before. */
#define SLOW(x) __asm__ volatile(".rept 8\n\timul %0, %0\n\t.endr" : "+r"(x))

WORK static void behind_a_call(long times)
{
	long x = 3;

	while (times--) {
		decoy.second = times;
		nothing();
#ifdef __x86_64__
		SLOW(x);
#else
		burn(8);
#endif
	}
	__asm__ volatile("" : : "r"(x));
}

int main(int argc, char **argv)
{
	uint64_t end = thread_cpu_ns() + (uint64_t)(1e9 * arg_num(argc, argv, 1, 1));
	uint64_t now, half;

	while ((now = thread_cpu_ns()) < end) {
		behind_a_jump();
		half = thread_cpu_ns();
		while (thread_cpu_ns() - half < half - now)
			behind_a_call(ROUNDS / 100);
	}
	return 0;
}
