// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Ranges with names that nest and overlap. */
#include <criterion/criterion.h>
#include <string.h>

#include "symd/symtab.h"

static bool is_named(const struct segment *s, const char *name)
{
	return s && s->len == strlen(name) && !memcmp(s->name, name, s->len);
}

static void add(struct symtab *t, uint64_t start, uint64_t end, const char *name, uint32_t prio)
{
	cr_assert(symtab__add(t, &(struct symbol){.start = start,
						  .end = end,
						  .name = name,
						  .len = (uint32_t)strlen(name),
						  .prio = prio}));
}

Test(symtab, nesting_and_aliases)
{
	struct symtab t = {0};

	add(&t, 100, 200, "outer", 1);
	add(&t, 120, 130, "inner", 1);
	add(&t, 100, 200, "__outer", 1);
	add(&t, 100, 200, "other", 1);
	add(&t, 150, 300, "weaker", 0);
	add(&t, 400, 400, "empty", 1);
	symtab__finish(&t);
	cr_assert_null(symtab__find(&t, 99));
	cr_assert(is_named(symtab__find(&t, 100), "other"));
	cr_assert(is_named(symtab__find(&t, 125), "inner"));
	cr_assert(is_named(symtab__find(&t, 130), "other"));
	cr_assert(is_named(symtab__find(&t, 199), "other"));
	cr_assert(is_named(symtab__find(&t, 200), "weaker"));
	cr_assert_null(symtab__find(&t, 300));
	cr_assert_null(symtab__find(&t, 400));
	symtab__done(&t);
}

Test(symtab, empty)
{
	struct symtab t = {0};

	symtab__finish(&t);
	cr_assert_null(symtab__find(&t, 0));
	symtab__done(&t);
}

/* The sweep against the definition, on many small random tables. */
Test(symtab, agrees_with_a_plain_search)
{
	static const char names[] = "abcdefghijklmnopqrstuvwxyz";
	uint32_t seed = 7;

	for (int round = 0; round < 2000; round++) {
		struct symtab t = {0};
		uint64_t starts[12], ends[12];
		uint32_t prios[12];

		for (int i = 0; i < 12; i++) {
			seed = seed * 1664525 + 1013904223;
			starts[i] = (seed >> 8) % 40;
			ends[i] = starts[i] + (seed >> 16) % 12;
			prios[i] = round % 2 ? (uint32_t)i + 1 : (seed >> 24) % 3;
			symtab__add(&t, &(struct symbol){.start = starts[i],
							 .end = ends[i],
							 .name = &names[i],
							 .len = 1,
							 .prio = prios[i]});
		}
		symtab__finish(&t);
		for (uint64_t addr = 0; addr < 60; addr++) {
			const struct segment *got = symtab__find(&t, addr);
			int best = -1;

			for (int i = 0; i < 12; i++) {
				if (addr < starts[i] || addr >= ends[i])
					continue;
				if (best < 0 || prios[i] > prios[best] ||
				    (prios[i] == prios[best] && starts[i] > starts[best]))
					best = i;
			}
			cr_assert_eq(got ? got->name : NULL, best < 0 ? NULL : &names[best]);
		}
		symtab__done(&t);
	}
}
