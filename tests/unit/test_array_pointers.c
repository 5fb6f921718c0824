// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which pointers an index into an object leads to, by what the compiler says of this file's. */
#include <criterion/criterion.h>
#include <dwarf.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "symd/array_pointers.h"

struct an_item {
	long n;
};

struct another_item {
	double n;
};

static struct of_children {
	long n;
	struct an_item *children[8];
	struct an_item *more[2];
} of_children;

static struct of_two {
	struct an_item *children[8];
	struct another_item *others[8];
} of_two;

/* Numbers, of which one may be an address, or be added to one. */
static struct of_numbers {
	struct an_item *children[8];
	unsigned long tags[8];
} of_numbers;

static struct of_numbers_first {
	long keys[7];
	struct an_item *children[8];
} of_numbers_first;

static struct of_row_behind {
	long n, sums[3];
	struct an_item *row[];
} of_row_behind;

static struct of_wide_numbers {
	struct an_item *children[8];
	struct {
		double x, y;
	} points[4];
} of_wide_numbers;

static struct of_either {
	struct an_item *children[8];
	union {
		unsigned long tags[8];
		struct another_item *others[8];
	};
} of_either;

/* No index of words leads into these. */
static struct of_small_ones {
	unsigned char keys[16];
	int counts[8];
	union {
		long a;
		double b;
	} one;
	struct an_item *children[8];
	char name[32];
} of_small_ones;

/* By the number of elements that an index differs by. */
static struct of_pairs {
	struct {
		struct an_item *item;
		long n;
	} pairs[8];
} of_pairs;

enum { WORD = sizeof(void *) };

static const struct {
	const char *type;
	int64_t at;
	uint64_t every;
	const char *leads_to; /* NULL: nobody knows */
	const void *is_there;
} cases[] = {
	{"of_children", offsetof(struct of_children, children), WORD, "an_item", &of_children},
	{"of_children", offsetof(struct of_children, children) - WORD, WORD, "an_item", NULL},
	{"of_children", 0, WORD, "an_item", NULL},
	{"of_children", -WORD, WORD, "an_item", NULL},
	{"of_children", offsetof(struct of_children, children), 4, NULL, NULL},
	{"of_two", 0, WORD, NULL, &of_two},
	{"of_numbers", offsetof(struct of_numbers, tags), WORD, NULL, &of_numbers},
	{"of_numbers", 0, WORD, NULL, NULL},
	{"of_numbers_first", 0, WORD, NULL, &of_numbers_first},
	{"of_numbers_first", offsetof(struct of_numbers_first, keys[6]), WORD, NULL, NULL},
	{"of_numbers_first", offsetof(struct of_numbers_first, children), WORD, "an_item", NULL},
	{"of_row_behind", offsetof(struct of_row_behind, row), WORD, "an_item", &of_row_behind},
	{"of_row_behind", offsetof(struct of_row_behind, row) + WORD, WORD, "an_item", NULL},
	{"of_row_behind", offsetof(struct of_row_behind, sums), WORD, NULL, NULL},
	{"of_wide_numbers", offsetof(struct of_wide_numbers, points), WORD, NULL, &of_wide_numbers},
	{"of_either", offsetof(struct of_either, tags), WORD, NULL, &of_either},
	{"of_small_ones", offsetof(struct of_small_ones, children), WORD, "an_item",
	 &of_small_ones},
	{"of_pairs", 0, 2 * WORD, "an_item", &of_pairs},
	{"of_pairs", WORD, 2 * WORD, NULL, NULL},
	{"of_pairs", 0, WORD, NULL, NULL},
};

static Dwarf *dwarf;
static int fd;
static struct type_walk walk;
static struct array_pointers arrays;

static void begin(void)
{
	fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	dwarf = dwarf_begin(fd, DWARF_C_READ);
	if (!dwarf)
		cr_skip_test("built without DWARF");
}

static void end(void)
{
	dwarf_end(dwarf);
	close(fd);
}

TestSuite(array_pointers, .init = begin, .fini = end);

static bool find_type(const char *name, Dwarf_Die *ret)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die of_unit;

	while (dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &of_unit, NULL) == 0) {
		if (dwarf_child(&of_unit, ret) != 0)
			continue;
		do {
			const char *is = dwarf_diename(ret);

			if (dwarf_tag(ret) == DW_TAG_structure_type && is && !strcmp(is, name))
				return true;
		} while (dwarf_siblingof(ret, ret) == 0);
	}
	return false;
}

static uint64_t number_of(const char *name)
{
	uint64_t number;
	Dwarf_Die type;

	cr_assert(find_type(name, &type), "%s", name);
	cr_assert(type_walk__number(dwarf, &type, &number), "%s", name);
	return number;
}

Test(array_pointers, where_an_index_leads)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		Dwarf_Die pointer, to;
		bool found = array_pointers__find(&arrays, dwarf, &walk, number_of(cases[i].type),
						  cases[i].at, cases[i].every, &pointer);

		cr_expect_eq(found, cases[i].leads_to != NULL, "%zu: %s", i, cases[i].type);
		if (found && cases[i].leads_to)
			cr_expect(type_walk__type_of(&pointer, &to) &&
					  !strcmp(dwarf_diename(&to), cases[i].leads_to),
				  "%zu: %s", i, cases[i].type);
	}
}

/* children[i] and children[i - 1], in turn. */
Test(array_pointers, the_same_is_looked_for_once)
{
	const int64_t at = offsetof(struct of_children, children);
	const uint64_t type = number_of("of_children");
	uint64_t entries = 0;
	Dwarf_Die pointer;

	for (int i = 0; i < 100; i++) {
		if (i == 2)
			entries = walk.entries;
		cr_assert(array_pointers__find(&arrays, dwarf, &walk, type, at - i % 2 * WORD, WORD,
					       &pointer));
	}
	cr_expect_eq(walk.entries, entries);
}
