// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Advice: what is no sample, a PMU's ratios, and what follows from what. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "advise_found.h"

#define K "@[kernel.kallsyms]"

enum { MS = 1000000 };
enum { CLOCK, CLOCK_TIME, OFF, OFF_TIME, N_TYPES };

static void begin(void)
{
	p = prof__new();
	prof__type(p, "cpu-clock_sample", "count");
	prof__type(p, "cpu-clock_time", "nanoseconds");
	prof__type(p, "off-cpu_sample", "count");
	prof__type(p, "off-cpu_time", "nanoseconds");
	prof__comment(p, "event off-cpu: counts=threads period=1 overflows=1 pc=exact");
}

TestSuite(advise_accounts, .init = begin, .fini = end);

static void ran(const char *stack, int64_t n)
{
	int64_t values[N_TYPES] = {[CLOCK] = n, [CLOCK_TIME] = n * MS};

	build_sample(p, build_stack(p, stack), build_labels(p, 1, "a"), values);
}

static void waited(const char *state, int64_t n)
{
	struct prof_label_list labels = {0};
	int64_t values[N_TYPES] = {[OFF] = n, [OFF_TIME] = n * 10 * MS};

	prof__add_text(p, &labels, "comm", "a");
	prof__add_text(p, &labels, "off_state", state);
	build_sample(p, build_stack(p, "read,main"), prof__labels(p, labels.items, labels.n),
		     values);
	free(labels.items);
}

/* ---- what a blind test lacked */

Test(advise_accounts, strings_that_are_long)
{
	ran("__strcat_evex@/lib/libc.so.6,append,main", 200);
	ran("__strlen_avx2@/lib/libc.so.6,append,main", 100);
	ran("strlen_of_things,main", 700);
	EXPECT_FOUND("strings");
	advice__find(&advice, p);
	cr_expect_str_eq(advice.findings[RULE_STRINGS].places[0].text, "append [a]");
	cr_expect_float_eq(advice.findings[RULE_STRINGS].value, 30, 1e-9);
	advice__done(&advice);
}

/* A folder's profile and a server's have the same samples, in another order. */
Test(advise_accounts, of_places_that_weigh_the_same_any_order_has_the_same_first)
{
	static const char *const stacks[] = {
		"__strcat_evex@/lib/libc.so.6,append,main",
		"__strcat_evex@/lib/libc.so.6,join,main",
	};

	for (int first = 0; first < 2; first++) {
		ran(stacks[first], 200);
		ran(stacks[!first], 200);
		ran("strlen_of_things,main", 600);
		advice__find(&advice, p);
		cr_expect_eq(advice.findings[RULE_STRINGS].n_places, 2);
		cr_expect_str_eq(advice.findings[RULE_STRINGS].places[0].text, "append [a]");
		cr_expect_str_eq(advice.findings[RULE_STRINGS].places[1].text, "join [a]");
		advice__done(&advice);
		end();
		begin();
	}
}

/* Switches and calls are all that the kernel sees of such a lock. */
Test(advise_accounts, a_lock_that_yields)
{
	ran("__schedule" K ",do_sched_yield" K ",__x64_sys_sched_yield" K ",do_syscall_64" K
	    ",sched_yield@/lib/libc.so.6,take,main",
	    500);
	ran("work,main", 500);
	EXPECT_FOUND("spinning");
	advice__find(&advice, p);
	cr_expect_eq(advice.findings[RULE_SYSTEM_CALLS].verdict, RULE_COVERED);
	cr_expect_str_eq(advice.findings[RULE_SPINNING].places[0].text, "take [a]");
	advice__done(&advice);
}

/* ---- quotas */

Test(advise_accounts, a_quota)
{
	const struct finding *f = &advice.findings[RULE_CPU_QUOTA];

	ran("work,main", 1000);
	prof__comment(p, "quota: 5 of 40 periods, 0.100 s, 0.50 CPUs, of /sys/fs/cgroup/other");
	EXPECT_FOUND("");
	prof__comment(p, "quota: 30 of 40 periods, 1.000 s, 0.50 CPUs, of /sys/fs/cgroup/a b");
	EXPECT_FOUND("cpu-quota");
	advice__find(&advice, p);
	cr_expect_float_eq(f->value, 75, 1e-9);
	cr_expect(f->low > 55 && f->low < 62 && f->high > 85 && f->high < 89, "%f %f", f->low,
		  f->high);
	cr_expect_float_eq(f->stake, 50, 1e-9, "as long as it ran");
	cr_expect_str_eq(f->places[0].text, "/sys/fs/cgroup/a b");
	advice__done(&advice);
}

Test(advise_accounts, quotas_that_say_little)
{
	ran("work,main", 1000);
	prof__comment(p, "quota: 9 of 9 periods, 1.000 s, 0.50 CPUs, of /a");
	EXPECT_FOUND("");
	advice__find(&advice, p);
	cr_expect_eq(advice.findings[RULE_CPU_QUOTA].verdict, RULE_FEW);
	advice__done(&advice);
	prof__comment(p, "quota: 90 of 9 periods, 2.000 s, 0.50 CPUs, of /a");
	prof__comment(p, "quota: many of 90 periods, 2.000 s, 0.50 CPUs, of /a");
	prof__comment(p, "quota: 90 of 90 periods");
	prof__comment(p, "quota: 99999999999999999999 of 99999999999999999999 periods, 2.000 s, "
			 "0.50 CPUs, of /a");
	prof__comment(p, "pressure: memory 999.00 0.00, of the machine");
	EXPECT_FOUND("");
}

/* Of these the quota is the cause, though the waits are more. */
Test(advise_accounts, what_a_quota_leads_to)
{
	_cleanup_(buf__done) struct buf text = {0};

	ran("exc_page_fault" K ",touch,main", 300);
	ran("work,main", 700);
	waited("preempted", 400);
	EXPECT_FOUND("run-queue,page-faults");
	prof__comment(p, "quota: 30 of 40 periods, 0.200 s, 0.50 CPUs, of /sys/fs/cgroup/a");
	EXPECT_FOUND("cpu-quota,run-queue,page-faults");
	say(false, false, &text);
	EXPECT_SAYS(text, "   evidence 0.200 s withheld from CPUs; 30 of 40 periods, of a quota");
	EXPECT_SAYS(text,
		    "   because  it follows from 1 (cpu-quota), which is to be mended first\n");
	EXPECT_SAYS(text, "   look     grep . /sys/fs/cgroup/a/cpu.stat\n");
}

/* ---- pressure */

Test(advise_accounts, pressure_of_the_machine_may_be_others)
{
	_cleanup_(buf__done) struct buf text = {0};

	ran("work,main", 1000);
	prof__comment(p,
		      "pressure: cpu 90.00 0.00, memory 1.00 0.00, io 80.00 60.00, of the machine");
	EXPECT_FOUND("");
	say(true, false, &text);
	EXPECT_SAYS(text, "   io-pressure       80 % of the machine's time: it may be others");
	waited("io", 30);
	EXPECT_FOUND("disk");
	buf__clear(&text);
	say(false, false, &text);
	EXPECT_SAYS(text, "PSI: for 80.0 % of");
}

Test(advise_accounts, pressure_of_a_cgroup)
{
	ran("work,main", 1000);
	prof__comment(p,
		      "pressure: cpu 90.00 0.00, memory 1.00 0.00, io 1.00 0.00, of the machine");
	prof__comment(p, "pressure: cpu 60.00 0.00, memory 0.00 0.00, io 30.00 9.00, of /x");
	EXPECT_FOUND("cpu-pressure,io-pressure");
	waited("preempted", 400);
	waited("io", 300);
	EXPECT_FOUND("run-queue,disk");
}

/* Memory is everybody's, and its want is the cause of the rest. */
Test(advise_accounts, memory_pressure_leads_to_reclaim_and_disks)
{
	_cleanup_(buf__done) struct buf text = {0};

	ran("shrink_node" K ",try_to_free_pages" K ",exc_page_fault" K ",touch,main", 300);
	ran("work,main", 700);
	waited("io", 300);
	prof__comment(p, "pressure: cpu 0.00 0.00, memory 4.90 0.00, io 1.00 0.00, of the machine");
	EXPECT_FOUND("reclaim,disk,page-faults");
	p->comments[1] = prof__string(p, "pressure: memory 12.00 3.00, of the machine");
	EXPECT_FOUND("memory-pressure,disk,reclaim,page-faults");
	say(false, false, &text);
	EXPECT_SAYS(text, "   look     grep . /proc/pressure/memory\n");
	p->comments[1] = prof__string(p, "pressure: memory, of the machine");
	EXPECT_FOUND("reclaim,disk,page-faults");
}

/* ---- other nodes */

static void touched(const char *source, int64_t n)
{
	struct prof_label_list labels = {0};
	int64_t values[N_TYPES] = {[CLOCK] = n, [CLOCK_TIME] = n * MS};

	prof__add_text(p, &labels, "data_source", source);
	prof__add_text(p, &labels, "data_object", "table");
	build_sample(p, build_stack(p, "walk,main"), prof__labels(p, labels.items, labels.n),
		     values);
	free(labels.items);
}

Test(advise_accounts, memory_of_another_node)
{
	touched("load RAM hit", 950);
	touched("load remote RAM hit", 50);
	EXPECT_FOUND("");
	touched("load remote cache hit, hitm", 200);
	EXPECT_FOUND("remote-memory");
	advice__find(&advice, p);
	cr_expect_str_eq(advice.findings[RULE_REMOTE_MEMORY].places[0].text, "table, in walk [a]");
	advice__done(&advice);
}

/* ---- a PMU's */

/* Cycles and instructions, and one event for each role ("NAME: ROLE"). */
static void begin_events(const char *const *roles, size_t n)
{
	p = prof__free(p);
	p = prof__new();
	prof__comment(p, "role cycles: cycles cache=0 set=0 all=yes");
	prof__comment(p, "role instructions: instructions cache=0 set=0 all=yes");
	for (size_t i = 0; i < n + 2; i++) {
		const char *name = i == 0 ? "cycles" : i == 1 ? "instructions" : roles[i - 2];
		int len = (int)strcspn(name, ":");
		_cleanup_free_ char *type = xasprintf("%.*s_sample", len, name);
		_cleanup_free_ char *count = xasprintf("%.*s_event", len, name);
		_cleanup_free_ char *role = xasprintf("role %s", name);

		prof__type(p, type, "count");
		prof__type(p, count, "count");
		if (i > 1)
			prof__comment(p, role);
	}
}

/* Of each event so many samples, of a million cycles and instructions, or of each[i]. */
static void sampled(const char *stack, const int64_t *samples, const int64_t *each, size_t n)
{
	int64_t values[16] = {0};

	for (size_t i = 0; i < n; i++) {
		values[2 * i] = samples[i];
		values[2 * i + 1] = samples[i] * each[i];
	}
	build_sample(p, build_stack(p, stack), 0, values);
}

/* Branches that are guessed wrong, code that isn't there then, and a front end that waits. */
Test(advise_accounts, a_chain_of_code)
{
	static const char *const roles[] = {
		"branch-misses: branch-misses cache=0 set=0 all=yes",
		"icache: misses cache=1 set=0 all=yes",
		"itlb: misses cache=4 set=0 all=yes",
		"stalls-frontend: stalls cache=0 set=0 all=yes",
	};
	static const int64_t each[] = {1000000, 1000000, 10000, 10000, 10000, 1000000};
	static const int64_t samples[] = {3000, 1000, 2000, 3000, 500, 1500};
	static const int64_t less[] = {0, 30000, 0, 0, 0, 0};

	begin_events(roles, ARRAY_SIZE(roles));
	sampled("dispatch,main", samples, each, ARRAY_SIZE(each));
	EXPECT_FOUND("branch-misses,code-misses,frontend-stalls,code-tlb-misses");
	advice__find(&advice, p);
	cr_expect_eq(advice.findings[RULE_CODE_TLB_MISSES].because,
		     &advice.findings[RULE_CODE_MISSES]);
	cr_expect_eq(advice.findings[RULE_CACHE_MISSES].verdict, RULE_NOT_ASKED);
	cr_expect_float_eq(advice.findings[RULE_FRONTEND].value, 50, 1e-9);
	advice__done(&advice);
	sampled("work,main", less, each, ARRAY_SIZE(each));
	EXPECT_FOUND("frontend-stalls");
}

Test(advise_accounts, a_back_end_that_waits_for_memory)
{
	static const char *const roles[] = {
		"cache-misses: misses cache=65535 set=0 all=yes",
		"stalls-backend: stalls cache=0 set=0 all=yes",
	};
	static const int64_t each[] = {1000000, 1000000, 10000, 1000000};
	static const int64_t samples[] = {3000, 1000, 2000, 2400};

	begin_events(roles, ARRAY_SIZE(roles));
	sampled("walk,main", samples, each, ARRAY_SIZE(each));
	EXPECT_FOUND("cache-misses,backend-stalls");
}
