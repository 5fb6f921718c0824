// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Ratios of sampled events: of the target alone, by the counters, marked if not measured
 * together. */
#include "render/ratios.h"

#include <criterion/criterion.h>
#include <string.h>

static struct event events[2];
static struct event_list list = {.events = events, .n = 2};
static struct ledger_event columns[2];
static struct ledger ledger = {.events = columns, .n_events = 2};
static size_t sets[2];
static struct plan plan = {.n_events = 2, .set = sets, .n_sets = 1};
static struct summary summary;

/* 400 M cycles and 800 M instructions on the CPUs; of both the target's share is a quarter. */
static void begin(void)
{
	static char cycles[] = "cycles", insts[] = "insts";
	static const uint64_t configs[] = {PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS};

	for (size_t i = 0; i < 2; i++) {
		events[i] = (struct event){.name = i ? insts : cycles, .lead = i};
		events[i].attr = (struct perf_event_attr){.config = configs[i]};
		columns[i] = (struct ledger_event){
			.value = (i + 1) * 400000000,
			.enabled_ns = 1000000000,
			.running_ns = 1000000000,
			.weight = 1000,
			.kernel = {.weight_seen = 4000},
		};
	}
	sets[1] = 0;
	summary = (struct summary){.ledger = &ledger, .events = &list, .plan = &plan};
}

TestSuite(ratios, .init = begin);

static void expect(const char *words)
{
	struct buf out = {0};

	ratios__text(&summary, &out);
	cr_expect(out.len && strstr(out.data, words), "no '%s' in: %s", words,
		  out.len ? out.data : "");
	buf__done(&out);
}

Test(ratios, of_the_target)
{
	expect("insts 2.000 insn per cycle");
	columns[0].weight =
		2000; /* of the cycles half are the target's, of the instructions a quarter */
	expect("insts 1.000 insn per cycle");
}

Test(ratios, lost_overflows_do_not_bend_them)
{
	columns[1].weight /= 3;
	columns[1].kernel.weight_seen /= 3;
	expect("insts 1.99"); /* rounding of small weights */
}

Test(ratios, marked_if_multiplexed)
{
	columns[1].running_ns /= 2;
	expect("insts ~");
	expect("did not run together");
}

Test(ratios, marked_if_of_two_passes)
{
	struct passes passes = {0};

	summary.passes = &passes;
	expect("insts 2.000 insn");
	sets[1] = 1;
	expect("insts ~2.000 insn");
}

Test(ratios, none_of_one_event)
{
	struct buf out = {0};

	list.n = ledger.n_events = 1;
	ratios__text(&summary, &out);
	cr_expect_eq(out.len, 0);
	list.n = ledger.n_events = 2;
}
