// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The best of many ranges for some addresses, beside a plain search. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/mem.h"
#include "symd/asked.h"

static size_t n_read;

/* Names are their numbers; every eighth has none. */
static bool read_name(void *ctx, struct candidate *c)
{
	(void)ctx;
	n_read++;
	c->len = (uint32_t)c->name % 3;
	return c->name % 8;
}

static int compare_names(void *ctx, const struct candidate *a, const struct candidate *b)
{
	(void)ctx;
	return CMP3(a->name, b->name);
}

static bool beats(const struct candidate *a, const struct candidate *b)
{
	if (a->prio != b->prio)
		return a->prio > b->prio;
	if (a->start != b->start)
		return a->start > b->start;
	if (a->rank != b->rank)
		return a->rank > b->rank;
	if (a->name % 3 != b->name % 3)
		return a->name % 3 < b->name % 3;
	return a->name < b->name;
}

static const struct candidate *plain_search(const struct candidate *all, size_t n, uint64_t addr)
{
	const struct candidate *best = NULL;

	for (size_t i = 0; i < n; i++) {
		if (addr < all[i].start || addr >= all[i].end || all[i].name % 8 == 0)
			continue;
		if (!best || beats(&all[i], best))
			best = &all[i];
	}
	return best;
}

Test(asked, agrees_with_a_plain_search)
{
	enum { SYMBOLS = 40, ADDRS = 30 };
	uint32_t seed = 5;

	for (int round = 0; round < 3000; round++) {
		struct candidate all[SYMBOLS];
		uint64_t addrs[ADDRS];
		size_t n = (size_t)round % ADDRS;
		struct asked a;

		for (size_t i = 0; i < n; i++) {
			seed = seed * 1664525 + 1013904223;
			addrs[i] = (seed >> 8) % 64;
		}
		asked__init(&a, addrs, n);
		a.name = read_name;
		a.compare = compare_names;
		for (size_t i = 0; i < SYMBOLS; i++) {
			seed = seed * 1664525 + 1013904223;
			all[i] = (struct candidate){.start = (seed >> 8) % 60,
						    .name = i,
						    .rank = (seed >> 28) % 2,
						    .prio = (seed >> 30) % 2};
			all[i].end = all[i].start + (seed >> 16) % 16;
			asked__offer(&a, all[i], all[i].end);
		}
		asked__settle(&a);
		for (size_t i = 0; i < a.n; i++) {
			const struct candidate *got = asked__best(&a, i);
			const struct candidate *best = plain_search(all, SYMBOLS, a.addrs[i]);

			cr_assert(i == 0 || a.addrs[i] > a.addrs[i - 1]);
			cr_assert_eq(got->is_set, best != NULL);
			cr_assert(!best || got->name == best->name);
		}
		asked__done(&a);
	}
}

/* A hostile file's: each symbol covers every address, and is better than all before it. */
Test(asked, what_covers_everything_costs_little)
{
	uint64_t addrs[ASKED_MAX];
	struct asked a;

	for (size_t i = 0; i < ASKED_MAX; i++)
		addrs[i] = (1 << 24) + 3 * i;
	asked__init(&a, addrs, ASKED_MAX);
	a.name = read_name;
	a.compare = compare_names;
	for (uint64_t i = 1; i < 1 << 20; i++)
		asked__offer(&a, (struct candidate){.start = i, .name = 1}, UINT64_MAX);
	asked__settle(&a);
	cr_assert_eq(asked__best(&a, 77)->start, (1 << 20) - 1);
	asked__done(&a);
}

/* Names are what is dear: none is read of a symbol that holds no address, or loses by its place. */
Test(asked, few_names_are_read)
{
	static const uint64_t addrs[] = {100, 200};
	struct asked a;

	asked__init(&a, addrs, ARRAY_SIZE(addrs));
	a.name = read_name;
	a.compare = compare_names;
	n_read = 0;
	asked__offer(&a, (struct candidate){.start = 90, .name = 1, .prio = 1}, 110);
	for (uint64_t i = 0; i < 1000; i++) {
		asked__offer(&a, (struct candidate){.start = 300 + i, .name = 2, .prio = 1},
			     310 + i);
		asked__offer(&a, (struct candidate){.start = i % 90, .name = 3, .prio = 1}, 110);
	}
	cr_assert_eq(n_read, 1);
	asked__done(&a);
}
