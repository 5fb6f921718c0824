// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * related ROUNDS FAULTS [ROUNDS FAULTS]…: page faults and calls of getppid() in a fixed relation.
 *
 * Known answer: each of ROUNDS rounds calls getppid() 20 times and causes FAULTS page faults, in
 * fresh pages of its own; between rounds it sleeps, 1 to 16 times 0.1 ms, so that what an interval
 * has of both changes, and their relation doesn't until the next ROUNDS FAULTS.
 */
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "spin.h"

enum { CALLS = 20, SLEEP_US = 100 };

WORK static void one_round(size_t faults, size_t page_size)
{
	char *pages = mmap(NULL, (faults + 1) * page_size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	if (pages == MAP_FAILED)
		return;
	madvise(pages, faults * page_size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < faults; i++)
		((volatile char *)pages)[i * page_size] = 1;
	munmap(pages, (faults + 1) * page_size);
}

int main(int argc, char **argv)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);

	for (int i = 1; i + 1 < argc; i += 2) {
		long rounds = strtol(argv[i], NULL, 10);

		for (long k = 0; k < rounds; k++) {
			one_round((size_t)strtol(argv[i + 1], NULL, 10), page_size);
			usleep((useconds_t)(jitter() * SLEEP_US));
		}
	}
	return 0;
}
