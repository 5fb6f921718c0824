// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * inlined [SECONDS=1]: calls that no longer are calls.
 *
 * Known answer: main calls work(), into which middle() is inlined, into which inner() is; inner
 * calls the real function leaf_spin(), where nearly all time is spent. So with --inline each stack
 * is main;work;middle_[i];inner_[i];leaf_spin, and without main;work;leaf_spin. The lines that
 * --lines shows are marked below: "line: NAME".
 */
#include "spin.h"

#define INLINED static inline __attribute__((always_inline))

WORK static void leaf_spin(uint64_t rounds)
{
	/* asking for its frame makes it have one, without which its caller would be missing */
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
	for (uint64_t i = 0; i < rounds; i++)
		__asm__ volatile("" : "+r"(i)); /* line: leaf_spin */
}

INLINED void inner(uint64_t rounds)
{
	leaf_spin(rounds); /* line: inner */
	__asm__ volatile("");
}

INLINED void middle(uint64_t rounds)
{
	if (rounds) {
		uint64_t twice = 2 * rounds;

		inner(twice); /* line: middle */
	}
}

WORK static void work(uint64_t rounds)
{
	middle(rounds); /* line: work */
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	uint64_t end_ns = thread_cpu_ns() + (uint64_t)(arg_num(argc, argv, 1, 1) * 1e9);

	while (thread_cpu_ns() < end_ns)
		work(100000 * jitter()); /* line: main */
	return 0;
}
