// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * watch [STORES=1000]: a variable that is stored to a known number of times.
 *
 * Known answer: store_all writes the global "watched" exactly STORES times, and nothing else in the
 * life of the process does. Linked at fixed addresses (-no-pie), so that
 * nm tells the variable's address before the program runs; in .data, because the kernel clears .bss
 * at exec, when a breakpoint may be there already.
 *
 * watch STORES hold: prints "ready", and stores when a line comes in on stdin.
 */
#include <string.h>
#include "spin.h"

volatile uint64_t watched = 1;

WORK static void store_all(uint64_t stores)
{
	for (uint64_t i = 0; i < stores; i++)
		watched = i;
}

WORK static void run(uint64_t stores)
{
	store_all(stores);
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	char line[16];

	if (argc > 2 && strcmp(argv[2], "hold") == 0) {
		puts("ready");
		fflush(stdout);
		if (!fgets(line, sizeof(line), stdin))
			return 1;
	}
	run((uint64_t)arg_num(argc, argv, 1, 1000));
	return 0;
}
