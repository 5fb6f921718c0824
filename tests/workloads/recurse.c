// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * recurse [SECONDS=2] [DEPTH=100]: deep recursion.
 *
 * Known answer: every stack in bottom_spin is main, DEPTH times dive, bottom_spin. bottom_spin is
 * no leaf (it reads the clock), so it has a frame and loses none of its callers; its frameless
 * callee burn_leaf loses bottom_spin only.
 */
#include "spin.h"

WORK static void burn_leaf(void)
{
	burn(100000);
}

WORK static void bottom_spin(uint64_t end_ns)
{
	while (thread_cpu_ns() < end_ns)
		burn_leaf();
}

WORK static void dive(int depth, uint64_t end_ns)
{
	if (depth > 1)
		dive(depth - 1, end_ns);
	else
		bottom_spin(end_ns);
	__asm__ volatile(""); /* no tail call, no loop */
}

int main(int argc, char **argv)
{
	uint64_t ns = (uint64_t)(arg_num(argc, argv, 1, 2) * 1e9);

	dive((int)arg_num(argc, argv, 2, 100), thread_cpu_ns() + ns);
	return 0;
}
