// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Formulas of top-down analysis in tables like Intel's: which are read, with whose names. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/formula.h"
#include "pmu/event_db.h"
#include "pmu/topdown_table.h"

static struct event_db *db;
static struct topdown_table table;
static struct err err;

static int read_table(const char *cpu, int threads)
{
	int r = event_db__read(&db, PERFMON, cpu, &err);

	if (r == -ENOSYS)
		cr_skip_test("%s", err.text);
	cr_assert_eq(r, 0, "%s", err.text);
	return topdown_table__read(&table, db, threads, &err);
}

static void end(void)
{
	topdown_table__done(&table);
	event_db__free(db);
}

TestSuite(topdown_table, .fini = end);

/* What no share is, though it stands among them. */
Test(topdown_table, only_percentages)
{
	cr_assert_eq(read_table("GenuineIntel-6-70-1", 1), 0);
	for (size_t i = 0; i < table.n; i++)
		cr_expect(strcmp(table.list[i].name, "Info_Slots") != 0);
}

static void expect_names(const char *want)
{
	_cleanup_(buf__done) struct buf got = {0};

	for (size_t i = 0; i < table.n; i++)
		buf__printf(&got, "%s%s/%d/%s", i ? " " : "", table.list[i].name,
			    table.list[i].level,
			    table.list[i].located ? table.list[i].located : "-");
	cr_expect_str_eq(got.data, want);
}

Test(topdown_table, those_that_can_be_had)
{
	cr_assert_eq(read_table("GenuineIntel-6-70-1", 1), 0);
	expect_names("Frontend_Bound/1/- Bad_Speculation/1/- Branch_Mispredicts/2/MISP.PRECISE "
		     "Lone_Thread/1/-");
	cr_expect_str_eq(table.list[0].formula, "(100 * (ISSUE.NOT_DELIVERED / (4 * CLOCK.ONE)))");
	cr_expect_str_eq(table.list[3].formula, "CLOCK.ONE");
}

/* Two threads of a core share its slots; and what is only counted otherwise isn't there. */
Test(topdown_table, two_threads_on_a_core)
{
	cr_assert_eq(read_table("GenuineIntel-6-70-1", 2), 0);
	expect_names("Frontend_Bound/1/- Bad_Speculation/1/- Branch_Mispredicts/2/MISP.PRECISE");
	cr_expect_str_eq(table.list[0].formula,
			 "(100 * (ISSUE.NOT_DELIVERED / (4 * (CLOCK.BOTH / 2))))");
}

static bool one_each(void *ctx, const char *name, double *ret)
{
	static const struct {
		const char *name;
		double count;
	} counts[] = {
		{"TOPDOWN.SLOTS_P", 1000},
		{"UOPS_RETIRED.SLOTS", 500},
		{"TOPDOWN.BACKEND_BOUND_SLOTS", 300},
		{"IDQ_UOPS_NOT_DELIVERED.CORE", 150},
		{"CLEARS.COUNT", 2},
	};

	(void)ctx;
	for (size_t i = 0; i < 5; i++) {
		if (strcmp(counts[i].name, name) == 0) {
			*ret = counts[i].count;
			return true;
		}
	}
	return false;
}

/* 300 of 1000 slots, and five for each clear; bad speculation is what the other three leave. */
Test(topdown_table, events_stand_in_for_the_register)
{
	struct formula *f = NULL;
	double value = 0;

	cr_assert_eq(read_table("GenuineIntel-6-71-1", 2), 0);
	expect_names("Backend_Bound/1/TOPDOWN.BACKEND_BOUND_SLOTS");
	cr_assert_eq(formula__parse(&f, table.list[0].formula), 0);
	cr_expect(formula__eval(f, one_each, NULL, &value), "%s", table.list[0].formula);
	cr_expect_float_eq(value, 31, 1e-9, "%g", value);
	formula__free(f);
}

Test(topdown_table, tables_without_any)
{
	cr_expect_eq(read_table("GenuineIntel-6-1E-5", 1), -ENOENT);
}

Test(topdown_table, not_of_several_kinds_of_cores)
{
	cr_expect_eq(read_table("GenuineIntel-6-73-1", 1), -ENOENT);
}

Test(topdown_table, a_broken_table)
{
	cr_expect_eq(read_table("GenuineIntel-6-72-1", 1), -EINVAL);
	cr_expect(strstr(err.text, "broken_core.json, line"), "%s", err.text);
}

Test(topdown_table, a_table_that_is_missing)
{
	cr_expect_eq(read_table("GenuineIntel-6-55-4", 1), -EINVAL);
	cr_expect(strstr(err.text, "missing_metrics.json"), "%s", err.text);
}
