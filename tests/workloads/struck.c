// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * struck [SECONDS=1]: spins, in a program whose accesses to "target" stand at known places.
 *
 * Known answer: on x86-64, struck_load reads the eight bytes that rdi points to, struck_store
 * writes those behind; struck_end comes after. All is linked at fixed addresses (-no-pie), for a
 * PMU that is told what to say (tests/vm/pmu/).
 */
#include "spin.h"

struct target {
	uint64_t read, written, never[6];
};

struct target target __attribute__((aligned(64)));

WORK static void strike(struct target *at)
{
#ifdef __x86_64__
	__asm__ volatile(".globl struck_load, struck_store, struck_end\n"
			 "struck_load: mov (%%rdi), %%rax\n"
			 "struck_store: mov %%rax, 8(%%rdi)\n"
			 "struck_end: nop\n" ::"D"(at)
			 : "rax", "memory");
#else
	at->written = at->read;
#endif
}

int main(int argc, char **argv)
{
	strike(&target);
	spin_for((uint64_t)(arg_num(argc, argv, 1, 1) * 1e9));
	return 0;
}
