// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * split [SECONDS=5 [MS=0]]: splits its CPU time 70/30 between two functions, and rests so long
 * after each turn: then it is a load that leaves others the CPU.
 *
 * Known answer: hot70 has 70 % and hot30 30 % of the CPU time of the process, whatever else runs on
 * the machine: both consist of the same code, and they take turns of 70 and 30 equal units, a few
 * hundred microseconds together. The length of a unit changes from turn to turn, so that no
 * sampling period is in step with them; it is found at the start, so that the loop around them is
 * below a hundredth. Every stack is main → spin_mix → hot70 or hot30.
 *
 * Why spin_mix stands between: hot70 and hot30 call nothing, and gcc builds such leaves without a
 * frame whatever -fno-omit-frame-pointer says. The frame pointer then still is the caller's, so a
 * walk along frame pointers finds the caller's caller right after the leaf: the caller is lost. If
 * main called the leaves, main would be what is lost. As it is, spin_mix may be missing from a
 * stack, main never.
 *
 * stdout: "hot70 NS hot30 NS total NS": the CPU time of each as this thread's clock saw it, without
 * what it takes to read that clock (several percent of a turn on some kernels), and the thread's
 * total.
 */
#include "spin.h"

static uint64_t ns70, ns30, read_ns;

WORK static void hot70(uint64_t rounds)
{
	burn(rounds);
}

WORK static void hot30(uint64_t rounds)
{
	burn(rounds);
}

WORK static void spin_mix(uint64_t unit)
{
	uint64_t t0 = thread_cpu_ns();

	unit *= jitter();
	hot70(70 * unit);
	uint64_t t1 = thread_cpu_ns();

	hot30(30 * unit);
	ns70 += t1 - t0 - read_ns;
	ns30 += thread_cpu_ns() - t1 - read_ns;
}

/* What is between two reads of the clock when nothing else is. */
WORK static uint64_t find_read_ns(void)
{
	uint64_t least = UINT64_MAX, before = thread_cpu_ns();

	for (int i = 0; i < 1000; i++) {
		uint64_t now = thread_cpu_ns();

		least = now - before < least ? now - before : least;
		before = now;
	}
	return least;
}

/* Rounds that take about a hundredth of 60 µs, for jitter() to multiply. */
WORK static uint64_t find_unit(void)
{
	uint64_t rounds = 1000000;
	uint64_t t0 = thread_cpu_ns();

	hot70(rounds * 7 / 10);
	hot30(rounds * 3 / 10);
	uint64_t ns = thread_cpu_ns() - t0;

	return rounds * 600 / (ns ? ns : 1) + 1;
}

int main(int argc, char **argv)
{
	uint64_t total_ns = (uint64_t)(arg_num(argc, argv, 1, 5) * 1e9);
	struct timespec rest = {.tv_nsec = (long)(arg_num(argc, argv, 2, 0) * 1e6)};
	uint64_t unit = find_unit();

	read_ns = find_read_ns();
	while (thread_cpu_ns() < total_ns) {
		spin_mix(unit);
		if (rest.tv_nsec)
			nanosleep(&rest, NULL);
	}
	printf("hot70 %llu hot30 %llu total %llu\n", (unsigned long long)ns70,
	       (unsigned long long)ns30, (unsigned long long)thread_cpu_ns());
	return 0;
}
