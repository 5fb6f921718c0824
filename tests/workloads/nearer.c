// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * nearer [ROUNDS=20]: strides over pages; behind the load that misses the TLB, on the way back to
 * the loop's head, stands a harmless one of `decoy`, which is always there.
 *
 * Known answer, of a counter of such misses that interrupts at the loop's head, where QEMU does:
 * what was missed isn't known (a jump leads there), and it is never `decoy`. riscv64.
 */
#include <string.h>
#include <sys/mman.h>

#include "spin.h"

enum { PAGE = 4096, PAGES = 8192 };

/* by name */
struct decoy {
	long harmless, other;
};
struct decoy decoy;

#ifdef __riscv
void stride(const char *from, long pages, long step, const struct decoy *beside);

/* each instruction of four bytes; a0: from, a1: pages, a2: step, a3: decoy */
__asm__(".option push\n"
	".option norvc\n"
	".text\n"
	".globl stride\n"
	".type stride, @function\n"
	"stride:\n"
	"	.cfi_startproc\n"
	"1:	add a0, a0, a2\n"
	"	addi t1, t1, 1\n"
	"	lb t0, 0(a0)\n"
	"	addi t2, t2, 1\n"
	"	addi t2, t2, 2\n"
	"	ld t3, 0(a3)\n"
	"	addi t2, t2, 3\n"
	"	addi a1, a1, -1\n"
	"	bnez a1, 1b\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size stride, . - stride\n"
	".option pop\n");
#else
WORK static void stride(const char *from, long pages, long step, const struct decoy *beside)
{
	for (long i = 0; i < pages; i++)
		(void)(*(volatile const char *)(from + i * step) +
		       *(volatile const long *)&beside->harmless);
}
#endif

int main(int argc, char **argv)
{
	char *pages = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		return 1;
	madvise(pages, (size_t)PAGES * PAGE, MADV_NOHUGEPAGE);
	memset(pages, 1, (size_t)PAGES * PAGE);
	for (int i = 0; i < arg_num(argc, argv, 1, 20); i++)
		stride(pages, PAGES - 1, PAGE, &decoy);
	return 0;
}
