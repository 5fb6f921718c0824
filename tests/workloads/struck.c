// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * struck [SECONDS=1] [NODE]: spins, on that NUMA node's memory if it is told, in a program whose
 * accesses to "target" stand at known places.
 *
 * Known answer: struck_load reads the eight bytes that rdi (x0 on arm64) points to, struck_store
 * writes those behind; struck_end comes after. All is linked at fixed addresses (-no-pie), for a
 * PMU that is told what to say (tests/vm/pmu/).
 */
#include <sys/syscall.h>
#include <unistd.h>

#include "spin.h"

struct target {
	uint64_t read, written, never[6];
};

/* On a page that nothing else touches before. */
struct target target __attribute__((aligned(65536)));

WORK static void strike(struct target *at)
{
#ifdef __x86_64__
	__asm__ volatile(".globl struck_load, struck_store, struck_end\n"
			 "struck_load: mov (%%rdi), %%rax\n"
			 "struck_store: mov %%rax, 8(%%rdi)\n"
			 "struck_end: nop\n" ::"D"(at)
			 : "rax", "memory");
#elif defined(__aarch64__)
	register struct target *x0 __asm__("x0") = at;

	__asm__ volatile(".globl struck_load, struck_store, struck_end\n"
			 "struck_load: ldr x1, [%0]\n"
			 "struck_store: str x1, [%0, 8]\n"
			 "struck_end: nop\n" ::"r"(x0)
			 : "x1", "memory");
#else
	at->written = at->read;
#endif
}

/* What is touched from now on. */
static void stay_on(unsigned long node)
{
	const unsigned long nodes = 1UL << node;

	if (syscall(SYS_set_mempolicy, 2 /* MPOL_BIND */, &nodes, 8 * sizeof(nodes)) < 0) {
		perror("set_mempolicy");
		exit(1);
	}
}

int main(int argc, char **argv)
{
	if (argc > 2)
		stay_on(arg_num(argc, argv, 2, 0));
	strike(&target);
	spin_for((uint64_t)(arg_num(argc, argv, 1, 1) * 1e9));
	return 0;
}
