// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * misses [SECONDS=1]: loads and stores that are known, for so much CPU time.
 *
 * Known answer: `chase` only loads, each address from the one before; `fill` only stores, a number
 * at a time, by an address that stays. Each gets half of the time, but for what is around them.
 */
#include <stdlib.h>

#include "spin.h"

enum { NODES = 1 << 16, WORDS = 4096, TIMES = 20000 };

struct node {
	struct node *next;
	uint64_t pad[7];
};

static struct node nodes[NODES];
static volatile uint64_t words[WORDS];

WORK static struct node *chase(struct node *from, long times)
{
	while (times--)
		from = from->next;
	return from;
}

WORK static void fill(volatile uint64_t *to, long times)
{
	while (times--)
		*to++ = (uint64_t)times;
}

/* One circle through all of them, in steps that nobody guesses. */
static void link_up(void)
{
	for (unsigned i = 0; i < NODES; i++)
		nodes[(i * 40503U) % NODES].next = &nodes[((i + 1) * 40503U) % NODES];
}

int main(int argc, char **argv)
{
	uint64_t end = thread_cpu_ns() + (uint64_t)(1e9 * arg_num(argc, argv, 1, 1));
	struct node *at = nodes;
	uint64_t now, half;

	link_up();
	while ((now = thread_cpu_ns()) < end) {
		at = chase(at, TIMES);
		half = thread_cpu_ns();
		while (thread_cpu_ns() - half < half - now)
			fill(words, WORDS);
	}
	return at == NULL;
}
