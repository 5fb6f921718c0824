// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The text of -e against a recorded sysfs tree. */
#include <criterion/criterion.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/hw_breakpoint.h>

#include "base/num.h"
#include "pmu/event.h"
#include "pmu/perf_names.h"
#include "sysfs_tree.h"

static char *root;

static void setup(void)
{
	root = tree_make(intel_tree, ARRAY_SIZE(intel_tree));
}

static void teardown(void)
{
	tree_remove(root);
}

TestSuite(parse, .init = setup, .fini = teardown);

#define CACHE(cache, op, result)                                          \
	(PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##op << 8 | \
	 PERF_COUNT_HW_CACHE_RESULT_##result << 16)

struct good {
	const char *text;
	uint32_t type;
	uint64_t config;
	const char *name; /* NULL: as the text */
	uint64_t config1;
};

static void check_good(const struct good *good)
{
	struct event_list list = {0};
	struct err err = {0};
	int r = event_list__parse(&list, good->text, root, &err);

	cr_expect_eq(r, 0, "'%s': %s", good->text, err.text);
	cr_expect_eq(list.n, r < 0 ? 0 : 1, "'%s'", good->text);
	if (r == 0) {
		const struct event *event = list.events;

		cr_expect_eq(event->attr.size, sizeof(event->attr));
		cr_expect_eq(event->attr.type, good->type, "'%s': type %u", good->text,
			     event->attr.type);
		cr_expect_eq(event->attr.config, good->config, "'%s': config 0x%llx", good->text,
			     event->attr.config);
		cr_expect_eq(event->attr.config1, good->config1, "'%s': config1 0x%llx", good->text,
			     event->attr.config1);
		cr_expect_str_eq(event->name, good->name ? good->name : good->text);
		cr_expect(event->title && event->maps_to && event->counts && event->pmu);
		cr_expect(num__is_prime(event->period) || event->is_breakpoint, "'%s'", good->text);
	}
	event_list__done(&list);
}

Test(parse, generic_names)
{
	static const struct good goods[] = {
		{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, NULL, 0},
		{"cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, NULL, 0},
		{"insts", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, NULL, 0},
		{"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, NULL, 0},
		{"idle-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND,
		 NULL, 0},
		{"bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, NULL, 0},
		{"faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, NULL, 0},
		{"cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, NULL, 0},
		{"migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, NULL, 0},
		{"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, NULL, 0},
		{"cgroup-switches", PERF_TYPE_SOFTWARE, 11, NULL, 0},
		{"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, NULL, 0},
		{"branch-miss", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, NULL, 0},
		{"r1a2", PERF_TYPE_RAW, 0x1a2, NULL, 0},
		{"rFFFFFFFFFFFFFFFF:u", PERF_TYPE_RAW, UINT64_MAX, NULL, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(goods); i++)
		check_good(&goods[i]);
}

/* TYPE:CONFIG and other words for a name, as perf takes them. */
Test(parse, the_kernels_numbers)
{
	static const struct good goods[] = {
		{"3:65536", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, MISS), NULL, 0},
		{"0:0x1:u", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, NULL, 0},
		{"1:2", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, NULL, 0},
		{"4:0x1a2:k", PERF_TYPE_RAW, 0x1a2, NULL, 0},
		{"r1a:e", PERF_TYPE_RAW, 0x1a, NULL, 0},
		{"cycles:I", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, NULL, 0},
		{"cycles/name='time that passes'/u", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES,
		 "time that passes", 0},
		{"cpu/name='a,b/c=d:u',event=0x3c/u", 4, 0x3c, "a,b/c=d:u", 0},
		{"cycles/config=1,config1=7/", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, NULL,
		 7},
	};
	struct event_list list = {0};
	struct err err = {0};

	for (size_t i = 0; i < ARRAY_SIZE(goods); i++)
		check_good(&goods[i]);
	cr_assert_eq(event_list__parse(&list, "r1a:e,cycles:uI,page-faults/config=0/", root, &err),
		     0);
	cr_expect(list.events[0].attr.exclusive);
	cr_expect(list.events[1].attr.exclude_idle && list.events[1].attr.exclude_kernel);
	cr_expect_not(list.events[2].has_addr, "it isn't page faults any more");
	event_list__done(&list);
}

Test(parse, cache_names)
{
	static const struct good goods[] = {
		{"dcache-miss", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, MISS), NULL, 0},
		{"L1-dcache-load-misses", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, MISS), NULL, 0},
		{"l1d-read-miss", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, MISS), NULL, 0},
		{"l1-d-misses", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, MISS), NULL, 0},
		{"l1-dcache-stores", PERF_TYPE_HW_CACHE, CACHE(L1D, WRITE, ACCESS), NULL, 0},
		{"L1-dcache", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, ACCESS), NULL, 0},
		{"L1-icache-load-misses", PERF_TYPE_HW_CACHE, CACHE(L1I, READ, MISS), NULL, 0},
		{"LLC-prefetches", PERF_TYPE_HW_CACHE, CACHE(LL, PREFETCH, ACCESS), NULL, 0},
		{"L2-speculative-read-miss", PERF_TYPE_HW_CACHE, CACHE(LL, PREFETCH, MISS), NULL,
		 0},
		{"dTLB-write-reference", PERF_TYPE_HW_CACHE, CACHE(DTLB, WRITE, ACCESS), NULL, 0},
		{"d-tlb-store-ops", PERF_TYPE_HW_CACHE, CACHE(DTLB, WRITE, ACCESS), NULL, 0},
		{"iTLB-load-misses", PERF_TYPE_HW_CACHE, CACHE(ITLB, READ, MISS), NULL, 0},
		{"branch-loads", PERF_TYPE_HW_CACHE, CACHE(BPU, READ, ACCESS), NULL, 0},
		{"bpu-load-misses:k", PERF_TYPE_HW_CACHE, CACHE(BPU, READ, MISS), NULL, 0},
		{"node-store-misses", PERF_TYPE_HW_CACHE, CACHE(NODE, WRITE, MISS), NULL, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(goods); i++)
		check_good(&goods[i]);
}

Test(parse, every_cache_name_parses_as_itself)
{
	struct cache_event cache, again;
	size_t n = 0;

	for (; cache_event__nth(n, &cache); n++) {
		cr_expect_eq(cache_event__parse(cache.name, &again), 0, "%s", cache.name);
		cr_expect_eq(again.config, cache.config, "%s", cache.name);
		cr_expect_str_eq(again.name, cache.name);
	}
	cr_expect_eq(n, 2 * (3 + 2 + 3 + 3 + 1 + 1 + 3));
}

Test(parse, terms_of_a_pmu)
{
	static const struct good goods[] = {
		{"cpu/event=0x3c,umask=1/", 4, 0x13c, NULL, 0},
		{"cpu/event=60,edge,inv=1,cmask=0xff/u", 4, 0xff84003c, NULL, 0},
		{"cpu/cpu-cycles/", 4, 0x3c, NULL, 0},
		{"cpu/CPU-cycles/:k", 4, 0x3c, "cpu/CPU-cycles/k", 0},
		{"cpu/mem-loads/", 4, 0x1cd, NULL, 3},
		{"cpu/mem-loads,ldlat=30/p", 4, 0x1cd, NULL, 30},
		{"cpu/ldlat=30,mem-loads/p", 4, 0x1cd, NULL, 30},
		{"cpu/cache-misses,period=7/", 4, 0x412e, "cpu/cache-misses/", 0},
		{"cpu/event=0x3c,period=5/", 4, 0x3c, "cpu/event=0x3c/", 0},
		{"cpu/r1a2/", 4, 0x1a2, NULL, 0},
		{"cpu/read/", 4, 0x77, NULL, 0},
		{"cpu/config=0x1a2,config1=0x3/", 4, 0x1a2, NULL, 3},
		{"cpu/slots,name=topdown/", 4, 0x400, "topdown", 0},
		{"mem-loads", 4, 0x1cd, NULL, 3},
		{"mem-loads:u", 4, 0x1cd, NULL, 3},
		{"mem-loads/freq=99/u", 4, 0x1cd, "mem-loads:u", 3},
		{"energy-pkg", 19, 2, NULL, 0},
		{"uncore_imc_1/data_reads/", 18, 1, NULL, 0},
		{"amd/event=0x1a2/", 20, 0x1000000a2, NULL, 0},
		{"software/config=0/", 1, 0, NULL, 0},
		{"r3c/period=5,name=x/", PERF_TYPE_RAW, 0x3c, "x", 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(goods); i++)
		check_good(&goods[i]);
}

static struct event *parse_one(struct event_list *list, const char *text)
{
	struct err err = {0};

	cr_assert_eq(event_list__parse(list, text, root, &err), 0, "'%s': %s", text, err.text);
	return &list->events[list->n - 1];
}

Test(parse, lists_keep_commas_of_terms)
{
	struct event_list list = {0};

	parse_one(&list, " cycles, cpu/event=1,umask=2/u,mem:0x10/8:w ,page-faults/period=1/");
	cr_assert_eq(list.n, 4);
	cr_expect_str_eq(list.events[0].name, "cycles");
	cr_expect_str_eq(list.events[1].name, "cpu/event=1,umask=2/u");
	cr_expect_str_eq(list.events[2].name, "mem:0x10/8:w");
	cr_expect_str_eq(list.events[3].name, "page-faults");
	event_list__done(&list);
}

Test(parse, an_error_appends_nothing)
{
	struct event_list list = {0};
	struct err err;

	parse_one(&list, "cycles");
	cr_expect_eq(event_list__parse(&list, "insts,faults,nonsense", root, &err), -EINVAL);
	cr_expect_eq(list.n, 1);
	event_list__done(&list);
}

Test(parse, rates_of_the_text)
{
	struct event_list list = {0};
	struct event *event = parse_one(&list, "cycles/period=10007/u");

	cr_expect(event->rate_given && !event->attr.freq && event->attr.sample_period == 10007);
	cr_expect_str_eq(event->name, "cycles:u");
	cr_expect(event->attr.exclude_kernel);
	event = parse_one(&list, "cpu-clock/freq=999/");
	cr_expect(event->rate_given && event->attr.freq && event->attr.sample_freq == 999);
	cr_expect_str_eq(event->name, "cpu-clock");
	event = parse_one(&list, "cycles//u");
	cr_expect_not(event->rate_given);
	cr_expect_str_eq(event->name, "cycles:u");
	event = parse_one(&list, "mem:0x1000:w/period=3/");
	cr_expect(event->rate_given && event->attr.sample_period == 3);
	cr_expect_str_eq(event->name, "mem:0x1000:w");
	event_list__done(&list);
}

Test(parse, without_the_kernel_the_name_is_still_one)
{
	static const struct {
		const char *text, *name;
	} cases[] = {
		{"cycles", "cycles:u"},
		{"cycles:pp", "cycles:ppu"},
		{"mem:0x1000/8", "mem:0x1000/8:u"},
		{"mem:0x1000/8:w", "mem:0x1000/8:w:u"},
		{"mem:0x1000/8:w:D", "mem:0x1000/8:w:Du"},
		{"cpu/event=0x3c/", "cpu/event=0x3c/u"},
		{"cpu/event=0x3c/p", "cpu/event=0x3c/pu"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct event_list list = {0};
		struct event *event = parse_one(&list, cases[i].text);

		event__exclude_kernel(event);
		cr_expect_str_eq(event->name, cases[i].name);
		cr_expect(event->attr.exclude_kernel && event->attr.exclude_hv);
		event = parse_one(&list, cases[i].name);
		cr_expect(event->attr.exclude_kernel && !event->attr.exclude_user);
		event_list__done(&list);
	}
}

Test(parse, a_pmu_with_a_cpumask_counts_for_a_place)
{
	struct event_list list = {0};
	const struct event *e = parse_one(&list, "power/energy-pkg/");

	cr_expect_eq(e->mode, EVENT_SYSTEM);
	cr_expect_str_eq(e->cpus, "0,4");
	cr_expect_str_eq(e->scale_unit, "Joules");
	cr_expect_eq(e->scale, 0x1p-32);
	e = parse_one(&list, "power/energy-psys/");
	cr_expect_null(e->scale_unit, "a scale that is no number");
	e = parse_one(&list, "uncore_imc_0/event=3/");
	cr_expect_eq(e->mode, EVENT_SYSTEM);
	cr_expect_null(e->scale_unit);
	e = parse_one(&list, "cpu/slots/");
	cr_expect_eq(e->mode, EVENT_OVERFLOWS);
	cr_expect_str_eq(e->scale_unit, "slots");
	cr_expect_eq(parse_one(&list, "cycles")->mode, EVENT_OVERFLOWS);
	event_list__done(&list);
}

Test(parse, what_does_not_overflow_has_no_rate)
{
	struct event_list list = {0};
	struct err err = {0};

	parse_one(&list, "power/energy-pkg/,cpu-clock");
	list.events[1].added = true;
	cr_expect_eq(event_list__set_rates(&list, &(struct rate){.period = 77}, &err), 0);
	cr_expect_eq(list.events[0].attr.sample_period, 0);
	cr_expect_eq(list.events[1].attr.sample_period, 1013009, "-c is not for an added clock");
	cr_expect_eq(event_list__set_rates(&list, &(struct rate){.freq_hz = 99}, &err), 0);
	cr_expect_eq(list.events[0].attr.sample_freq, 0);
	cr_expect_eq(list.events[1].attr.sample_freq, 99);
	parse_one(&list, "power/energy-pkg,period=5/");
	cr_expect_eq(event_list__set_rates(&list, &(struct rate){0}, &err), -EINVAL);
	cr_expect_eq(err.exit_code, EXIT_USAGE);
	event_list__done(&list);
}

Test(parse, modifiers)
{
	struct event_list list = {0};
	const struct perf_event_attr *a;

	a = &parse_one(&list, "cycles")->attr;
	cr_expect(!a->exclude_user && !a->exclude_kernel && !a->exclude_hv);
	cr_expect(a->exclude_guest && !a->exclude_host && !a->precise_ip && !a->disabled);
	a = &parse_one(&list, "cycles:u")->attr;
	cr_expect(!a->exclude_user && a->exclude_kernel && a->exclude_hv && a->exclude_guest);
	a = &parse_one(&list, "cycles:k")->attr;
	cr_expect(a->exclude_user && !a->exclude_kernel && a->exclude_hv);
	a = &parse_one(&list, "cycles:uk")->attr;
	cr_expect(!a->exclude_user && !a->exclude_kernel && a->exclude_hv);
	a = &parse_one(&list, "cycles:h")->attr;
	cr_expect(a->exclude_user && a->exclude_kernel && !a->exclude_hv);
	a = &parse_one(&list, "cycles:G")->attr;
	cr_expect(!a->exclude_guest && a->exclude_host);
	a = &parse_one(&list, "cycles:GH")->attr;
	cr_expect(!a->exclude_guest && !a->exclude_host);
	a = &parse_one(&list, "insts:pppDe")->attr;
	cr_expect(a->precise_ip == 3 && a->pinned && a->exclusive);
	cr_expect(parse_one(&list, "cpu/cpu-cycles/P")->precise_max);
	a = &parse_one(&list, "energy-pkg")->attr;
	cr_expect_not(a->exclude_guest, "PMUs outside the cores refuse it");
	cr_expect_not(parse_one(&list, "cpu-clock")->attr.exclude_guest);
	event_list__done(&list);
}

Test(parse, units_and_addresses)
{
	struct event_list list = {0};

	cr_expect_eq(parse_one(&list, "ref-cycles")->unit, UNIT_CYCLES);
	cr_expect_eq(parse_one(&list, "stalls-backend")->unit, UNIT_CYCLES);
	cr_expect_eq(parse_one(&list, "bus-cycles")->unit, UNIT_EVENTS);
	cr_expect_eq(parse_one(&list, "task-clock")->unit, UNIT_NS);
	cr_expect_eq(parse_one(&list, "cpu/cpu-cycles/")->unit, UNIT_CYCLES);
	cr_expect_eq(parse_one(&list, "cpu/cpu-cycles,cmask=1/")->unit, UNIT_EVENTS);
	cr_expect_eq(parse_one(&list, "r3c")->unit, UNIT_EVENTS);
	cr_expect(parse_one(&list, "minor-faults")->has_addr);
	cr_expect(parse_one(&list, "alignment-faults")->has_addr);
	cr_expect_not(parse_one(&list, "cpu-clock")->has_addr);
	/* of a CPU's own event without a database: perhaps, if it is precise */
	cr_expect(parse_one(&list, "cpu/mem-loads/pp")->has_addr);
	cr_expect(parse_one(&list, "r1cd:P")->has_addr);
	cr_expect_not(parse_one(&list, "r1cd")->has_addr);
	cr_expect_not(parse_one(&list, "cycles:pp")->has_addr);
	cr_expect_str_eq(parse_one(&list, "cpu-clock")->maps_to, "software cpu-clock");
	cr_expect_str_eq(parse_one(&list, "dcache-miss")->maps_to, "L1-dcache-load-misses");
	cr_expect_str_eq(parse_one(&list, "r1a2")->maps_to, "cpu/config=0x1a2/");
	cr_expect_str_eq(parse_one(&list, "cpu/mem-loads/")->maps_to,
			 "cpu/config=0x1cd,config1=0x3/");
	event_list__done(&list);
}

struct mem {
	const char *text;
	uint64_t addr, len;
	uint32_t type;
	bool user;
	const char *name; /* NULL: as the text */
};

Test(parse, breakpoints)
{
	static const struct mem mems[] = {
		{"mem:0x1234", 0x1234, 4, HW_BREAKPOINT_RW, false, NULL},
		{"mem:4096", 4096, 4, HW_BREAKPOINT_RW, false, NULL},
		{"mem:0x1234/1", 0x1234, 1, HW_BREAKPOINT_RW, false, NULL},
		{"mem:0x1234/8:w", 0x1234, 8, HW_BREAKPOINT_W, false, NULL},
		{"mem:0x1234:r", 0x1234, 4, HW_BREAKPOINT_R, false, NULL},
		{"mem:0x1234:wr", 0x1234, 4, HW_BREAKPOINT_RW, false, NULL},
		{"mem:0x1234:x", 0x1234, sizeof(long), HW_BREAKPOINT_X, false, NULL},
		{"mem:0x1234:u", 0x1234, 4, HW_BREAKPOINT_RW, true, NULL},
		{"mem:0x1234:w:u", 0x1234, 4, HW_BREAKPOINT_W, true, NULL},
		{"mem:0x1234/8:w/period=3/", 0x1234, 8, HW_BREAKPOINT_W, false, "mem:0x1234/8:w"},
		{"mem:0x1234/8/period=3/u", 0x1234, 8, HW_BREAKPOINT_RW, true, "mem:0x1234/8:u"},
		{"mem:0x1234/period=3/", 0x1234, 4, HW_BREAKPOINT_RW, false, "mem:0x1234"},
		{"mem:0x1234:w/period=3/:u", 0x1234, 4, HW_BREAKPOINT_W, true, "mem:0x1234:w:u"},
		{"mem:0x1234:w:u/period=3/", 0x1234, 4, HW_BREAKPOINT_W, true, "mem:0x1234:w:u"},
		{"mem:0x1234:w/name=lock/", 0x1234, 4, HW_BREAKPOINT_W, false, "lock"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(mems); i++) {
		struct event_list list = {0};
		const struct mem *mem = &mems[i];
		const struct event *event = parse_one(&list, mem->text);

		cr_expect_eq(event->attr.type, PERF_TYPE_BREAKPOINT);
		cr_expect_eq(event->attr.bp_addr, mem->addr, "'%s'", mem->text);
		cr_expect_eq(event->attr.bp_len, mem->len, "'%s'", mem->text);
		cr_expect_eq(event->attr.bp_type, mem->type, "'%s'", mem->text);
		cr_expect_eq(event->attr.exclude_kernel, mem->user, "'%s'", mem->text);
		cr_expect_str_eq(event->name, mem->name ? mem->name : mem->text);
		cr_expect(event->is_breakpoint && event->has_addr && event->period == 1);
		event_list__done(&list);
	}
}

Test(parse, groups)
{
	struct event_list list = {0};
	struct err err = {0};

	cr_assert_eq(event_list__parse(
			     &list,
			     "cycles,{ instructions:k , cpu/event=1,umask=2/u}:uD, {page-faults}",
			     root, &err),
		     0, "%s", err.text);
	cr_assert_eq(event_list__parse(&list, "{task-clock,mem:0x10/8:w}:p", root, &err), -EINVAL);
	cr_assert_eq(event_list__parse(&list, "{task-clock,mem:0x10/8:w}:k", root, &err), 0);
	cr_assert_eq(list.n, 6);
	cr_expect_eq(list.events[0].group, 0);
	cr_expect_eq(list.events[1].group, 1);
	cr_expect_eq(list.events[2].group, 1);
	cr_expect_eq(list.events[3].group, 2);
	cr_expect_eq(list.events[4].group, 3);
	cr_expect_eq(list.events[5].group, 3);
	cr_expect_str_eq(list.events[1].name, "instructions:kuD");
	cr_expect_str_eq(list.events[2].name, "cpu/event=1,umask=2/uD");
	cr_expect(list.events[1].attr.pinned && !list.events[1].attr.exclude_kernel &&
		  !list.events[1].attr.exclude_user);
	cr_expect(list.events[2].attr.exclude_kernel && !list.events[2].attr.exclude_user);
	cr_expect(list.events[5].attr.exclude_user);
	event_list__done(&list);
}

Test(parse, aliases_are_whole)
{
	static const char *const wanted[] = {
		"cycles",           "insts",           "ref-cycles",
		"dcache-miss",      "dcache-access",   "dcache-write-miss",
		"icache-miss",      "llc-miss",        "llc-access",
		"dtlb-miss",        "dtlb-write-miss", "itlb-miss",
		"branches",         "branch-miss",     "stalls-frontend",
		"stalls-backend",   "cpu-clock",       "task-clock",
		"page-faults",      "minor-faults",    "major-faults",
		"context-switches", "migrations",      "alignment-faults",
		"off-cpu",
	};

	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		struct event_list list = {0};
		const struct event *event = parse_one(&list, wanted[i]);
		const struct event_alias *alias = NULL;

		for (size_t k = 0; k < n_event_aliases; k++) {
			if (strcmp(event_aliases[k].name, wanted[i]) == 0)
				alias = &event_aliases[k];
		}
		cr_assert_not_null(alias, "%s", wanted[i]);
		cr_expect_str_eq(event->title, alias->title);
		cr_expect_str_eq(event->counts, alias->counts);
		cr_expect_eq(event->unit, alias->unit);
		cr_expect_eq(event->period, alias->period);
		event_list__done(&list);
	}
}

Test(parse, periods_are_prime)
{
	for (size_t i = 0; i < n_event_aliases; i++)
		cr_expect(event_aliases[i].period == 1 || num__is_prime(event_aliases[i].period),
			  "%s", event_aliases[i].name);
	for (size_t i = 0; i < n_perf_names; i++)
		cr_expect(num__is_prime(perf_names[i].period), "%s", perf_names[i].name);
}

Test(parse, one_name_one_meaning)
{
	/* where an alias and a perf name are equal, they are the same event */
	for (size_t i = 0; i < n_event_aliases; i++) {
		const struct perf_name *name = perf_name__find(event_aliases[i].name);
		struct event_list list = {0};
		const struct event *event = parse_one(&list, event_aliases[i].name);

		if (name) {
			cr_expect_eq(event->attr.type, name->type, "%s", name->name);
			cr_expect_eq(event->attr.config, name->config, "%s", name->name);
			cr_expect_eq(event->unit, name->unit, "%s", name->name);
			cr_expect_eq(event->period, name->period, "%s", name->name);
			cr_expect_eq(event->has_addr, name->has_addr, "%s", name->name);
		}
		event_list__done(&list);
	}
}
