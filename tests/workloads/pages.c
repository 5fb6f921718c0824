// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * pages [SECONDS=2] [MIB=64]: misses of the data TLB, in one of two functions that take the same
 * time.
 *
 * Known answer: walk_pages reads one byte of each page of MIB mebibytes, over and over, so nearly
 * every read needs a translation that the TLB has lost; walk_bytes reads the bytes of one page,
 * which needs one. Each gets half of the CPU time: the one that has had less runs next. The stacks
 * are main → take_turns → walk_pages or walk_bytes.
 *
 * stdout: "walk_pages NS walk_bytes NS": the CPU time of each.
 */
#include <string.h>
#include <sys/mman.h>
#include "spin.h"

enum { PAGE = 4096 };

static uint64_t pages_ns, bytes_ns;

WORK static void walk_pages(const volatile char *base, size_t size)
{
	for (size_t i = 0; i < size; i += PAGE)
		(void)base[i];
}

WORK static void walk_bytes(const volatile char *base, size_t size)
{
	for (size_t i = 0; i < size; i++)
		(void)base[i % PAGE];
}

WORK static void take_turns(char *base, size_t size)
{
	uint64_t start_ns = thread_cpu_ns();

	if (pages_ns <= bytes_ns) {
		walk_pages(base, size);
		pages_ns += thread_cpu_ns() - start_ns;
	} else {
		walk_bytes(base, size / 64);
		bytes_ns += thread_cpu_ns() - start_ns;
	}
}

int main(int argc, char **argv)
{
	uint64_t total_ns = (uint64_t)(arg_num(argc, argv, 1, 2) * 1e9);
	size_t size = (size_t)arg_num(argc, argv, 2, 64) << 20;
	char *base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (base == MAP_FAILED)
		return 1;
	madvise(base, size, MADV_NOHUGEPAGE);
	memset(base, 1, size); /* else all would be the one page of zeros */
	while (pages_ns + bytes_ns < total_ns)
		take_turns(base, size);
	printf("walk_pages %llu walk_bytes %llu\n", (unsigned long long)pages_ns,
	       (unsigned long long)bytes_ns);
	return 0;
}
