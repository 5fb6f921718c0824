// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trails: touches pages of typed objects, each for the first time, by pointers that compilers keep
 * in no variable: counters of loops that were made pointers, members of what others point to.
 *
 * Known answer, of the page faults below a function `touch_…`: TOUCHED (50) for each line of
 *
 * 	FUNCTION TYPE MEMBER
 *
 * stdout: these lines; "-" stands for no member.
 */
#include "typed_pages.h"

struct tree {
	struct decoy *decoy;
	struct {
		struct node *left, *right;
	} links;
	struct wide **table;
};

static struct tree *root;

WORK static void touch_list(struct node *from)
{
	struct node *head = NULL;

	for (int i = TOUCHED; i-- > 0;) {
		struct node *n = from + i;

		n->next = head;
		head = n;
	}
	__asm__ volatile("" : : "r"(head));
}

WORK static void touch_array(struct wide *all, long n)
{
	for (long i = n; i-- > 0;)
		all[i].pairs[1].y = 1;
}

WORK static void touch_numbers(double *numbers, long step)
{
	for (long i = 0; i < TOUCHED; i++)
		numbers[i * step] = 1;
}

WORK static void touch_pointers(struct node **list, struct node *what, long step)
{
	for (long i = 0; i < TOUCHED; i++)
		list[i * step] = what;
}

WORK static void touch_member(const struct tree *t)
{
	t->links.right->pos.x = 1;
}

WORK static void touch_global(void)
{
	root->links.left->count = 1;
}

WORK static void touch_table(long i)
{
	root->table[i]->pairs[2].x = 1;
}

WORK static void touch_choice(struct tree *t, long left)
{
	struct node *const *at = left ? &t->links.left : &t->links.right;

	__asm__ volatile("" : "+r"(at));
	(*at)->key = 1;
}

/* More is alive than there are registers. */
WORK static void touch_spilled(struct node *n, long a, long b, long c, long d, long e)
{
	long f = a + b, g = b + c, h = c + d, i = d + e, j = e + a, k = a * b, l = b * c, m = c * d;

	__asm__ volatile(""
			 : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g), "+r"(h),
			   "+r"(i), "+r"(j), "+r"(k), "+r"(l)
			 :
			 : "memory");
	n->pos.y = 1;
	__asm__ volatile("" : : "r"(a + b + c + d + e + f), "r"(g + h + i + j + k + l + m));
}

static struct node *fresh;

WORK static struct node *next_one(void)
{
	return fresh++;
}

/* In no variable. */
WORK static void touch_returned(void)
{
	next_one()->pos.x = 1;
}

int main(void)
{
	struct node *right = pages(), *left = pages(), *chosen = pages(), *spilled = pages();
	struct node *list = pages(), **pointers = pages();
	struct wide *wide = pages(), *array = pages(), *table[TOUCHED];
	double *numbers = pages();
	struct tree tree = {.decoy = pages(), .table = table};

	root = &tree;
	fresh = pages();
	puts("trails");
	fflush(stdout); /* its buffer is there */
	touch_list(list);
	touch_array(array, TOUCHED);
	touch_numbers(numbers, PAGE_MAX / (long)sizeof(double));
	touch_pointers(pointers, list, PAGE_MAX / (long)sizeof(void *));
	for (int i = 0; i < TOUCHED; i++) {
		tree.links.right = right + i;
		tree.links.left = left + i;
		table[i] = wide + i;
		touch_member(&tree);
		touch_global();
		touch_table(i);
		tree.links.right = tree.links.left = chosen + i;
		touch_choice(&tree, i & 1);
		touch_spilled(spilled + i, i, i, i, i, i);
		touch_returned();
	}
	say("list", "struct node", "next");
	say("array", "struct wide", "pairs[].y");
	say("numbers", "double", "-");
	say("pointers", "struct node *", "-");
	say("member", "struct node", "pos.x");
	say("global", "struct node", "count");
	say("table", "struct wide", "pairs[].x");
	say("choice", "struct node", "key");
	say("spilled", "struct node", "pos.y");
	say("returned", "struct node", "pos.x");
	return 0;
}
