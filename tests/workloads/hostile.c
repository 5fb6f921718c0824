// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * hostile [SECONDS=1]: a program whose name wants to forge lines of the output.
 *
 * Known answer: its comm is "a;b 7\nroot;x \1" (semicolon, blank, number, newline, control byte);
 * all time is spent in main → hostile_mix → hostile_spin. Whatever is printed, every line of a
 * folded file has to name hostile_spin's program once, and no line may begin with "root;".
 */
#include <sys/prctl.h>
#include "spin.h"

WORK static void hostile_spin(void)
{
	burn(100000);
}

WORK static void hostile_mix(void)
{
	hostile_spin();
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	prctl(PR_SET_NAME, "a;b 7\nroot;x \001");
	uint64_t end_ns = thread_cpu_ns() + (uint64_t)(arg_num(argc, argv, 1, 1) * 1e9);

	while (thread_cpu_ns() < end_ns)
		hostile_mix();
	return 0;
}
