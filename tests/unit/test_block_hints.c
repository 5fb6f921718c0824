// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which events are named, of CPUs that libpfm is told to find. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/block_hints.h"
#include "pmu/libpfm.h"
#include "prof/blockclass.h"

static struct prof *prof;

static void add(const char *class, int64_t samples)
{
	struct prof_label_list labels = {0};

	prof__add_text(prof, &labels, BLOCKCLASS_LABEL, class);
	prof__sample(prof, prof__stack(prof, NULL, 0),
		     prof__labels(prof, labels.items, labels.n))[0] = samples;
	free(labels.items);
}

static void hint_on(const char *pmu)
{
	setenv("LIBPFM_FORCE_PMU", pmu, 1);
	if (!libpfm__available())
		cr_skip_test("libpfm4 is not here");
	prof = prof__new();
	prof__type(prof, "cycles_sample", "count");
	add("div", 40);
	add("lock", 6);
	add("string", 4); /* few */
	add("store", 20); /* nothing counts that */
	add("[kernel]", 30);
	add_block_hints(prof);
}

static void expect(size_t i, const char *text)
{
	cr_assert_gt(prof->n_comments, i, "%s is missing", text);
	cr_expect_str_eq(prof__text(prof, prof->comments[i]), text);
}

Test(block_hints, an_intel_cpu)
{
	hint_on("spr");
	expect(0, "hint: lock: MEM_INST_RETIRED:LOCK_LOADS counts locked instructions");
	expect(1, "hint: div: ARITH:DIVIDER_ACTIVE counts cycles in which the divider works");
	cr_expect_eq(prof->n_comments, 2);
	prof__free(prof);
}

Test(block_hints, an_older_one)
{
	hint_on("hsw");
	expect(0, "hint: lock: MEM_UOPS_RETIRED:LOCK_LOADS counts locked instructions");
	expect(1, "hint: div: ARITH:DIVIDER_UOPS counts what the divider does");
	prof__free(prof);
}

Test(block_hints, one_of_amd)
{
	hint_on("amd64_fam19h_zen4");
	expect(0, "hint: lock: RETIRED_LOCK_INSTRUCTIONS:BUS_LOCK counts locks that stop the whole "
		  "bus");
	expect(1, "hint: div: DIV_CYCLES_BUSY_COUNT counts cycles in which the divider works");
	prof__free(prof);
}

Test(block_hints, a_cpu_that_has_none)
{
	hint_on("no_such_pmu");
	cr_expect_eq(prof->n_comments, 0);
	prof__free(prof);
}

Test(block_hints, nobody_asked)
{
	hint_on("spr");
	prof__free(prof);
	prof = prof__new();
	prof__type(prof, "cycles_sample", "count");
	prof__sample(prof, prof__stack(prof, NULL, 0), prof__labels(prof, NULL, 0))[0] = 9;
	add_block_hints(prof);
	cr_expect_eq(prof->n_comments, 0);
	prof__free(prof);
}
