// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * lodger: a second thread touches what was mapped before it began, and so lies above its own stack.
 *
 * Known answer: PAGES (100) page faults below `touch`, in anonymous memory.
 */
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "spin.h"

enum { PAGES = 100 };

static char *mapped;
static size_t page;

WORK static void touch(volatile char *from)
{
	for (size_t i = 0; i < PAGES; i++)
		from[i * page] = 1;
}

static void *lodge(void *arg)
{
	touch(mapped);
	return arg;
}

int main(void)
{
	pthread_t thread;

	page = (size_t)sysconf(_SC_PAGESIZE);
	mapped = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	if (mapped == MAP_FAILED)
		return 1;
	madvise(mapped, PAGES * page, MADV_NOHUGEPAGE);
	return pthread_create(&thread, NULL, lodge, NULL) || pthread_join(thread, NULL);
}
