// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * frames: touches pages of variables that lie in frames, each after it was given back.
 *
 * Known answer, of the page faults below a function `touch_…`: TOUCHED (50) for each line of
 *
 * 	FUNCTION;OBJECT;TYPE;MEMBER
 *
 * stdout: these lines; "-" stands for none.
 */
#include <pthread.h>

#include "typed_pages.h"

enum { STACK_PAGE = 4096, ALL = TOUCHED + 2 };

struct page {
	long first;
	struct pair pos;
	char room[STACK_PAGE - 32];
	int last;
};

/* Of one size with it. */
struct other {
	char room[STACK_PAGE - 16];
	double *sums[2];
};

struct pages {
	struct page list[ALL];
};

/* The whole pages in it are there no more. In each element of a page, but the first and the last
 * one, every byte lies in such a page. */
static inline __attribute__((always_inline)) void give_back(void *start, size_t size)
{
	uintptr_t from = ((uintptr_t)start + STACK_PAGE - 1) & ~(uintptr_t)(STACK_PAGE - 1);
	uintptr_t to = ((uintptr_t)start + size) & ~(uintptr_t)(STACK_PAGE - 1);

	madvise((void *)from, to - from, MADV_DONTNEED);
}

#define KEEP(what) __asm__ volatile("" : : "r"(what) : "memory")
/* What the compiler knows nothing of. */
#define UNKNOWN(number) __asm__ volatile("" : "+r"(number))

WORK static void touch_local(void)
{
	struct page all[ALL];

	give_back(all, sizeof(all));
	for (int i = 1; i <= TOUCHED; i++)
		all[i].pos.y = 1;
	KEEP(all);
}

WORK static void touch_index(void)
{
	struct page before[2], all[ALL], after[2];

	KEEP(before);
	KEEP(after);
	give_back(all, sizeof(all));
	for (long i = 1; i <= TOUCHED; i++) {
		UNKNOWN(i);
		all[i].last = 1;
	}
	KEEP(all);
}

/* Where one was, there may be another one later. */
WORK static void touch_scopes(long n)
{
	UNKNOWN(n);
	{
		struct page earlier[ALL];

		give_back(earlier, sizeof(earlier));
		for (long i = 1; i <= n; i++)
			earlier[i].first = 1;
		KEEP(earlier);
	}
	{
		struct other later[ALL];

		give_back(later, sizeof(later));
		for (long i = 1; i <= n; i++)
			later[i].sums[1] = NULL;
		KEEP(later);
	}
}

static inline __attribute__((always_inline)) void touch_within(void)
{
	struct page own[ALL];

	give_back(own, sizeof(own));
	for (int i = 1; i <= TOUCHED; i++)
		own[i].pos.x = 1;
	KEEP(own);
}

WORK static void touch_inlined(void)
{
	struct pages outer;

	KEEP(&outer);
	touch_within();
	KEEP(&outer);
}

WORK static void touch_parameter(struct pages all)
{
	give_back(&all, sizeof(all));
	for (int i = 1; i <= TOUCHED; i++)
		all.list[i].first = 1;
	KEEP(&all);
}

WORK static void touch_numbers(long step)
{
	double numbers[ALL * STACK_PAGE / sizeof(double)];

	UNKNOWN(step);
	give_back(numbers, sizeof(numbers));
	for (long i = 1; i <= TOUCHED; i++)
		numbers[i * step] = 1;
	KEEP(numbers);
}

/* Whose it is isn't known here. */
WORK static void touch_pointer(struct page *p)
{
	p->pos.y = 1;
}

/* There is none for it, and the stack pointer is anywhere; not so the one beside it. */
WORK static void touch_dynamic(size_t size)
{
	struct page beside[ALL], *all = __builtin_alloca(size);

	give_back(all, size);
	give_back(beside, sizeof(beside));
	for (int i = 1; i <= TOUCHED; i++) {
		UNKNOWN(all);
		all[i].first = 1;
		beside[i].last = 1;
	}
	KEEP(beside);
}

WORK static void touch_in_thread(void)
{
	struct page mine[ALL];

	give_back(mine, sizeof(mine));
	for (int i = 1; i <= TOUCHED; i++)
		mine[i].pos.x = 1;
	KEEP(mine);
}

static void *thread(void *arg)
{
	touch_in_thread();
	return arg;
}

static void point(void)
{
	struct pages all;

	KEEP(&all);
	give_back(&all, sizeof(all));
	for (int i = 1; i <= TOUCHED; i++)
		touch_pointer(&all.list[i]);
}

static void say_variable(const char *function, const char *object, const char *type,
			 const char *member)
{
	printf("touch_%s;%s;%s;%s\n", function, object, type, member);
}

int main(void)
{
	static struct pages pages;
	pthread_t other;

	puts("frames");
	fflush(stdout); /* its buffer is there */
	touch_local();
	touch_index();
	touch_scopes(TOUCHED);
	touch_inlined();
	touch_parameter(pages);
	touch_numbers(STACK_PAGE / sizeof(double));
	point();
	touch_dynamic(sizeof(pages));
	if (pthread_create(&other, NULL, thread, NULL) != 0)
		return 1;
	pthread_join(other, NULL);
	say_variable("local", "touch_local::all", "struct page[]", "pos.y");
	say_variable("index", "touch_index::all", "struct page[]", "last");
	say_variable("scopes", "touch_scopes::earlier", "struct page[]", "first");
	say_variable("scopes", "touch_scopes::later", "struct other[]", "sums[]");
	say_variable("inlined", "touch_within::own", "struct page[]", "pos.x");
	say_variable("parameter", "touch_parameter::all", "struct pages", "list[].first");
	say_variable("numbers", "touch_numbers::numbers", "double[]", "-");
	say_variable("pointer", "[stack]", "struct page", "pos.y");
	say_variable("dynamic", "[stack]", "struct page", "first");
	say_variable("dynamic", "touch_dynamic::beside", "struct page[]", "last");
	say_variable("in_thread", "touch_in_thread::mine", "struct page[]", "pos.x");
	return 0;
}
