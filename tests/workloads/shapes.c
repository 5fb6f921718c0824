// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * shapes: touches pages of typed objects that have no names, each for the first time, by one member
 * each, as programs do: through pointers in parameters and variables.
 *
 * Known answer, of the page faults below a function `touch_…`: TOUCHED (50) for each line of
 *
 * 	FUNCTION TYPE MEMBER
 *
 * stdout: these lines; "-" stands for no member.
 */
#include "typed_pages.h"

struct head {
	int kind;
	struct node node;
};

struct tail {
	long n;
	double values[];
};

WORK static void touch_parameter(struct node *n)
{
	n->pos.y = 2;
}

/* An element by its number; the double is not the first of its structure. */
WORK static void touch_element(struct wide *w, long i)
{
	w->pairs[i].y = 1;
}

WORK static void touch_list(struct node *n)
{
	long i = 0;

	for (; n; n = n->next)
		n->key = i++;
}

/* Into the next page that wasn't touched yet, by a link. */
WORK static void touch_links(struct head *h, long i)
{
	struct node *n = &h[i].node;

	__asm__ volatile("" : "+r"(n));
	n->count = 1;
}

WORK static void touch_number(double *numbers, long i)
{
	numbers[i] = 1;
}

WORK static void touch_pointer(struct node **list, struct node *what, long i)
{
	list[i] = what;
}

WORK static void touch_tail(struct tail *t, long i)
{
	t->values[i] = 1;
}

static inline __attribute__((always_inline)) void set_x(struct pair *p, double x)
{
	p->x = x;
}

/* What the inlined function takes for a pair is a node's. */
WORK static void touch_inlined(struct node *n)
{
	set_x(&n->pos, 3);
}

/* A structure that two registers hold, one of which points. */
struct span {
	long n;
	struct node *nodes;
};

WORK static void touch_span(struct span s)
{
	s.nodes[s.n].count = 4;
}

/* A number behind a structure is none of it. */
WORK static void touch_behind(struct pair *p)
{
	((long *)(p + 1))[1] = 1;
}

/* Bytes may be anything. */
WORK static void touch_bytes(char *bytes, long i)
{
	bytes[i] = 1;
}

static struct node *linked(void)
{
	struct node *list = pages();

	/* the last page of each: a link; what is touched later is the first */
	for (int i = 0; i < TOUCHED; i++)
		list[i].next = i + 1 < TOUCHED ? &list[i + 1] : NULL;
	return list;
}

int main(void)
{
	struct decoy *volatile decoy = pages();
	struct node *one = pages(), *inlined = pages(), *spanned = pages(), **list = pages();
	struct wide *wide = pages();
	struct head *heads = pages();
	struct pair *pair = pages();
	struct tail *tail = pages();
	double *numbers = pages();
	char *bytes = pages();

	(void)decoy;
	puts("shapes");
	fflush(stdout); /* its buffer is there */
	touch_list(linked());
	for (int i = TOUCHED; i-- > 0;) {
		touch_parameter(one + i);
		touch_element(wide + i, i % 3);
		touch_links(heads, i);
		touch_number(numbers, (long)i * PAGE_MAX / (long)sizeof(double));
		touch_pointer(list, one, (long)i * PAGE_MAX / (long)sizeof(void *));
		touch_tail(tail, (long)(i + 1) * PAGE_MAX / (long)sizeof(double));
		touch_inlined(inlined + i);
		touch_span((struct span){i, spanned});
		touch_behind((struct pair *)((char *)pair + (size_t)i * PAGE_MAX));
		touch_bytes(bytes, (long)i * PAGE_MAX);
	}
	say("parameter", "struct node", "pos.y");
	say("element", "struct wide", "pairs[].y");
	say("list", "struct node", "key");
	say("links", "struct node", "count");
	say("number", "double", "-");
	say("pointer", "struct node *", "-");
	say("tail", "struct tail", "values[]");
	say("inlined", "struct node", "pos.x");
	say("span", "struct node", "count");
	say("behind", "-", "-");
	say("bytes", "-", "-");
	return 0;
}
