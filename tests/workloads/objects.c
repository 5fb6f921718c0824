// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * objects: touches pages of each kind of memory, each for the first time.
 *
 * Known answer, of the page faults below `touch`: PAGES (100) for each of
 *
 * 	in_bss     a global of the program
 * 	[heap]     memory that brk() gave
 * 	[stack]    of the first thread
 * 	[mapped]   anonymous memory
 *
 * stdout: "NAME ADDRESS PAGES PAGESIZE" of each.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "spin.h"

enum { PAGES = 100, PAGE_MAX = 65536 };

char in_bss[(PAGES + 2) * PAGE_MAX] __attribute__((aligned(PAGE_MAX)));

/* From the last to the first: as a stack grows. */
WORK static void touch(volatile char *from, size_t page)
{
	for (int i = PAGES; i-- > 0;)
		from[(size_t)i * page] = 1;
}

WORK static void on_pages(const char *name, char *from, size_t page)
{
	touch(from, page);
	printf("%s 0x%lx %d %zu\n", name, (unsigned long)from, PAGES, page);
}

WORK static void on_the_stack(size_t page)
{
	/* what was called before has touched some at the end */
	char *room = __builtin_alloca((PAGES + 32) * page);

	on_pages("[stack]", (char *)(((uintptr_t)room + 4 * page) & ~(page - 1)), page);
}

int main(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = PAGES * page;
	char *heap, *mapped;

	puts("objects");
	fflush(stdout); /* its buffer is there */
	heap = sbrk((intptr_t)(size + page));
	mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (heap == (void *)-1 || mapped == MAP_FAILED)
		return 1;
	madvise(mapped, size, MADV_NOHUGEPAGE);
	madvise(in_bss, sizeof(in_bss), MADV_NOHUGEPAGE);
	heap = (char *)(((uintptr_t)heap + page - 1) & ~(page - 1));
	on_pages("in_bss", in_bss, page);
	on_pages("[heap]", heap, page);
	on_pages("[mapped]", mapped, page);
	on_the_stack(page);
	return 0;
}
