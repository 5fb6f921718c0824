/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* For tests of what happens when memory is refused. */
#ifndef TESTS_UNIT_ADDRESS_ROOM_H
#define TESTS_UNIT_ADDRESS_ROOM_H

#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/num.h"

#ifdef __SANITIZE_ADDRESS__
#define NEVER_SHORT \
	true /* its allocator ends the program, and takes address space by the terabyte */
#else
#define NEVER_SHORT false
#endif

/* No more address space than there is, and some. */
static inline void bound_address_room(size_t more)
{
	FILE *file = fopen("/proc/self/statm", "re");
	char line[128];
	uint64_t pages;
	struct rlimit limit;

	cr_assert(file && fgets(line, sizeof(line), file));
	fclose(file);
	line[strcspn(line, " ")] = '\0';
	cr_assert_eq(num__parse_u64(line, &pages), 0);
	cr_assert_eq(getrlimit(RLIMIT_AS, &limit), 0);
	limit.rlim_cur = pages * (uint64_t)getpagesize() + more;
	cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
}

#endif
