/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Objects without names, a page or several each, for programs that touch them one member at a time.
 */
#ifndef PMUBPF_TESTS_TYPED_PAGES_H
#define PMUBPF_TESTS_TYPED_PAGES_H

#include <stddef.h>
#include <sys/mman.h>

#include "spin.h"

enum { TOUCHED = 50, PAGE_MAX = 65536 };

struct pair {
	double x, y;
};

struct node {
	long key;
	struct pair pos;
	char room[PAGE_MAX - 40];
	struct node *next;
	int count;
};

struct wide {
	int first;
	struct pair pairs[3];
	char rest[PAGE_MAX - 56];
};

/* Of one size with nodes, and never touched. */
struct decoy {
	long a[4];
	char b[PAGE_MAX - 48];
	void *c;
	int d;
};

/* TOUCHED of them, and none was touched. */
static inline void *pages(void)
{
	size_t len = (size_t)(TOUCHED + 2) * PAGE_MAX;
	void *all = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (all == MAP_FAILED)
		exit(1);
	madvise(all, len, MADV_NOHUGEPAGE);
	return all;
}

/* A line of the known answer. */
static inline void say(const char *function, const char *type, const char *member)
{
	printf("touch_%s %s %s\n", function, type, member);
}

#endif
