// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * turns: calls turn() until it is ended.
 *
 * Known answer: each turn takes 2 ms of CPU time, and waits for nothing but a CPU.
 */
#include "spin.h"

SPINS(turn)

int main(void)
{
	for (;;)
		turn(2000000);
	return 0;
}
