// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Regions of memory, of saved profiles: their pages, their samples, and which are delinquent. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "base/buf.h"
#include "prof/regions.h"
#include "prof_build.h"
#include "render/regions.h"

static struct prof *p;
static struct regions found;
static struct regions_use use;
static struct region_row *rows;
static size_t n_rows;

static void begin(void)
{
	p = prof__new();
	prof__type(p, "faults_sample", "count");
	prof__type(p, "dtlb-miss_sample", "count");
}

static void end(void)
{
	regions__done(&found);
	free(use.list);
	free(rows);
	p = prof__free(p);
}

TestSuite(regions, .init = begin, .fini = end);

struct access {
	int pid;
	const char *page, *line, *segment, *site, *access, *source;
	int faults, misses;
};

static void touch(struct access a)
{
	const char *const texts[][2] = {
		{"data_page", a.page}, {"cache_line", a.line},    {"data_segment", a.segment},
		{PROF_SITE, a.site},   {"data_access", a.access}, {"data_source", a.source},
	};
	struct prof_label_list l = {0};
	int64_t *values;

	prof__add_number(p, &l, "pid", a.pid);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		if (texts[i][1])
			prof__add_text(p, &l, texts[i][0], texts[i][1]);
	}
	values = prof__sample(p, build_stack(p, "work,main"), prof__labels(p, l.items, l.n));
	values[0] += a.faults;
	values[1] += a.misses;
	free(l.items);
}

static void find(size_t type)
{
	regions__find(&found, p);
	regions__count(&found, p, type, type == 1, &use);
	n_rows = regions__rows(&found, &use, 2, &rows);
}

static void fault_in(int pid, const char *segment, const char *site, unsigned first, unsigned n)
{
	char page[32];

	for (unsigned i = first; i < first + n; i++) {
		snprintf(page, sizeof(page), "0x%x000", i);
		touch((struct access){
			.pid = pid, .page = page, .segment = segment, .site = site, .faults = 1});
	}
}

#define EXPECT_ROW(i, seg, by, n_pages, n_samples)                       \
	do {                                                             \
		cr_expect_str_eq(rows[i].region->segment, seg);          \
		cr_expect_str_eq(rows[i].region->site, by);              \
		cr_expect_eq(rows[i].region->pages, (n_pages));          \
		cr_expect_eq(rows[i].use.samples, (int64_t)(n_samples)); \
	} while (0)

Test(regions, pages_count_once_in_each_process)
{
	fault_in(1, "heap", "fill", 0, 30);
	fault_in(1, "heap", "fill", 0, 30);
	fault_in(2, "heap", "fill", 0, 10);
	fault_in(1, "mapped", "fill", 50, 20);
	fault_in(1, "mapped", NULL, 100, 5);
	find(0);
	cr_assert_eq(n_rows, 3);
	EXPECT_ROW(0, "heap", "fill", 40, 70);
	EXPECT_ROW(1, "mapped", "fill", 20, 20);
	EXPECT_ROW(2, "mapped", "", 5, 5);
	cr_expect_eq(found.pages, 65);
	cr_expect_eq(use.with_site, 90);
}

/* The kernel's is everybody's. */
Test(regions, kernel_memory)
{
	fault_in(1, "kernel", NULL, 7, 3);
	fault_in(2, "kernel", NULL, 7, 3);
	find(0);
	cr_assert_eq(n_rows, 1);
	EXPECT_ROW(0, "kernel", "", 3, 6);
}

/* What says only a cache line gets the rest of what else is said of its page. */
Test(regions, samples_say_different_amounts)
{
	fault_in(1, "heap", "fill", 1, 4);
	touch((struct access){.pid = 1, .line = "0x1040 (candidate)", .misses = 8});
	touch((struct access){.pid = 1, .line = "0x2fc0", .access = "store", .misses = 5});
	touch((struct access){.pid = 2, .line = "0x2fc0", .misses = 2});
	touch((struct access){.pid = 1, .misses = 3});
	touch((struct access){.pid = 1, .line = "0x2fc0 damaged", .misses = 3});
	find(1);
	cr_assert_eq(n_rows, 2);
	EXPECT_ROW(0, "heap", "fill", 4, 13);
	EXPECT_ROW(1, "", "", 1, 2);
	cr_expect_eq(rows[0].use.candidates, 8);
	cr_expect_eq(rows[0].use.stores, 5);
	cr_expect_eq(rows[0].use.tlb_misses, 13);
	cr_expect_eq(use.all, 21);
	cr_expect_eq(use.sum.samples, 15);
}

/* Whose it was when such a sample came, nobody knows. */
Test(regions, pages_that_two_touched_first)
{
	fault_in(1, "mapped", "one", 1, 2);
	fault_in(1, "mapped", "other", 2, 1);
	touch((struct access){.pid = 1, .line = "0x1000", .misses = 1});
	touch((struct access){.pid = 1, .line = "0x2000", .misses = 10});
	touch((struct access){
		.pid = 1, .line = "0x2000", .segment = "mapped", .site = "other", .misses = 5});
	find(1);
	cr_assert_eq(n_rows, 3);
	EXPECT_ROW(0, "mapped", "", 1, 10);
	EXPECT_ROW(1, "mapped", "other", 1, 5);
	EXPECT_ROW(2, "mapped", "one", 2, 1);
}

/* What nothing has checked is marked, and is of the same region all the same; what only candidates
 * say is of none that others are of. */
Test(regions, sites_of_candidates)
{
	fault_in(1, "heap", "fill", 0, 3);
	fault_in(1, "heap", "other (candidate) thing", 5, 1);
	touch((struct access){.pid = 1,
			      .line = "0x1040 (candidate)",
			      .site = "fill (candidate)",
			      .misses = 5});
	touch((struct access){.pid = 1,
			      .line = "0x9040 (candidate)",
			      .site = "nobody (candidate)",
			      .misses = 2});
	find(1);
	cr_assert_eq(n_rows, 3);
	EXPECT_ROW(0, "heap", "fill", 3, 5);
	EXPECT_ROW(1, "", "", 1, 2);
	EXPECT_ROW(2, "heap", "other (candidate) thing", 1, 0);
}

Test(regions, loads_stores_and_tlb_misses)
{
	touch((struct access){.pid = 1, .page = "0x1000", .access = "load", .faults = 1});
	touch((struct access){.pid = 1, .page = "0x1000", .access = "load and store", .faults = 2});
	touch((struct access){.pid = 1,
			      .page = "0x1000",
			      .source = "store L1 miss, TLB miss",
			      .faults = 4});
	touch((struct access){.pid = 1, .page = "0x1000", .source = "load L2 hit", .faults = 8});
	find(0);
	cr_expect_eq(use.sum.loads, 11);
	cr_expect_eq(use.sum.stores, 6);
	cr_expect_eq(use.sum.tlb_misses, 4);
}

/* Four times its share of bytes: by few samples that may be chance. */
static void misses(int hot, int cold)
{
	fault_in(1, "heap", "hot", 0, 10);
	fault_in(1, "heap", "cold", 100, 90);
	touch((struct access){.pid = 1, .page = "0x0", .misses = hot});
	touch((struct access){.pid = 1, .page = "0x64000", .misses = cold});
	find(1);
	for (size_t i = 0; i < n_rows; i++)
		cr_expect_eq(rows[i].region->pages, *rows[i].region->site == 'h' ? 10 : 90);
}

Test(regions, delinquent_with_many_samples)
{
	misses(400, 600);
	cr_expect_str_eq(rows[1].region->site, "hot");
	cr_expect_float_eq(rows[1].ratio, 4, 1e-9);
	/* the binomial tails of 400 of 1000 are 2.5 % at 0.3694690 and 0.4311216 */
	cr_expect_float_eq(rows[1].low, 3.694690, 1e-4);
	cr_expect_float_eq(rows[1].high, 4.311216, 1e-4);
	cr_expect(rows[1].delinquent);
	cr_expect_not(rows[0].delinquent);
}

Test(regions, not_delinquent_by_chance)
{
	misses(4, 6);
	cr_expect_float_eq(rows[1].ratio, 4, 1e-9);
	cr_expect_lt(rows[1].low, 2);
	cr_expect_not(rows[1].delinquent);
}

Test(regions, all_of_them_on_a_part)
{
	misses(100, 0);
	cr_expect_str_eq(rows[0].region->site, "hot");
	cr_expect_float_eq(rows[0].high, 10, 1e-9);
	cr_expect(rows[0].delinquent);
	cr_expect_eq(rows[1].low, 0);
}

Test(regions, none)
{
	touch((struct access){.pid = 1, .faults = 3});
	find(0);
	cr_expect_eq(found.n, 0);
	cr_expect_eq(n_rows, 0);
}

/* clang-format off */
static const char expected_text[] =
	"# file      a.pb.gz\n"
	"# bytes     are those of pages of 4096 that samples of any event are on: "
	"100 pages\n"
	"# ratio     share of samples by share of bytes; delinquent: more than 2 "
	"with 95 % confidence\n"
	"\n"
	"# event     faults\n"
	"# samples   100 of 100 say on which page their data is; of 100 it is known "
	"who touched it first\n"
	" samples       %    pages       %    ratio  95 % confidence"
	"                  loads   stores   TLB m.  segment, first touched by\n"
	"      90   90.00       90   90.00     1.00  [0.92, 1.06]"
	"                      -        -        -  heap  cold\n"
	"… and 1 more\n"
	"\n"
	"# event     dtlb-miss\n"
	"# samples   1000 of 1000 say on which page their data is; of 1000 it is known "
	"who touched it first\n"
	" samples       %    pages       %    ratio  95 % confidence"
	"                  loads   stores   TLB m.  segment, first touched by\n"
	"     600   60.00       90   90.00     0.67  [0.63, 0.70]"
	"                      -        -      600  heap  cold\n"
	"… and 1 more\n";
/* clang-format on */

/* A report that selects has texts of other numbers. */
Test(regions, as_text)
{
	char *files[] = {"a.pb.gz"};
	struct report report = {.files = files, .n_files = 1, .whole = p, .prof = p};
	struct regions_report r = {.report = &report, .regions = &found, .factor = 2, .limit = 1};
	struct buf text = {0};

	misses(400, 600);
	report__settle(&report);
	regions_report__text(&r, &text);
	cr_expect_str_eq(text.data, expected_text);
	buf__done(&text);
	report__done(&report);
}
