// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Advice of data, misses and the machine, and how all of it is said. */
#include "advise_by_hand.h"

/* ---- data, misses, the machine, the profile */

static void touched(const char *sharing, int64_t n)
{
	struct prof_label_list labels = {0};

	prof__add_text(p, &labels, "cache_line", "0x40");
	prof__add_text(p, &labels, "data_object", "counters");
	prof__add_text(p, &labels, PROF_SHARING, sharing);
	sample(build_stack(p, "count,main"), prof__labels(p, labels.items, labels.n), CLOCK, n);
	free(labels.items);
}

Test(advise, false_sharing)
{
	touched(PROF_SHARING_SAME, 500);
	touched(PROF_SHARING_SUSPECT PROF_CANDIDATE, 500);
	EXPECT_FOUND("");
	touched(PROF_SHARING_PROVEN, 500);
	EXPECT_FOUND("false-sharing");
	expect_place(RULE_FALSE_SHARING, "counters, in count [a]", "count");
}

static void begin_misses(const char *misses, const char *role)
{
	_cleanup_free_ char *type = xasprintf("%s_sample", misses);
	_cleanup_free_ char *count = xasprintf("%s_event", misses);

	p = prof__free(p);
	p = prof__new();
	prof__type(p, "cycles_sample", "count");
	prof__type(p, "cycles_event", "count");
	prof__type(p, "instructions_sample", "count");
	prof__type(p, "instructions_event", "count");
	prof__type(p, type, "count");
	prof__type(p, count, "count");
	prof__comment(p, "role cycles: cycles cache=0 set=0 all=yes");
	prof__comment(p, "role instructions: instructions cache=0 set=0 all=yes");
	prof__comment(p, role);
}

/* Samples of a million cycles and instructions, and of 10,000 misses. */
static void missed(const char *stack, int64_t cycles, int64_t insns, int64_t misses)
{
	BUILD_SAMPLE(p, stack, 0, cycles, cycles * 1000000, insns, insns * 1000000, misses,
		     misses * 10000);
}

Test(advise, cache_misses)
{
	begin_misses("cache-misses", "role cache-misses: misses cache=65535 set=0 all=yes");
	missed("walk,main", 3000, 500, 2000);
	missed("work,main", 1000, 1000, 1000);
	EXPECT_FOUND("cache-misses");
	expect_place(RULE_CACHE_MISSES, "walk [a]", "walk");
	advice__find(&advice, p);
	cr_expect_float_eq(advice.findings[RULE_CACHE_MISSES].value, 20, 1e-9);
	cr_expect_float_eq(advice.findings[RULE_CACHE_MISSES].stake, 75, 1e-9);
	cr_expect_eq(advice.findings[RULE_TLB_MISSES].verdict, RULE_NOT_ASKED);
	advice__done(&advice);
	missed("work,main", 0, 3000, 3000); /* as many misses, and a CPU that is busy */
	EXPECT_FOUND("");
}

Test(advise, tlb_misses)
{
	begin_misses("dtlb", "role dtlb: misses cache=3 set=0 all=yes");
	missed("walk,main", 3000, 1000, 1000);
	EXPECT_FOUND("tlb-misses");
}

/* Of the kernel's cycles and the program's misses nothing can be said. */
Test(advise, misses_of_other_code)
{
	begin_misses("cache-misses", "role cache-misses: misses cache=65535 set=2 all=no");
	missed("walk,main", 3000, 500, 2000);
	EXPECT_FOUND("");
}

Test(advise, the_machine)
{
	ran("work,main", 1000);
	prof__comment(p, "processor: 4.9 % of the CPUs' time taken by the hypervisor, slowed down "
			 "9 times by heat");
	EXPECT_FOUND("");
	p->comments[1] = prof__string(p, "processor: 5.1 % of the CPUs' time taken by the "
					 "hypervisor, slowed down 10 times by heat");
	EXPECT_FOUND("steal,heat");
	p->duration_ns = 120 * 1000 * (int64_t)MS; /* so often in each minute */
	EXPECT_FOUND("steal");
}

Test(advise, broken_stacks)
{
	ran("work,main", 1000);
	prof__comment(p, "user stacks: 850 complete, 50 complete_by_fp, 100 truncated");
	EXPECT_FOUND("");
	p->comments[1] = prof__string(p, "user stacks: 600 complete, 100 truncated, 300 no_table");
	EXPECT_FOUND("broken-stacks");
	p->comments[1] = prof__string(p, "user stacks: twelve complete");
	EXPECT_FOUND("");
}

/* ---- in words */

Test(advise, says_so)
{
	_cleanup_(buf__done) struct buf text = {0};

	ran("exc_page_fault" K ",touch,main", 300);
	ran("work,main", 700);
	say(false, false, &text);
	EXPECT_SAYS(text, "1. Page faults take 30 % of the CPU time\n");
	EXPECT_SAYS(text, "   evidence 300 of 1,000 samples of cpu-clock: 30.0 %, with 95 % "
			  "certainty\n            between ");
	EXPECT_SAYS(text, "   where    100 %  touch [a]\n");
	EXPECT_SAYS(text, "pmubpf report --tree --callees touch 'a b.pb.gz'\n");
}

Test(advise, says_that_nothing_stands_out)
{
	_cleanup_(buf__done) struct buf text = {0};

	ran("work,main", 1000);
	say(true, false, &text);
	EXPECT_SAYS(text, "Nothing stands out in 1,000 samples of cpu-clock.\n");
	EXPECT_SAYS(text, "   page-faults       0.0 %, less than is worth a look (10)\n");
	ran("exc_page_fault" K ",touch,main", 115);
	buf__clear(&text);
	say(true, false, &text);
	EXPECT_SAYS(text, "   page-faults       10 %, or 8.6: not sure to be worth a look (10)\n");
	EXPECT_SAYS(text, "   allocator-churn   10 %, or 8.6: not sure");
}

Test(advise, says_that_samples_are_few)
{
	_cleanup_(buf__done) struct buf text = {0};

	ran("work,main", 10);
	say(false, false, &text);
	EXPECT_SAYS(text, "Too few samples");
	cr_expect_null(strstr(text.data, "Nothing stands out"));
}

/* What is to be copied into a shell. */
Test(advise, names_are_hostile)
{
	_cleanup_(buf__done) struct buf text = {0};
	_cleanup_(buf__done) struct buf json = {0};

	ran("exc_page_fault" K ",a'b; reboot #\n,main", 1000);
	say(false, false, &text);
	EXPECT_SAYS(text, "--callees $'a\\'b; reboot #\\x0a' ");
	say(false, true, &json);
	EXPECT_SAYS(json, "\"rule\": \"page-faults\"");
	EXPECT_SAYS(json, "\"function\": \"a'b; reboot #\\n\"");
}
