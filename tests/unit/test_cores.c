// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One text, several core PMUs: the events that come out of it on recorded machines. */
#include <criterion/criterion.h>
#include <errno.h>

#include "pmu/event.h"
#include "sysfs_tree.h"

/* What one of the events should be. */
struct want {
	const char *pmu;
	uint32_t type;
	uint64_t config;
	const char *cpus; /* NULL: all; of a PMU outside the cores, its cpumask */
	uint64_t config1;
};

static void expect(const char *machine, const char *text, const struct want *wants, size_t n)
{
	char *root = tree_load(machine);
	struct event_list list = {0};
	struct err err = {0};

	cr_assert_eq(event_list__parse(&list, "cpu-clock", root, &err), 0);
	cr_assert_eq(event_list__parse(&list, text, root, &err), 0, "%s: %s", text, err.text);
	cr_assert_eq(list.n, n + 1, "%s: %s: %zu events", machine, text, list.n - 1);
	for (size_t i = 0; i < n; i++) {
		const struct event *e = &list.events[i + 1];

		cr_expect_str_eq(e->pmu, wants[i].pmu, "%s: %s", text, e->pmu);
		cr_expect_eq(e->attr.type, wants[i].type, "%s: type %u", text, e->attr.type);
		cr_expect_eq(e->attr.config, wants[i].config, "%s: config 0x%llx", text,
			     e->attr.config);
		cr_expect_eq(e->attr.config1, wants[i].config1, "%s: 0x%llx", text,
			     e->attr.config1);
		cr_expect_str_eq(e->cpus ? e->cpus : "all", wants[i].cpus ? wants[i].cpus : "all",
				 "%s: CPUs %s", text, e->cpus);
		cr_expect_eq(e->lead, 1);
		cr_expect_str_eq(e->name, list.events[1].name);
		if (n > 1)
			cr_expect(strstr(event__label(e), e->pmu), "%s", event__label(e));
		else
			cr_expect_str_eq(event__label(e), e->name);
	}
	cr_expect_eq(list.events[0].lead, 0);
	event_list__done(&list);
	tree_remove(root);
}

#define EXPECT(machine, text, ...)                                \
	expect(machine, text, (const struct want[]){__VA_ARGS__}, \
	       sizeof((const struct want[]){__VA_ARGS__}) / sizeof(struct want))

#define OF(type) ((uint64_t)(type) << 32)

Test(cores, generic_events_of_hybrid_intel_carry_the_pmu)
{
	EXPECT("intel-hybrid", "cycles", {"cpu_atom", PERF_TYPE_HARDWARE, OF(10), "16-23", 0},
	       {"cpu_core", PERF_TYPE_HARDWARE, OF(4), "0-15", 0});
	EXPECT("intel-hybrid", "insts:u",
	       {"cpu_atom", PERF_TYPE_HARDWARE, OF(10) | PERF_COUNT_HW_INSTRUCTIONS, "16-23", 0},
	       {"cpu_core", PERF_TYPE_HARDWARE, OF(4) | PERF_COUNT_HW_INSTRUCTIONS, "0-15", 0});
	EXPECT("intel-hybrid", "dcache-miss",
	       {"cpu_atom", PERF_TYPE_HW_CACHE, OF(10) | 0x10000, "16-23", 0},
	       {"cpu_core", PERF_TYPE_HW_CACHE, OF(4) | 0x10000, "0-15", 0});
	EXPECT("intel-hybrid", "L1-icache-load-misses/period=7/",
	       {"cpu_atom", PERF_TYPE_HW_CACHE, OF(10) | 0x10001, "16-23", 0},
	       {"cpu_core", PERF_TYPE_HW_CACHE, OF(4) | 0x10001, "0-15", 0});
}

Test(cores, raw_and_listed_events_of_hybrid_intel)
{
	EXPECT("intel-hybrid", "r1a2", {"cpu_atom", 10, 0x1a2, "16-23", 0},
	       {"cpu_core", 4, 0x1a2, "0-15", 0});
	/* each its own words */
	EXPECT("intel-hybrid", "mem-loads", {"cpu_atom", 10, 0x5d0, "16-23", 3},
	       {"cpu_core", 4, 0x1cd, "0-15", 3});
	/* one of them only */
	EXPECT("intel-hybrid", "slots", {"cpu_core", 4, 0x400, "0-15", 0});
	EXPECT("intel-hybrid", "cpu_atom/event=0x3c/u", {"cpu_atom", 10, 0x3c, "16-23", 0});
	/* not of the cores */
	EXPECT("intel-hybrid", "page-faults", {"software", 1, 2, NULL, 0});
	EXPECT("intel-hybrid", "energy-pkg", {"power", 13, 2, "0", 0});
	EXPECT("intel-hybrid", "mem:0x1000:w", {"breakpoint", 5, 0, NULL, 0x1000});
}

/* Kernels before 6.6 know no PMU type in config there; the PMU's own event works on all. */
Test(cores, generic_events_of_big_little_are_the_pmus_own)
{
	EXPECT("biglittle", "cycles", {"armv8_cortex_a53", 8, 0x11, "0,3-5", 0},
	       {"armv8_cortex_a57", 9, 0x11, "1-2", 0});
	EXPECT("biglittle", "instructions:u", {"armv8_cortex_a53", 8, 8, "0,3-5", 0},
	       {"armv8_cortex_a57", 9, 8, "1-2", 0});
	EXPECT("biglittle", "dcache-miss", {"armv8_cortex_a53", 8, 3, "0,3-5", 0},
	       {"armv8_cortex_a57", 9, 3, "1-2", 0});
	EXPECT("biglittle", "dtlb-miss", {"armv8_cortex_a53", 8, 5, "0,3-5", 0},
	       {"armv8_cortex_a57", 9, 5, "1-2", 0});
	/* no event of that meaning in sysfs */
	EXPECT("biglittle", "stalls-backend",
	       {"armv8_cortex_a53", PERF_TYPE_HARDWARE, OF(8) | 8, "0,3-5", 0},
	       {"armv8_cortex_a57", PERF_TYPE_HARDWARE, OF(9) | 8, "1-2", 0});
	EXPECT("biglittle", "r11", {"armv8_cortex_a53", 8, 0x11, "0,3-5", 0},
	       {"armv8_cortex_a57", 9, 0x11, "1-2", 0});
	EXPECT("biglittle", "l2d_cache_refill", {"armv8_cortex_a53", 8, 0x17, "0,3-5", 0},
	       {"armv8_cortex_a57", 9, 0x17, "1-2", 0});
	EXPECT("biglittle", "inst_spec", {"armv8_cortex_a57", 9, 0x1b, "1-2", 0});
}

Test(cores, machines_of_one_kind_stay_as_they_are)
{
	static const char *const machines[] = {"intel-server", "amd-zen", "riscv", "vm-none",
					       "arm-neoverse"};

	for (size_t i = 0; i < ARRAY_SIZE(machines); i++) {
		EXPECT(machines[i], "cycles", {"cpu", PERF_TYPE_HARDWARE, 0, NULL, 0});
		EXPECT(machines[i], "llc-miss", {"cpu", PERF_TYPE_HW_CACHE, 0x10002, NULL, 0});
		EXPECT(machines[i], "r1a2", {"cpu", PERF_TYPE_RAW, 0x1a2, NULL, 0});
	}
	EXPECT("arm-neoverse", "inst_retired", {"armv8_pmuv3_0", 8, 8, NULL, 0});
	EXPECT("arm-neoverse", "armv8_pmuv3_0/l3d_cache_refill,long=1/k",
	       {"armv8_pmuv3_0", 8, 0x2a, NULL, 1});
	EXPECT("arm-neoverse", "arm_cmn_0/hnf_cache_miss,nodeid=0x8/",
	       {"arm_cmn_0", 12, 0x800010005, "0", 0});
	EXPECT("riscv", "cpu/event=0x21/", {"cpu", 4, 0x21, NULL, 0});
	EXPECT("riscv", "cpu/firmware=2,event=5/", {"cpu", 4, 0x8000000000000005, NULL, 0});
	EXPECT("vm-none", "tsc", {"msr", 9, 0, NULL, 0});
}

/* A PMU for each memory controller: perf's name for all of them lacks the number, or the beginning,
 * too. What has another name in between is another kind. */
Test(cores, uncore_pmus_without_their_number)
{
	EXPECT("intel-server", "uncore_imc/cas_count_read/", {"uncore_imc_0", 14, 0x304, "0,12", 0},
	       {"uncore_imc_1", 15, 0x304, "0,12", 0});
	EXPECT("intel-server", "imc/event=4,umask=3,name=reads/",
	       {"uncore_imc_0", 14, 0x304, "0,12", 0}, {"uncore_imc_1", 15, 0x304, "0,12", 0});
	EXPECT("intel-server", "uncore_imc/cas_count_write/",
	       {"uncore_imc_0", 14, 0xc04, "0,12", 0});
	EXPECT("intel-server", "uncore_iio/event=0x83/", {"uncore_iio_0", 30, 0x83, "0,12", 0});
	EXPECT("intel-hybrid", "uncore_imc/event=1/", {"uncore_imc_0", 20, 1, "0", 0});
	EXPECT("amd-zen", "amd_iommu/mem_pass_untrans/", {"amd_iommu_0", 16, 1, "0", 0});
}

Test(cores, what_only_one_of_the_uncore_pmus_has)
{
	char *root = tree_load("intel-server");
	struct event_list list = {0};
	struct err err = {0};

	cr_expect_eq(event_list__parse(&list, "uncore_imc/cas_count/", root, &err), -EINVAL);
	cr_expect(strstr(err.text, "PMU uncore_imc_1 has no"), "%s", err.text);
	cr_expect_eq(event_list__parse(&list, "uncore/event=1/", root, &err), -EINVAL);
	cr_expect(strstr(err.text, "neither a PMU"), "%s", err.text);
	cr_expect_eq(list.n, 0);
	tree_remove(root);
}

Test(cores, terms_of_real_drivers)
{
	EXPECT("intel-server", "cpu/event=0xcd,umask=1,ldlat=30/p", {"cpu", 4, 0x1cd, NULL, 30});
	EXPECT("intel-server", "cpu/event=0xb7,umask=1,offcore_rsp=0x3fbfc00001/",
	       {"cpu", 4, 0x1b7, NULL, 0x3fbfc00001});
	EXPECT("intel-server", "cpu/event=0xc6,umask=1,frontend=0x400406/",
	       {"cpu", 4, 0x1c6, NULL, 0x400406});
	EXPECT("intel-server", "cycles-ct", {"cpu", 4, 0x30000003c, NULL, 0});
	EXPECT("intel-server", "topdown-total-slots", {"cpu", 4, 0x20003c, NULL, 0});
	EXPECT("intel-server", "uncore_imc_1/cas_count_read/",
	       {"uncore_imc_1", 15, 0x304, "0,12", 0});
	EXPECT("intel-server", "uncore_iio_0/event=0x83,umask=4,ch_mask=1,fc_mask=7/",
	       {"uncore_iio_0", 30, 0x701000000483, "0,12", 0});
	EXPECT("amd-zen", "cpu/event=0x187/", {"cpu", 4, 0x100000087, NULL, 0});
	EXPECT("amd-zen", "ibs_op/cnt_ctl=1/", {"ibs_op", 9, 0x80000, NULL, 0});
	EXPECT("amd-zen", "amd_df/event=0x1c7,umask=2/", {"amd_df", 14, 0x1000002c7, "0", 0});
	EXPECT("amd-zen", "amd_l3/event=4,umask=1,enallcores=1,threadmask=3/",
	       {"amd_l3", 15, 0x300800000000104, "0,8", 0});
	EXPECT("amd-zen", "mem_pass_untrans", {"amd_iommu_0", 16, 1, "0", 0});
}

/* Whatever the words, a core PMU's cycles are cycles: their weights can become time. */
Test(cores, cycles_by_any_terms)
{
	static const struct {
		const char *machine, *text;
	} cycles[] = {
		{"intel-server", "cycles"},
		{"intel-server", "cpu/event=0x3c/u"},
		{"intel-hybrid", "cpu_atom/cpu-cycles/"},
		{"amd-zen", "cpu/event=0x76/"},
		{"arm-neoverse", "armv8_pmuv3_0/event=0x11/"},
		{"biglittle", "cycles"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cycles); i++) {
		char *root = tree_load(cycles[i].machine);
		struct event_list list = {0};

		cr_assert_eq(event_list__parse(&list, cycles[i].text, root, NULL), 0);
		for (size_t k = 0; k < list.n; k++) {
			cr_expect_eq(list.events[k].unit, UNIT_CYCLES, "%s", cycles[i].text);
			cr_expect(list.events[k].is_clock, "%s", cycles[i].text);
		}
		event_list__done(&list);
		cr_assert_eq(event_list__parse(&list, "stalls-backend", root, NULL), 0);
		cr_expect_eq(list.events[0].unit, UNIT_CYCLES);
		cr_expect_not(list.events[0].is_clock);
		event_list__done(&list);
		tree_remove(root);
	}
}

Test(cores, an_unknown_name_gets_the_nearest)
{
	char *root = tree_load("intel-hybrid");
	struct event_list list = {0};
	struct err err = {0};

	cr_expect_eq(event_list__parse(&list, "mem-load", root, &err), -EINVAL);
	cr_expect(strstr(err.text, "cpu_core/mem-loads/"), "%s", err.text);
	cr_expect_eq(list.n, 0);
	tree_remove(root);
}
