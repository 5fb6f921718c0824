// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Vendors' names. The library is told which PMU it is to find (LIBPFM_FORCE_PMU), whatever is
 * here. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>

#include "pmu/event.h"
#include "pmu/libpfm.h"
#include "sys/pmus.h"
#include "sysfs_tree.h"

static struct pmus pmus;
static struct event_list list;
static struct err err;
static char *root;

static void force(const char *pmu)
{
	setenv("LIBPFM_FORCE_PMU", pmu, 1);
	if (!libpfm__available())
		cr_skip_test("libpfm4 is not here");
	root = tree_load("intel-server");
	cr_assert_eq(pmus__read(&pmus, root), 0);
	pmus.recorded = false;
}

static void setup(void)
{
	force("skx");
}

static void setup_unknown(void)
{
	force("no_such_pmu");
}

static void teardown(void)
{
	event_list__done(&list);
	pmus__done(&pmus);
	if (root)
		tree_remove(root);
}

TestSuite(libpfm, .init = setup, .fini = teardown);

TestSuite(libpfm_unknown_cpu, .init = setup_unknown, .fini = teardown);

static const struct event *parse(const char *text)
{
	cr_assert_eq(event_list__parse_with(&list, text, &pmus, &err), 0, "%s", err.text);
	return &list.events[list.n - 1];
}

Test(libpfm, a_vendors_name)
{
	static const char *const texts[] = {"MEM_LOAD_RETIRED:L1_MISS", "MEM_LOAD_RETIRED.L1_MISS",
					    "skx::MEM_LOAD_RETIRED:L1_MISS",
					    "mem_load_retired:l1_miss"};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		const struct event *e = parse(texts[i]);

		cr_expect_str_eq(e->name, texts[i]);
		cr_expect(e->attr.type == 4 && e->attr.config == 0x8d1, "0x%llx", e->attr.config);
		cr_expect_str_eq(e->pmu, "cpu");
		cr_expect_str_eq(e->maps_to, "cpu/config=0x8d1/");
		cr_expect(strstr(e->title, "L1"), "%s", e->title);
		cr_expect_eq(e->period, 100003);
		cr_expect_eq(e->unit, UNIT_EVENTS);
		cr_expect(!e->attr.exclude_user && !e->attr.exclude_kernel &&
			  e->attr.exclude_guest);
	}
}

Test(libpfm, our_modifiers_behind_it)
{
	const struct event *e = parse("MEM_LOAD_RETIRED:L1_MISS:u");

	cr_expect_str_eq(e->name, "MEM_LOAD_RETIRED:L1_MISS:u");
	cr_expect(e->attr.config == 0x8d1 && e->attr.exclude_kernel && !e->attr.exclude_user);
	e = parse("skx::MEM_LOAD_RETIRED:L1_MISS:kpp");
	cr_expect(e->attr.config == 0x8d1 && e->attr.exclude_user && e->attr.precise_ip == 2);
	e = parse("MEM_LOAD_RETIRED:L1_MISS/period=11/u");
	cr_expect_str_eq(e->name, "MEM_LOAD_RETIRED:L1_MISS:u");
	cr_expect(e->attr.sample_period == 11 && e->attr.exclude_kernel);
	/* theirs: edge, inversion, counter mask */
	e = parse("UOPS_ISSUED:ANY:e:i:c=4:u");
	cr_expect_eq(e->attr.config, 0x484010e | 0x800000, "0x%llx", e->attr.config);
	cr_expect(e->attr.exclude_kernel);
	e = parse("UOPS_ISSUED:ANY:c=1:e");
	cr_expect(e->attr.config == 0x104010e && !e->attr.exclusive, "0x%llx", e->attr.config);
	e = parse("OFFCORE_RESPONSE_0:DMND_DATA_RD");
	cr_expect(e->attr.config == 0x1b7 && e->attr.config1 == 0x10001);
}

Test(libpfm, cycles_are_recognised)
{
	cr_expect_eq(parse("CPU_CLK_UNHALTED:THREAD_P")->unit, UNIT_CYCLES);
	cr_expect(parse("UNHALTED_CORE_CYCLES")->is_clock);
}

static void refuse(const char *text, int exit_code, const char *words)
{
	cr_expect_lt(event_list__parse_with(&list, text, &pmus, &err), 0, "%s", text);
	cr_expect_eq(err.exit_code, exit_code, "%s: %d", text, err.exit_code);
	cr_expect(strstr(err.text, words), "'%s': %s", text, err.text);
}

Test(libpfm, what_is_wrong_is_said)
{
	refuse("amd64_fam17h_zen2::RETIRED_INSTRUCTIONS", EXIT_CANNOT,
	       "belongs to amd64_fam17h_zen2 (AMD64 Fam17h Zen2), which is not in this machine");
	refuse("MEM_LOAD_RETIRED:L1_MIS", EXIT_USAGE, "nearest: MEM_LOAD_RETIRED:L1_MISS");
	refuse("MEM_LOAD_RETIRED", EXIT_USAGE,
	       "of skx, but says: invalid or missing unit mask; write MEM_LOAD_RETIRED:MASK, with "
	       "one of L1_HIT, ");
	cr_expect_null(strstr(err.text, "nearest"), "nothing else was meant: %s", err.text);
	refuse("MEM_LOAD_RETIRD:L1_MISS", EXIT_USAGE, "nearest: MEM_LOAD_RETIRED:L1_MISS");
	refuse("skx::MEM_LOAD_RETIRD", EXIT_USAGE, "nearest: skx::MEM_LOAD_RETIRED");
	refuse("NO_SUCH_EVENT_OF_THEIRS", EXIT_USAGE, "libpfm finds here: skx");
	refuse("sched:sched_switch", EXIT_USAGE, "tracepoints are not counters");
}

/* A CPU that is newer than the library: there is no maker's PMU, which is said. */
Test(libpfm_unknown_cpu, that_it_knows_none_is_said)
{
	refuse("NO_SUCH_EVENT_OF_THEIRS", EXIT_USAGE,
	       "libpfm finds here: the kernel's own events only, none of this CPU's; `pmubpf");
	refuse("skx::MEM_LOAD_RETIRED:L1_MISS", EXIT_CANNOT,
	       "libpfm finds here: the kernel's own events only, none of this CPU's");
}

/* The names of this machine's sysfs go first. */
Test(libpfm, sysfs_goes_first)
{
	cr_expect_str_eq(parse("mem-loads:u")->maps_to, "cpu/config=0x1cd,config1=0x3/");
}

/* A recorded machine is not the one that libpfm looks at. */
Test(libpfm, not_asked_about_recorded_machines)
{
	pmus.recorded = true;
	refuse("MEM_LOAD_RETIRED:L1_MISS", EXIT_USAGE, "is not known");
}

/* Not forced: the kernel's own PMU is in every machine. */
static void setup_unforced(void)
{
	unsetenv("LIBPFM_FORCE_PMU"); /* it hides the kernel's own */
	if (!libpfm__available())
		cr_skip_test("libpfm4 is not here");
	root = tree_load("intel-hybrid");
	cr_assert_eq(pmus__read(&pmus, root), 0);
	pmus.recorded = false;
}

TestSuite(libpfm_perf, .init = setup_unforced, .fini = teardown);

Test(libpfm_perf, the_kernels_events_by_its_names)
{
	const struct event *e = parse("perf::PAGE-FAULTS:u");

	cr_expect(e->attr.type == PERF_TYPE_SOFTWARE && e->attr.config == 2 && e->has_addr);
	cr_expect_str_eq(e->pmu, "software");
	cr_expect_str_eq(e->title, "page faults");
	e = parse("PERF_COUNT_SW_CPU_CLOCK");
	cr_expect_eq(e->unit, UNIT_NS);
	e = parse("perf::L1-DCACHE-LOAD-MISSES");
	cr_expect_eq(e->attr.type, PERF_TYPE_HW_CACHE);
	cr_expect_eq(e->attr.config, 4ULL << 32 | 0x10000);
	cr_expect_eq(list.n, 4, "one for each core PMU");
	parse("perf::CYCLES");
	cr_expect_eq(list.n, 6);
}
