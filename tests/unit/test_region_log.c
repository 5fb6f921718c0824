// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What parts of a recording say of regions, as one; the list of it; and its bounds. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "prof/region_log.h"
#include "prof/regions.h"
#include "prof_build.h"
#include "render/regions_list.h"

static struct prof *p;
static struct region_log log_;

static struct prof *new_part(void)
{
	p = prof__new();
	prof__type(p, "faults_sample", "count");
	prof__type(p, "faults_event", "count");
	prof__type(p, "clock_sample", "count");
	return p;
}

static void end(void)
{
	region_log__done(&log_);
	p = prof__free(p);
}

TestSuite(region_log, .fini = end);

/* type 0: faults, 2: clock. Without an address if it is 0. */
static void touch(int pid, uint64_t addr, const char *site, size_t type, int64_t n)
{
	_cleanup_free_ char *line = xasprintf("0x%" PRIx64, addr);
	struct prof_label_list l = {0};

	prof__add_number(p, &l, "pid", pid);
	prof__add_text(p, &l, "data_object", "something");
	if (addr) {
		prof__add_text(p, &l, "cache_line", line);
		prof__add_text(p, &l, "data_segment", "mapped");
		prof__add_text(p, &l, "data_access", "store");
	}
	if (site)
		prof__add_text(p, &l, PROF_SITE, site);
	prof__sample(p, build_stack(p, "work,main"), prof__labels(p, l.items, l.n))[type] += n;
	free(l.items);
}

static void add(void)
{
	region_log__add(&log_, p);
	p = prof__free(p);
}

#define EXPECT_LIST(last, text)                                         \
	do {                                                            \
		_cleanup_(buf__done) struct buf is_ = {0};              \
		const struct regions_list list_ = {.log = &log_,        \
						   .part = (last),      \
						   .factor = 2,         \
						   .number = 3,         \
						   .at_ms = 5000,       \
						   .elapsed_ms = 3001}; \
		regions_list__text(&list_, &is_);                       \
		cr_expect_str_eq(is_.data, (text));                     \
	} while (0)

Test(region_log, nothing_yet)
{
	EXPECT_LIST(NULL, "pmubpf-regions 1\nlist 3 recording 5000 3001 4096 0\n"
			  "left_out 0 0 0\nend 3\n");
}

/* Ten pages of one site, of which a clock hits one line; ninety of another. */
Test(region_log, parts_add_up)
{
	new_part();
	for (uint64_t i = 1; i <= 10; i++)
		touch(7, i * 4096, "hot", 0, 1);
	for (uint64_t i = 0; i < 90; i++)
		touch(7, (100 + i) * 4096, "cold", 0, 1);
	touch(7, 0, NULL, 2, 5);
	add();
	new_part();
	touch(7, 3 * 4096 + 128, NULL, 2, 30);
	add();
	new_part();
	touch(7, 3 * 4096 + 128, NULL, 2, 20);
	touch(7, 200 * 4096, NULL, 2, 1);
	region_log__add(&log_, p);
	EXPECT_LIST(p, "pmubpf-regions 1\nlist 3 recording 5000 3001 4096 101\n"
		       "region 1 mapped 10 9.900 hot\n"
		       "region 2 mapped 90 89.108 cold\n"
		       "region 3 mapped 1 0.990 -\n"
		       "range 1 7 0x1000 0xb000\n"
		       "range 2 7 0x64000 0xbe000\n"
		       "range 3 7 0xc8000 0xc9000\n"
		       "event 1 100 100 100 0 0 faults\n"
		       "missed 1 2 90 0 90.000 1.010 0.924 1.067 0 90 0 0 -\n"
		       "missed 1 1 10 0 10.000 1.010 0.495 1.780 0 10 0 0 -\n"
		       "event 2 56 51 50 0 0 clock\n"
		       "missed 2 1 50 20 98.039 9.902 9.045 10.095 0 50 0 0 delinquent\n"
		       "missed 2 3 1 1 1.960 1.980 0.050 10.552 0 1 0 0 -\n"
		       "line 2 1 7 0x3080 50 20\n"
		       "left_out 0 0 0\nend 3\n");
}

/* The same addresses of two processes are two ranges; names can't end a line. */
Test(region_log, processes_and_names)
{
	new_part();
	touch(7, 0x1000, "a\nend 3", 0, 1);
	touch(8, 0x2000, "a\nend 3", 0, 1);
	add();
	EXPECT_LIST(NULL, "pmubpf-regions 1\nlist 3 recording 5000 3001 4096 2\n"
			  "region 1 mapped 2 100.000 a\\x0aend 3\n"
			  "range 1 7 0x1000 0x2000\n"
			  "range 1 8 0x2000 0x3000\n"
			  "event 1 2 2 2 0 0 faults\n"
			  "missed 1 1 2 0 100.000 1.000 0.158 1.000 0 2 0 0 -\n"
			  "event 2 0 0 0 0 0 clock\n"
			  "left_out 0 0 0\nend 3\n");
}

/* Whatever comes: known lines are counted on, no memory is taken for others. */
Test(region_log, bounded)
{
	enum { LINES = 20000, LIMIT = 200000 };
	_cleanup_(buf__done) struct buf text = {0};
	int64_t sum = 0, here = 0;
	size_t at_limit = 0;

	log_.limit = LIMIT;
	for (int part = 0; part < 3; part++) {
		new_part();
		for (uint64_t i = 1; i <= LINES; i++)
			touch(part ? (int)(i % 1000) : 7, i * 64, "site", 0, 1);
		touch(7, 64, "site", 0, 10);
		sum += LINES + 10;
		add();
		if (!part)
			at_limit = region_log__bytes(&log_);
	}
	cr_expect_gt(at_limit, LIMIT);
	cr_expect_lt(at_limit, LIMIT + 2000);
	cr_expect_eq(region_log__bytes(&log_), at_limit, "%zu", region_log__bytes(&log_));
	for (size_t i = 0; i < log_.so_far->n_samples; i++) {
		here += prof__values(log_.so_far, i)[0];
		if (log_.so_far->samples[i].labels)
			sum -= prof__values(log_.so_far, i)[0];
	}
	cr_expect_eq(here, 3 * (LINES + 10));
	cr_expect_eq(sum, log_.no_room[0], "what is in no region");
	cr_expect_gt(prof__values(log_.so_far, 0)[0], 30, "and the first line goes on");
}
