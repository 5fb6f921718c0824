// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How members of types were used, of saved profiles: counted, placed, and as text. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"
#include "cmd/report_layout.h"
#include "prof/layout_use.h"
#include "prof/layouts.h"
#include "prof_build.h"

/* 192 bytes: what is hot is far apart. */
static const char node[] = "192\n"
			   "0\t0\t8\t1\tkey\tlong\n"
			   "0\t8\t80\t80\tname[]\tchar\n"
			   "0\t88\t4\t1\tflags\tint\n"
			   "0\t96\t8\t1\tvalue\tlong\n"
			   "0\t104\t48\t2\tat[]\tstruct point\n"
			   "1\t104\t8\t1\tat[].x\tdouble\n"
			   "1\t112\t1\t1\tat[].tag\tchar\n"
			   "1\t120\t8\t1\tat[].either.(several)\tunion u\n"
			   "2\t120\t4\t1\tat[].either.i\tint\n"
			   "2\t120\t8\t1\tat[].either.d\tdouble\n"
			   "0\t152\t8\t1\tnext\tstruct node *\n"
			   "0\t160\t8\t1\tlast\tlong\n";

static struct prof *p;
static struct layouts layouts;
static struct report report;
static struct layout_report found;
static struct err err;
static char *files[] = {"a.pb.gz"};

static void begin(void)
{
	p = prof__new();
	prof__type(p, "faults_sample", "count");
	prof__type(p, "faults_event", "count");
}

static void forget(void)
{
	report_layout__done(&found);
	report__done(&report);
	report = (struct report){0};
}

static void end(void)
{
	forget();
	layouts__done(&layouts);
	p = prof__free(p);
}

TestSuite(layout, .init = begin, .fini = end);

static void hit(const char *type, const char *text, const char *member, const char *access, int n)
{
	struct prof_label_list l = {0};
	int64_t *values;

	prof__add_text(p, &l, "data_type", type);
	prof__add_text(p, &l, "member", member);
	prof__add_text(p, &l, PROF_LAYOUT, layouts__add(&layouts, type, text, 1));
	if (access)
		prof__add_text(p, &l, "data_access", access);
	values = prof__sample(p, build_stack(p, "work,main"), prof__labels(p, l.items, l.n));
	values[0] += n;
	values[1] += n;
	free(l.items);
}

static int find(const char *wanted)
{
	layouts__save(&layouts, p);
	report = (struct report){.files = files, .n_files = 1, .whole = p, .prof = p};
	report__settle(&report);
	return report_layout__find(&found, &report, wanted, &err);
}

static void hit_nodes(void)
{
	hit("struct node[]", node, "key", "load", 50);
	hit("struct node", node, "next", "load", 30);
	hit("struct node[]", node, "value", "load and store", 10);
	hit("struct node[]", node, "value", NULL, 5);
	hit("struct node[]", node, "at[].either.(several)", "store", 4);
	hit("struct node[]", node, "(padding)", "store", 1);
}

/* clang-format off */
static const char as_text[] =
	"# file      a.pb.gz\n"
	"# event     faults\n"
	"# lines     of 64 bytes, as if each object began at one\n"
	"\n"
	"struct node: 192 bytes, 3 cache lines; 100 faults\n"
	" offset    size       %     count     loads    stores        member "
	"                  type\n"
	"      0       8   50.00        50        50         -  hot   key    "
	"                  long\n"
	"      8      80       -         -         -         -  cold  name[] "
	"                  char[80]\n"
	"     64 ---- cache line 1 --------------------------------------------\n"
	"     88       4       -         -         -         -  cold  flags  "
	"                  int\n"
	"     92       4       -         -         -         -        (hole)\n"
	"     96       8   15.00        15        10        10  hot   value  "
	"                  long\n"
	"    104      48    4.00         4         -         4        at[]   "
	"                  struct point[2]\n"
	"    104       8       -         -         -         -  cold    at[]."
	"x                 double\n"
	"    112       1       -         -         -         -  cold    at[]."
	"tag               char\n"
	"    113       7       -         -         -         -          (hole, in each)\n"
	"    120       8    4.00         4         -         4          at[]."
	"either.(several)  union u\n"
	"    120       4       -         -         -         -            at["
	"].either.i        int\n"
	"    120       8       -         -         -         -            at["
	"].either.d        double\n"
	"    128 ---- cache line 2 --------------------------------------------\n"
	"    152       8   30.00        30        30         -  hot   next   "
	"                  struct node *\n"
	"    160       8       -         -         -         -  cold  last   "
	"                  long\n"
	"    168      24       -         -         -         -        (padding at the end)\n"
	"                   1.00         1         -         1        (padding)\n"
	"\n"
	"42 of 192 bytes are no member's (21.9 %)\n"
	"3 members with 95.0 % of the type's samples (key, next, value) lie o"
	"n 3 cache lines and take 24 bytes: side by side they would fit into 1\n";
/* clang-format on */

Test(layout, as_text)
{
	struct buf text = {0};

	hit_nodes();
	cr_assert_eq(find("node"), 0, "%s", err.text);
	layout_report__text(&found, &text);
	cr_expect_str_eq(text.data, as_text);
	buf__done(&text);
}

Test(layout, as_json)
{
	struct buf text = {0};

	hit_nodes();
	cr_assert_eq(find("struct node"), 0, "%s", err.text);
	report.command_line = (char *[]){"report", NULL};
	layout_report__json(&found, &text);
	cr_expect(strstr(text.data, "\"lines\": 3,"), "%s", text.data);
	cr_expect(strstr(text.data, "\"lines_needed\": 1"));
	cr_expect(strstr(text.data, "\"padding\": 42"));
	cr_expect(strstr(text.data, "\"hidden_layouts\": 0"));
	buf__done(&text);
}

Test(layout, counted)
{
	const struct layout_use *u;

	hit_nodes();
	cr_assert_eq(find("struct node[]"), 0, "%s", err.text);
	cr_assert_eq(found.n, 1);
	u = &found.views[0].use;
	cr_expect_eq(u->whole.value, 100);
	cr_expect_eq(u->whole.loads, 90);
	cr_expect_eq(u->whole.stores, 15);
	cr_expect_eq(u->own[4].value, 0);
	cr_expect_eq(u->within[4].value, 4);
	cr_expect_eq(u->n_besides, 1);
	cr_expect_str_eq(u->besides[0].name, "(padding)");
	cr_expect_eq(u->hot.n, 3);
	cr_expect(layout_use__is_hot(u, 10) && !layout_use__is_hot(u, 7));
}

/* A member of an element is in each of them. */
Test(layout, elements_are_placed)
{
	static const char text[] = "512\n"
				   "0\t0\t512\t8\ta[]\tstruct s\n"
				   "1\t0\t64\t2\ta[].b[]\tstruct t\n"
				   "2\t4\t4\t1\ta[].b[].c\tint\n";

	hit("struct many", text, "a[].b[].c", "load", 1);
	cr_assert_eq(find("struct many"), 0, "%s", err.text);
	cr_expect_eq(found.views[0].use.hot.bytes, 8 * 2 * 4);
	cr_expect_eq(found.views[0].use.hot.lines, 8);
	cr_expect_eq(found.views[0].use.hot.needed, 1);
}

/* One type, in two builds: each with its own samples, the most used first. */
Test(layout, two_of_a_name)
{
	struct buf text = {0};

	hit("struct s", "8\n0\t0\t8\t1\ta\tlong\n", "a", "load", 3);
	hit("struct s", "16\n0\t8\t8\t1\ta\tlong\n", "a", "load", 7);
	cr_assert_eq(find("s"), 0, "%s", err.text);
	cr_assert_eq(found.n, 2);
	cr_expect_eq(found.views[0].layout.size, 16);
	cr_expect_eq(found.views[0].use.whole.value, 7);
	cr_expect_eq(found.views[1].use.whole.value, 3);
	layout_report__text(&found, &text);
	cr_expect(strstr(text.data, "# layouts   2: "), "%s", text.data);
	buf__done(&text);
}

static void expect_refused(const char *wanted, const char *words)
{
	cr_expect_lt(find(wanted), 0);
	cr_expect(strstr(err.text, words), "%s: %s", wanted, err.text);
	forget();
}

static const char one[] = "8\n0\t0\t8\t1\ta\tlong\n";

Test(layout, which_type)
{
	static const char *const found_by[] = {"struct list_head",
					       "list_head",
					       "struct list_h",
					       "list_h",
					       "entry",
					       "struct list_head[][]"};

	hit("struct list_head", one, "a", "load", 1);
	hit("struct list[]", one, "a", "load", 1);
	hit("entry", one, "a", "load", 1);
	for (size_t i = 0; i < ARRAY_SIZE(found_by); i++) {
		cr_expect_eq(find(found_by[i]), 0, "%s: %s", found_by[i], err.text);
		forget();
	}
	cr_expect_eq(find("list"), 0, "the whole name, not the beginning of another");
	cr_expect_str_eq(found.views[0].type, "struct list");
	forget();
	expect_refused("struct l", "which one, struct list_head, struct list?");
	expect_refused("node", "it has struct list_head, struct list, entry");
}

Test(layout, what_is_missing)
{
	struct prof_label_list l = {0};

	BUILD_SAMPLE(p, "work,main", 0, 1, 1);
	expect_refused("node", "record --data");
	prof__add_text(p, &l, "data_object", "nodes");
	prof__sample(p, 0, prof__labels(p, l.items, l.n));
	expect_refused("node", "debug information");
	prof__add_text(p, &l, "member", "next");
	prof__sample(p, 0, prof__labels(p, l.items, l.n));
	expect_refused("node", "record it again");
	free(l.items);
}

/* Whoever made the file up. */
Test(layout, absurd_ones)
{
	struct buf text = {0};

	hit("struct bad", "8\n0\t0\t80\t1\ta\tlong\n", "a", "load", 1);
	hit("struct huge",
	    "1099511627776\n0\t0\t1099511627776\t1099511627776\ta[]\tt\n"
	    "1\t0\t1\t1\ta[].b\tchar\n",
	    "a[].b", "load", INT32_MAX);
	hit("struct places",
	    "1048576\n0\t0\t1048576\t1048576\ta[]\tt\n"
	    "1\t0\t1\t1\ta[].b\tchar\n",
	    "a[].b", "load", 1);
	expect_refused("bad", "damaged");
	cr_assert_eq(find("huge"), 0, "%s", err.text);
	cr_expect_not(found.views[0].use.hot.placed);
	layout_report__text(&found, &text);
	cr_expect(strstr(text.data, "too large"), "%s", text.data);
	forget();
	cr_assert_eq(find("places"), 0, "%s", err.text);
	cr_expect_eq(found.views[0].use.hot.bytes, 1 << 20);
	buf__done(&text);
}

/* More labels than any layout needs, and more layouts of one name. */
Test(layout, too_many)
{
	char name[32];

	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "no%d", i);
		hit("struct s", one, name, NULL, 1);
	}
	cr_assert_eq(find("s"), 0, "%s", err.text);
	cr_expect_eq(found.views[0].use.n_besides, 65);
	cr_expect_eq(found.views[0].use.besides[64].use.value, 36);
	forget();
	for (int i = 0; i < 20; i++) {
		struct buf text = {0};

		buf__printf(&text, "%d struct s\n%s", i, one);
		prof__add_layout(p, prof__string(p, text.data));
		buf__done(&text);
	}
	cr_assert_eq(find("s"), 0, "%s", err.text);
	cr_expect_eq(found.n, REPORT_LAYOUTS);
	cr_expect_eq(found.n_more, 21 - REPORT_LAYOUTS);
}
