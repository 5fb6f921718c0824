// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * faults [PAGES=1000]: page faults at known addresses.
 *
 * Known answer: touch_pages causes exactly one (minor) page fault for each of PAGES fresh pages, in
 * order, at BASE + i × PAGESIZE + 8. The mapping has a fixed address (if that is free), and huge
 * pages and fault-around cannot help: it is private anonymous memory with MADV_NOHUGEPAGE, each
 * page is written.
 *
 * stdout: "base 0x… pages N pagesize BYTES offset 8".
 */
#include <sys/mman.h>
#include <unistd.h>
#include "spin.h"

enum { OFFSET = 8 };

WORK static void touch_pages(volatile char *base, size_t pages, size_t page_size)
{
	for (size_t i = 0; i < pages; i++)
		base[i * page_size + OFFSET] = 1;
}

WORK static void touch(volatile char *base, size_t pages, size_t page_size)
{
	touch_pages(base, pages, page_size);
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	size_t pages = (size_t)arg_num(argc, argv, 1, 1000);
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	char *base = mmap((void *)0x600000000000, pages * page_size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (base == MAP_FAILED)
		return 1;
	madvise(base, pages * page_size, MADV_NOHUGEPAGE);
	touch(base, pages, page_size);
	printf("base 0x%llx pages %zu pagesize %zu offset %d\n",
	       (unsigned long long)(uintptr_t)base, pages, page_size, OFFSET);
	return 0;
}
