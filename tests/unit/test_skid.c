// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Where the access lies that an event's overflows are about. */
#include <criterion/criterion.h>
#include <linux/hw_breakpoint.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "pmu/skid.h"
#include "sysfs_tree.h"

#define CACHE(cache) (PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_RESULT_MISS << 16)

#ifdef __x86_64__
#define WATCHES PMB_SKID_AFTER
#else
#define WATCHES PMB_SKID_BEFORE
#endif

Test(skid, by_event)
{
	static const struct {
		const char *what;
		struct event event;
		enum pmb_skid skid;
	} cases[] = {
		{"a fault",
		 {.attr = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS},
		  .has_addr = true},
		 PMB_SKID_EXACT},
		{"a breakpoint on data",
		 {.attr = {.type = PERF_TYPE_BREAKPOINT, .bp_type = HW_BREAKPOINT_W},
		  .has_addr = true},
		 WATCHES},
		{"one on code",
		 {.attr = {.type = PERF_TYPE_BREAKPOINT, .bp_type = HW_BREAKPOINT_X},
		  .has_addr = true},
		 PMB_SKID_EXACT},
		{"a clock",
		 {.attr = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK},
		  .unit = UNIT_NS},
		 PMB_SKID_SOME},
		{"misses of the TLB",
		 {.attr = {.type = PERF_TYPE_HW_CACHE, .config = CACHE(DTLB)}},
		 PMB_SKID_SOME},
		{"those of instructions",
		 {.attr = {.type = PERF_TYPE_HW_CACHE, .config = CACHE(ITLB)}},
		 PMB_SKID_NONE},
		{"cycles",
		 {.attr = {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES}},
		 PMB_SKID_NONE},
		{"precise loads",
		 {.attr = {.type = PERF_TYPE_RAW, .precise_ip = 2}, .has_addr = true},
		 PMB_SKID_EXACT},
		{"misses that can't interrupt",
		 {.attr = {.type = PERF_TYPE_HW_CACHE, .config = CACHE(L1D)}, .mode = EVENT_READ},
		 PMB_SKID_NONE},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		cr_expect_eq(event_skid(&cases[i].event), cases[i].skid, "%s: %d", cases[i].what,
			     event_skid(&cases[i].event));
}

/* What is said to bring one is an event of that machine that does. */
Test(skid, what_brings_an_address)
{
	static const char *const trees[][2] = {
		{"intel-server", "cpu/mem-loads/P"},
		{"intel-hybrid", "cpu_atom/mem-loads/P"},
		{"amd-zen", "ibs_op/cnt_ctl=1/P"},
		{"arm-neoverse", NULL},
		{"vm-none", NULL},
	};

	for (size_t i = 0; i < ARRAY_SIZE(trees); i++) {
		char *root = tree_load(trees[i][0]);
		_cleanup_(pmus__done) struct pmus pmus = {0};
		_cleanup_(event_list__done) struct event_list list = {0};
		_cleanup_free_ char *text = NULL;
		struct err err;

		cr_assert_eq(pmus__read(&pmus, root), 0);
		tree_remove(root);
		text = event_with_address(&pmus);
		if (!trees[i][1]) {
			cr_expect_null(text, "%s", trees[i][0]);
			continue;
		}
		cr_assert_not_null(text);
		cr_expect_str_eq(text, trees[i][1]);
		cr_assert_eq(event_list__parse_with(&list, text, &pmus, &err), 0, "%s", err.text);
		cr_expect(list.events[0].has_addr, "%s", text);
	}
}
