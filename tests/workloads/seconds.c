// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * seconds N CHANGE: runs for N seconds (at most 40), each of them in a function of its own:
 * second00, second01, … It goes round: 20 calls of getppid(), 20 page faults (40 from second
 * CHANGE on), in pages that it has not had, and a sleep of 1 to 16 ms.
 *
 * Known answer: at its end it prints a line for each second, "second07 1220": its page faults.
 * Those of what is around it are not among them.
 */
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "spin.h"

enum { CALLS = 20, FAULTS = 20, MOST = 40, SLEEP_US = 1000 };

static char *pages;
static size_t page_size;

#define TOUCH(n)                                                       \
	WORK static void second##n(size_t faults)                      \
	{                                                              \
		for (size_t i = 0; i < faults; i++)                    \
			((volatile char *)pages)[i * page_size] = *#n; \
	}
#define TEN(t)      \
	TOUCH(t##0) \
	TOUCH(t##1) \
	TOUCH(t##2) \
	TOUCH(t##3) \
	TOUCH(t##4) \
	TOUCH(t##5) \
	TOUCH(t##6) \
	TOUCH(t##7) \
	TOUCH(t##8) \
	TOUCH(t##9)

TEN(0)
TEN(1)
TEN(2)
TEN(3)

#define ROW(t)                                                                              \
	second##t##0, second##t##1, second##t##2, second##t##3, second##t##4, second##t##5, \
		second##t##6, second##t##7, second##t##8, second##t##9
static void (*const all[MOST])(size_t faults) = {ROW(0), ROW(1), ROW(2), ROW(3)};

static void one_round(void (*touch)(size_t faults), size_t faults)
{
	for (int i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	touch(faults);
	madvise(pages, faults * page_size, MADV_DONTNEED);
	pages += faults * page_size;
}

int main(int argc, char **argv)
{
	uint64_t start_ns = clock_ns(CLOCK_MONOTONIC), second;
	uint64_t n = (uint64_t)arg_num(argc, argv, 1, 4);
	uint64_t change = (uint64_t)arg_num(argc, argv, 2, MOST);
	uint64_t faults[MOST] = {0};

	page_size = (size_t)sysconf(_SC_PAGESIZE);
	/* as many as rounds of a millisecond could need */
	pages = mmap(NULL, 1000 * MOST * 2 * FAULTS * page_size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (pages == MAP_FAILED)
		return 1;
	madvise(pages, 1000 * MOST * 2 * FAULTS * page_size, MADV_NOHUGEPAGE);
	while ((second = (clock_ns(CLOCK_MONOTONIC) - start_ns) / 1000000000) < n &&
	       second < MOST) {
		size_t each = second < change ? FAULTS : 2 * FAULTS;

		one_round(all[second], each);
		faults[second] += each;
		usleep((useconds_t)(jitter() * SLEEP_US));
	}
	for (uint64_t i = 0; i < n && i < MOST; i++)
		printf("second%02u %lu\n", (unsigned)i, (unsigned long)faults[i]);
	return 0;
}
