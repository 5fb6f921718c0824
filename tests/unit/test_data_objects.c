// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which objects the samples of a profile are about. */
#include <criterion/criterion.h>

#include "prof/data_objects.h"
#include "prof_build.h"

static struct prof *p;
static struct data_objects found;

static void begin(void)
{
	p = prof__new();
	prof__type(p, "misses_sample", "count");
}

static void end(void)
{
	data_objects__done(&found);
	p = prof__free(p);
}

TestSuite(data_objects, .init = begin, .fini = end);

struct sample {
	const char *object, *type, *member, *class, *access, *stack;
	int n;
};

static void add(struct sample s)
{
	const char *const texts[][2] = {
		{"data_object", s.object}, {"data_type", s.type},     {"member", s.member},
		{"data_class", s.class},   {"data_access", s.access},
	};
	struct prof_label_list l = {0};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		if (texts[i][1])
			prof__add_text(p, &l, texts[i][0], texts[i][1]);
	}
	prof__sample(p, build_stack(p, s.stack), prof__labels(p, l.items, l.n))[0] += s.n;
	free(l.items);
}

/* What has no name is one by its type, wherever it lies; a variable is one by its name. */
Test(data_objects, what_one_is)
{
	add((struct sample){"[heap]", "struct node", "key", "validated", "load", "find,main", 3});
	add((struct sample){"[anonymous]", "struct node", "next", "validated", "store", "grow,main",
			    4});
	add((struct sample){"[heap]", "(no type)", NULL, "validated", "load", "copy,main", 2});
	add((struct sample){"root", "struct node", "key", "validated", "load", "main", 1});
	data_objects__find(&found, p, 0);
	cr_assert_eq(found.n, 3);
	cr_expect_str_eq(found.rows[0].object, "");
	cr_expect_str_eq(found.rows[0].type, "struct node");
	cr_expect_eq(found.rows[0].samples, 7);
	cr_expect_eq(found.rows[0].loads, 3);
	cr_expect_eq(found.rows[0].stores, 4);
	cr_expect_str_eq(found.rows[0].member.text, "next");
	cr_expect_eq(found.rows[0].member.samples, 4);
	cr_expect_str_eq(found.rows[0].function.text, "grow");
	cr_expect_str_eq(found.rows[1].object, "[heap]");
	cr_expect_str_eq(found.rows[1].type, "(no type)");
	cr_expect_str_eq(found.rows[1].member.text, "");
	cr_expect_str_eq(found.rows[2].object, "root");
}

/* What nothing has checked stays apart, and every sample is in one class. */
Test(data_objects, how_sure)
{
	add((struct sample){"[heap]", "struct node", "key", "validated", "load", "find", 2});
	add((struct sample){NULL, "struct node (candidate)", "key (candidate)", "candidate", "load",
			    "find", 5});
	add((struct sample){"[heap]", NULL, NULL, "contradicted", NULL, "find", 1});
	add((struct sample){NULL, NULL, NULL, "blocked", NULL, "find", 4});
	add((struct sample){NULL, NULL, NULL, NULL, NULL, "find", 100});
	data_objects__find(&found, p, 0);
	cr_expect_eq(found.all, 112);
	cr_expect_eq(found.with_data, 12);
	cr_assert_eq(found.n, 4);
	cr_expect_str_eq(found.rows[0].type, "struct node (candidate)");
	cr_expect_eq(found.rows[0].classes[DATA_CANDIDATE], 5);
	cr_expect_eq(found.rows[0].classes[DATA_VALIDATED], 0);
	cr_expect_str_eq(found.rows[1].type, "");
	cr_expect_eq(found.rows[1].classes[DATA_BLOCKED], 4);
	cr_expect_eq(found.rows[2].classes[DATA_VALIDATED], 2);
	cr_expect_eq(found.rows[3].classes[DATA_CONTRADICTED], 1);
}
