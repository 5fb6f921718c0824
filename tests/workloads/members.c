// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * members: touches pages of typed data, each for the first time, through one member each.
 *
 * Known answer, of the page faults below `touch`: TOUCHED (50) for each line of
 *
 * 	OBJECT TYPE MEMBER
 *
 * stdout: these lines; "-" stands for no member.
 */
#include <stddef.h>
#include <sys/mman.h>

#include "spin.h"

enum { TOUCHED = 50, PAGE_MAX = 65536 };

struct point {
	double x, y;
};

struct base {
	long id;
};

struct record {
	char key[24];
	struct point pos;
	struct {
		short first;
		struct point pair[4];
	} inner;
	union {
		int count;
		float weight;
	} either;
	unsigned low : 3, high : 29;
	union {
		struct base whole;
	};
	const struct record *next;
	char last;
} __attribute__((aligned(PAGE_MAX)));

typedef struct record entry;

static struct record keys[TOUCHED], points[TOUCHED], pairs[TOUCHED], unions[TOUCHED], bits[TOUCHED],
	bases[TOUCHED], holes[TOUCHED];
entry nexts[TOUCHED];
const volatile int *volatile numbers[TOUCHED * PAGE_MAX / sizeof(void *)]
	__attribute__((aligned(PAGE_MAX)));

WORK static void touch(void *from, size_t off)
{
	madvise(from, (size_t)TOUCHED * PAGE_MAX, MADV_NOHUGEPAGE);
	for (int i = TOUCHED; i-- > 0;)
		((volatile char *)from)[(size_t)i * PAGE_MAX + off] = 1;
}

static void by_member(const char *object, const char *type, const char *member, void *from,
		      size_t off)
{
	touch(from, off);
	printf("%s %s %s\n", object, type, member);
}

WORK static void in_a_function(void)
{
	static struct record inside[TOUCHED];

	by_member("inside", "struct record[]", "next", inside, offsetof(struct record, next));
}

int main(void)
{
	puts("members");
	fflush(stdout); /* its buffer is there */
	by_member("keys", "struct record[]", "key[]", keys, 5);
	by_member("points", "struct record[]", "pos.y", points, offsetof(struct record, pos.y));
	by_member("pairs", "struct record[]", "inner.pair[].x", pairs,
		  offsetof(struct record, inner.pair[2].x));
	by_member("unions", "struct record[]", "either.(several)", unions,
		  offsetof(struct record, either));
	by_member("bits", "struct record[]", "high", bits,
		  offsetof(struct record, either) + sizeof(int) + 2);
	by_member("bases", "struct record[]", "whole.id", bases, offsetof(struct record, whole));
	by_member("holes", "struct record[]", "(padding)", holes, PAGE_MAX - 4096);
	by_member("nexts", "entry[]", "next", nexts, offsetof(struct record, next) + 3);
	by_member("numbers", "int *[]", "-", (void *)numbers, 8);
	in_a_function();
	return 0;
}
