// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The event database of tests/perfmon: what is read from it, and what it does to events. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "pmu/event.h"
#include "pmu/event_db.h"
#include "pmu/event_names.h"
#include "sysfs_tree.h"

#define NEW_CPU "GenuineIntel-6-55-4"

static void cleanup_db(struct event_db **db)
{
	event_db__free(*db);
}

/* Without the library there is nothing to test; where the tests are built, it is a dependency. */
static struct event_db *read_db(const char *cpu)
{
	struct event_db *db = NULL;
	struct err err = {0};
	int r = event_db__read(&db, PERFMON, cpu, &err);

	if (r == -ENOSYS)
		cr_skip_test("%s", err.text);
	cr_assert_eq(r, 0, "%s", err.text);
	return db;
}

Test(event_db, which_cpu_this_is)
{
	static const char cpuinfo[] = "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\n"
				      "model\t\t: 85\nmodel name\t: Xeon\nstepping\t: 11\n\n"
				      "processor\t: 1\nvendor_id\t: Other\n";
	_cleanup_free_ char *cpu = event_db_cpu(cpuinfo);

	cr_expect_str_eq(cpu, "GenuineIntel-6-55-B");
	cr_expect_null(event_db_cpu("processor\t: 0\nBogoMIPS\t: 48.00\nCPU part\t: 0xd0c\n"));
	cr_expect_null(event_db_cpu(""));
}

Test(event_db, patterns_of_the_map)
{
	cr_expect(event_db_cpu_matches("GenuineIntel-6-55-[01234]", NEW_CPU));
	cr_expect(!event_db_cpu_matches("GenuineIntel-6-55-[56789ABCDEF]", NEW_CPU));
	cr_expect(event_db_cpu_matches("GenuineIntel-6-1E", "GenuineIntel-6-1E-5"));
	cr_expect(!event_db_cpu_matches("GenuineIntel-6-1", "GenuineIntel-6-1E-5"));
	cr_expect(!event_db_cpu_matches("GenuineIntel-6-1E", "AuthenticAMD-6-1E-5"));
	cr_expect(!event_db_cpu_matches("GenuineIntel-6-(68", "GenuineIntel-6-68-1"));
	cr_expect(event_db_cpu_matches("GenuineIntel-6-(3D|47)", "GenuineIntel-6-47-1"));
	/* would take glibc minutes and gigabytes */
	cr_expect(!event_db_cpu_matches("G+++++++++++++++++++++++++++++++++++++++", NEW_CPU));
	cr_expect(!event_db_cpu_matches("G(((.{9}){99}){99}){99}", NEW_CPU));
}

struct want {
	const char *name;
	uint64_t config, config1;
	enum db_precise precise;
	bool has_addr, alone, cycles, clock;
	const char *terms;
};

Test(event_db, what_an_entry_means)
{
	static const struct want wants[] = {
		{"INST_RETIRED.ANY", 0xc0, 0, DB_IMPRECISE, false, false, false, false,
		 "event=0xc0,umask=0x0"},
		{"CPU_CLK_UNHALTED.THREAD", 0x3c, 0, DB_IMPRECISE, false, false, true, true,
		 "event=0x3c,umask=0x0"},
		{"CPU_CLK_UNHALTED.REF_TSC", 0x300, 0, DB_IMPRECISE, false, false, true, true,
		 "event=0x0,umask=0x3"},
		{"mem_load_retired.l1_miss", 0x8d1, 0, DB_PRECISE, true, false, false, false,
		 "event=0xd1,umask=0x8"},
		{"MEM_TRANS_RETIRED.LOAD_LATENCY_GT_32", 0x1cd, 0x20, DB_PRECISE_ONLY, true, true,
		 false, false, "event=0xcd,umask=0x1,ldlat=0x20"},
		{"FRONTEND_RETIRED.L1I_MISS", 0x1c6, 0x12, DB_PRECISE, false, true, false, false,
		 "event=0xc6,umask=0x1,frontend=0x12"},
		{"OFFCORE_RESPONSE.DEMAND_DATA_RD.ANY_RESPONSE", 0x1b7, 0x10001, DB_IMPRECISE,
		 false, false, false, false, "event=0xb7,umask=0x1,offcore_rsp=0x10001"},
		{"CYCLE_ACTIVITY.STALLS_L2_MISS", 0x50005a3, 0, DB_IMPRECISE, false, false, true,
		 false, "event=0xa3,umask=0x5,cmask=5"},
		{"RS_EVENTS.EMPTY_END", 0x184015e, 0, DB_IMPRECISE, false, false, false, false,
		 "event=0x5e,umask=0x1,edge=1,inv=1,cmask=1"},
	};
	_cleanup_(cleanup_db) struct event_db *db = read_db(NEW_CPU);

	for (size_t i = 0; i < ARRAY_SIZE(wants); i++) {
		const struct want *want = &wants[i];
		const struct event_db_entry *entry = event_db__find(db, want->name, NULL);

		cr_assert_not_null(entry, "%s", want->name);
		cr_expect_eq(entry->config, want->config, "%s: 0x%lx", want->name, entry->config);
		cr_expect_eq(entry->config1, want->config1, "%s", want->name);
		cr_expect_eq(entry->precise, want->precise, "%s", want->name);
		cr_expect_eq(entry->has_addr, want->has_addr, "%s", want->name);
		cr_expect_eq(entry->alone, want->alone, "%s", want->name);
		cr_expect_eq(entry->cycles, want->cycles, "%s", want->name);
		cr_expect_eq(entry->clock, want->clock, "%s", want->name);
		cr_expect_str_eq(entry->terms, want->terms);
		cr_expect_str_eq(entry->pmu, "cpu");
	}
	cr_expect_eq(db->n, ARRAY_SIZE(wants) + 2, "%zu: what can't be understood is left out",
		     db->n);
	cr_expect_null(event_db__find(db, "TOPDOWN.FREE", NULL));
	cr_expect_null(event_db__find(db, "BROKEN.TOO_WIDE", NULL));
	cr_expect_str_eq(event_db__find(db, "MEM_LOAD_RETIRED.L1_MISS", "cpu")->errata,
			 "EXA021, EXA022");
	cr_expect_null(event_db__find(db, "MEM_LOAD_RETIRED.L1_MISS", "cpu")->about);
	cr_expect_str_eq(event_db__match(db, "cpu", 0x412e, 0)->name, "LONGEST_LAT_CACHE.MISS");
	cr_expect_null(event_db__match(db, "cpu_core", 0x412e, 0));
	cr_expect_str_eq(db->about, "new_core.json V1.01");
}

Test(event_db, a_bare_array)
{
	_cleanup_(cleanup_db) struct event_db *db = read_db("GenuineIntel-6-1E-5");
	const struct event_db_entry *entry = event_db__find(db, "ARITH.CYCLES_DIV_BUSY", "cpu");

	cr_assert_eq(db->n, 2);
	cr_expect_eq(entry->config, 0x114);
	cr_expect_eq(entry->period, 2000000);
	cr_expect_str_eq(entry->counters, "0,1,2,3");
	cr_expect_null(entry->errata);
	entry = event_db__find(db, "BR_INST_RETIRED.ALL_BRANCHES", NULL);
	cr_expect_eq(entry->config, 0x2004c4);
	cr_expect_eq(entry->precise, DB_PRECISE);
}

Test(event_db, each_core_of_a_hybrid_has_its_own)
{
	_cleanup_(cleanup_db) struct event_db *db = read_db("GenuineIntel-6-97-2");

	cr_assert_eq(db->n, 3);
	cr_expect_eq(event_db__find(db, "BR_INST_RETIRED.ALL_BRANCHES", "cpu_core")->period,
		     400009);
	cr_expect_eq(event_db__find(db, "BR_INST_RETIRED.ALL_BRANCHES", "cpu_atom")->period,
		     200003);
	cr_expect_null(event_db__find(db, "MEM_LOAD_UOPS_RETIRED.L1_MISS", "cpu_core"));
	cr_expect_str_eq(event_db__match(db, "cpu_atom", 0xc4, 0)->title, "Branches, small");
}

Test(event_db, what_is_wrong_is_said)
{
	static const struct {
		const char *dir, *cpu;
		int error;
		const char *says;
	} wrongs[] = {
		{PERFMON, "AuthenticAMD-25-1-1", -ENODEV,
		 "no core events for this CPU (AuthenticAMD-25-1-1)"},
		{PERFMON, "GenuineIntel-6-66-1", -EINVAL, "broken_core.json, line 2"},
		{PERFMON, "GenuineIntel-6-67-1", -EINVAL, "no_such_file.json"},
		{PERFMON "/NEW", NEW_CPU, -ENOENT, "can't read"},
	};

	event_db__free(read_db(NEW_CPU)); /* skips without the library */
	for (size_t i = 0; i < ARRAY_SIZE(wrongs); i++) {
		struct event_db *db = NULL;
		struct err err = {0};

		cr_expect_eq(event_db__read(&db, wrongs[i].dir, wrongs[i].cpu, &err),
			     wrongs[i].error, "%s", err.text);
		cr_expect(strstr(err.text, wrongs[i].says), "'%s' is missing in: %s",
			  wrongs[i].says, err.text);
		cr_expect_null(db);
	}
}

static struct event_names names; /* events borrow from its database */

/* The parser with the database, on the tree at root, which is removed. */
static void parse_on(char *root, const char *cpu, struct event_list *list, const char *text)
{
	struct err err = {0};

	event_db__free(read_db(cpu)); /* skips without the library */
	setenv("PMUBPF_CPUID", cpu, 1);
	cr_assert_eq(event_names__read(&names, "/dev/null", PERFMON, &err), 0, "%s", err.text);
	pmus__done(&names.pmus);
	names.pmus = (struct pmus){0};
	cr_assert_eq(pmus__read(&names.pmus, root), 0);
	cr_assert_eq(event_names__parse(&names, list, text, &err), 0, "%s: %s", text, err.text);
	tree_remove(root);
}

static void parse_with_db(struct event_list *list, const char *text)
{
	parse_on(tree_make(intel_tree, ARRAY_SIZE(intel_tree)), NEW_CPU, list, text);
}

Test(event_db, its_names_are_events)
{
	_cleanup_(event_list__done) struct event_list list = {0};
	const struct event *e;

	parse_with_db(&list,
		      "MEM_LOAD_RETIRED.L1_MISS,mem_load_retired.l1_miss:upp,"
		      "MEM_TRANS_RETIRED.LOAD_LATENCY_GT_32,CPU_CLK_UNHALTED.THREAD/period=7/");
	cr_assert_eq(list.n, 4);
	e = &list.events[0];
	cr_expect_str_eq(e->name, "MEM_LOAD_RETIRED.L1_MISS");
	cr_expect_str_eq(e->title, "Loads that missed the L1");
	cr_expect_str_eq(e->maps_to, "cpu/event=0xd1,umask=0x8/");
	cr_expect_eq(e->attr.type, 4);
	cr_expect_eq(e->attr.config, 0x8d1);
	cr_expect_eq(e->period, 100003);
	cr_expect(!e->has_addr, "only its precise form has one");
	cr_expect(!e->taken_alone);
	e = &list.events[1];
	cr_expect_eq(e->attr.precise_ip, 2);
	cr_expect(e->attr.exclude_kernel);
	cr_expect(e->has_addr);
	e = &list.events[2];
	cr_expect_eq(e->attr.config1, 0x20);
	cr_expect(e->precise_max && e->has_addr, "it counts in its precise form only");
	cr_expect(e->taken_alone);
	cr_expect_eq(e->period, 100019, "%lu: the prime after 100007", e->period);
	e = &list.events[3];
	cr_expect_eq(e->unit, UNIT_CYCLES);
	cr_expect_str_eq(e->counts, "cycles");
	cr_expect_eq(e->attr.sample_period, 7);
}

Test(event_db, knows_events_by_their_words)
{
	_cleanup_(event_list__done) struct event_list list = {0};

	parse_with_db(&list, "r8d1,cpu/event=0xd1,umask=8/p,cpu/cache-misses/,cache-misses,"
			     "cpu/event=0xd1,umask=9/,cpu-clock,dcache-miss,cycles");
	cr_assert_eq(list.n, 8);
	for (size_t i = 0; i < list.n; i++)
		cr_expect_eq(list.events[i].db != NULL, i < 4 || i == 7, "%s", list.events[i].name);
	cr_expect_str_eq(list.events[0].title, "Loads that missed the L1");
	cr_expect_eq(list.events[0].period, 100003);
	cr_expect(list.events[1].has_addr);
	cr_expect_eq(list.events[2].period, 100003, "%lu", list.events[2].period);
	/* the kernel's own events keep the words and periods that this tool has for them */
	cr_expect_str_eq(list.events[3].db->name, "LONGEST_LAT_CACHE.MISS");
	cr_expect_str_neq(list.events[3].title, "Last-level misses");
	cr_expect_str_eq(list.events[7].db->name, "CPU_CLK_UNHALTED.THREAD");
}

Test(event_db, its_names_on_a_hybrid)
{
	_cleanup_(event_list__done) struct event_list list = {0};
	const struct event *e;

	parse_on(tree_load("intel-hybrid"), "GenuineIntel-6-97-2", &list,
		 "BR_INST_RETIRED.ALL_BRANCHES:p,MEM_LOAD_UOPS_RETIRED.L1_MISS:p,branches");
	cr_assert_eq(list.n, 5, "%zu", list.n);
	e = list.events;
	cr_expect_str_eq(e[0].pmu, "cpu_atom");
	cr_expect_eq(e[0].attr.type, 10);
	cr_expect_eq(e[0].period, 200003);
	cr_expect_str_eq(e[0].cpus, "16-23");
	cr_expect_str_eq(e[1].pmu, "cpu_core");
	cr_expect_eq(e[1].attr.type, 4);
	cr_expect_eq(e[1].period, 400009);
	cr_expect_eq(e[1].lead, 0);
	cr_expect(!e[1].has_addr);
	/* only the small cores have it */
	cr_expect_str_eq(e[2].pmu, "cpu_atom");
	cr_expect_eq(e[2].attr.config, 0x8d1);
	cr_expect(e[2].has_addr);
	/* the kernel's own, by what each PMU programs for it */
	cr_expect_str_eq(e[3].db->title, "Branches, small");
	cr_expect_str_eq(e[4].db->title, "Branches, big");
}

Test(event_db, near_names_are_offered)
{
	_cleanup_(event_list__done) struct event_list list = {0};
	struct err err = {0};

	parse_with_db(&list, "cycles");
	cr_expect_lt(event_names__parse(&names, &list, "MEM_LOAD_RETIRED.L1_MIS", &err), 0);
	cr_expect(strstr(err.text, "MEM_LOAD_RETIRED.L1_MISS"), "%s", err.text);
}
