// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Advice: each rule on a profile that it is about, and on one that only looks like it. */
#include "advise_by_hand.h"

/* ---- how sure */

Test(advise, nothing_stands_out)
{
	ran("work,main", 1000);
	EXPECT_FOUND("");
}

Test(advise, few_samples_are_no_finding)
{
	ran("exc_page_fault" K ",touch,main", RULE_FEW_SAMPLES - 1);
	EXPECT_FOUND("");
	cr_expect_eq(verdict(RULE_PAGE_FAULTS), RULE_FEW);
	ran("exc_page_fault" K ",touch,main", 1);
	EXPECT_FOUND("page-faults");
}

/* 11.5 % of 1000 samples may be 9.6 % of the time; of 10,000 not. */
Test(advise, chance_makes_no_finding)
{
	ran("exc_page_fault" K ",touch,main", 115);
	ran("work,main", 885);
	EXPECT_FOUND("");
	ran("exc_page_fault" K ",touch,main", 1035);
	ran("work,main", 7965);
	EXPECT_FOUND("page-faults");
}

Test(advise, idle_time_is_nobodys)
{
	uint32_t none = prof__location(p, 0, 0, (struct prof_line[]){build_line(p, "[idle]")}, 1);

	ran("exc_page_fault" K ",touch,main", 200);
	sample(prof__stack(p, &none, 1), 0, CLOCK, 100000);
	EXPECT_FOUND("page-faults");
	advice__find(&advice, p);
	cr_expect_eq(advice.clock_samples, 200);
	cr_expect_float_eq(advice.findings[RULE_PAGE_FAULTS].value, 100, 1e-9);
	advice__done(&advice);
}

Test(advise, without_a_clock_nothing_is_said_of_time)
{
	p = prof__free(p);
	p = prof__new();
	prof__type(p, "page-faults_sample", "count");
	prof__type(p, "page-faults_event", "count");
	BUILD_SAMPLE(p, "exc_page_fault" K ",touch,main", 0, 1000, 1000);
	EXPECT_FOUND("");
	cr_expect_eq(verdict(RULE_PAGE_FAULTS), RULE_NOT_ASKED);
}

Test(advise, the_interval_holds_the_share)
{
	const struct finding *f = &advice.findings[RULE_PAGE_FAULTS];

	ran("exc_page_fault" K ",touch,main", 300);
	ran("work,main", 700);
	advice__find(&advice, p);
	cr_expect_float_eq(f->value, 30, 1e-9);
	cr_expect(f->low > 26.5 && f->low < 28 && f->high > 32 && f->high < 33.5, "%f %f", f->low,
		  f->high);
	cr_expect_float_eq(f->stake, f->high, 1e-9);
	cr_expect_float_eq(f->seconds, 0.3, 1e-9);
	advice__done(&advice);
}

/* ---- where the CPU time goes */

Test(advise, page_faults_of_who_touched)
{
	ran("clear_page_erms" K ",exc_page_fault" K ",__memset_avx2" C ",touch,main", 300);
	ran("work,main", 700);
	counted(FAULTS, 5000);
	EXPECT_FOUND("page-faults");
	expect_place(RULE_PAGE_FAULTS, "touch [a]", "touch");
	advice__find(&advice, p);
	cr_expect_float_eq(advice.findings[RULE_PAGE_FAULTS].rate, 5000, 1e-6);
	advice__done(&advice);
}

Test(advise, an_allocator_that_gives_memory_back)
{
	ran("clear_page_erms" K ",exc_page_fault" K ",reuse,main", 300);
	ran("unmap_vmas" K ",__x64_sys_munmap" K ",do_syscall_64" K ",munmap_chunk" C ",free" C
	    ",reuse,main",
	    60);
	ran("work,main", 640);
	EXPECT_FOUND("allocator-churn");
	cr_expect_eq(verdict(RULE_PAGE_FAULTS), RULE_COVERED);
	expect_place(RULE_ALLOCATOR_CHURN, "reuse [a]", "reuse");
}

/* Not free(): the program unmaps what it mapped. */
Test(advise, memory_that_the_program_gives_back)
{
	ran("exc_page_fault" K ",touch,main", 300);
	ran("unmap_vmas" K ",__x64_sys_munmap" K ",do_syscall_64" K ",munmap" C ",touch,main", 60);
	ran("work,main", 640);
	EXPECT_FOUND("page-faults");
}

Test(advise, processes_that_start)
{
	ran("begin_new_exec" K ",__x64_sys_execve" K ",do_syscall_64" K, 200);
	ran("exc_page_fault" K ",_dl_start@/lib/ld-linux.so.2", 250);
	ran("work,main", 550);
	EXPECT_FOUND("process-starts");
	expect_place(RULE_PROCESS_STARTS, "a", "");
}

Test(advise, switches_that_are_many)
{
	ran("__schedule" K ",schedule" K ",pipe_read" K ",__x64_sys_read" K ",do_syscall_64" K
	    ",hand_over,main",
	    600);
	ran("work,main", 400);
	counted(SWITCHES, 4999);
	EXPECT_FOUND("system-calls");
	counted(SWITCHES, 1);
	EXPECT_FOUND("context-switches");
	cr_expect_eq(verdict(RULE_SYSTEM_CALLS), RULE_COVERED);
}

Test(advise, spinning_in_the_kernel)
{
	ran("native_queued_spin_lock_slowpath" K ",_raw_spin_lock" K ",do_syscall_64" K ",map,main",
	    500);
	ran("work,main", 500);
	EXPECT_FOUND("spinning");
	expect_place(RULE_SPINNING, "map [a]", "map");
}

Test(advise, system_calls_that_do_little)
{
	ran("fdget" K ",__x64_sys_write" K ",do_syscall_64" K ",write" C ",ask,main", 500);
	ran("work,main", 500);
	EXPECT_FOUND("system-calls");
	expect_place(RULE_SYSTEM_CALLS, "write, called by ask [a]", "ask");
}

Test(advise, system_calls_that_copy)
{
	ran("_copy_to_iter" K ",__x64_sys_read" K ",do_syscall_64" K ",read" C ",load,main", 700);
	ran("fdget" K ",__x64_sys_read" K ",do_syscall_64" K ",read" C ",load,main", 100);
	ran("work,main", 200);
	EXPECT_FOUND("");
}

Test(advise, copying)
{
	ran("__memmove_avx_unaligned_erms" C ",copy_all,main", 300);
	ran("memory_of_things,main", 700);
	EXPECT_FOUND("copying");
	expect_place(RULE_COPYING, "copy_all [a]", "copy_all");
}

Test(advise, headers_functions_that_are_calls)
{
	ran("std::vector<long>::operator[],add,main", 90);
	ran("std::move<int&>,add,main", 90);
	ran("add,main", 820);
	EXPECT_FOUND("not-optimised");
}

Test(advise, headers_functions_that_were_inlined)
{
	ran("std::vector<long>::operator[]+add,main", 700);
	ran("std::sort<int*>,main", 300);
	EXPECT_FOUND("");
}

Test(advise, an_interpreter)
{
	ran("f@[python],PyEval_EvalCode" PY ",main", 400);
	ran("PyLong_Multiply" PY ",f@[python],PyEval_EvalCode" PY ",main", 400);
	ran("work,main", 200);
	EXPECT_FOUND("interpreter");
	expect_place(RULE_INTERPRETER, "f [python]", "f");
}

Test(advise, what_an_interpreter_calls)
{
	ran("dot@/lib/numpy.so,f@[python],PyEval_EvalCode" PY ",main", 900);
	ran("f@[python],PyEval_EvalCode" PY ",main", 100);
	EXPECT_FOUND("");
}

static void ran_java(uint64_t address, int64_t n)
{
	struct prof_line line = build_line(p, "Loop::f");
	uint32_t at = prof__location(p, build_mapping(p, "[jit]"), address, &line, 1);

	sample(prof__stack(p, &at, 1), build_labels(p, 1, "java"), CLOCK, n);
}

Test(advise, java_that_is_interpreted)
{
	ran_java(0x7f0000001000, 1000);
	EXPECT_FOUND("");
	ran_java(PMB_METHOD_WORD(0x7f0000002000ULL, 0x7f0000003000ULL), 2000);
	EXPECT_FOUND("interpreter");
}

Test(advise, code_without_names)
{
	ran("@/opt/app/server,main", 400);
	ran("work,main", 600);
	EXPECT_FOUND("no-names");
	expect_place(RULE_NO_NAMES, "/opt/app/server", "");
}

/* What limits the profile is the last of all. */
Test(advise, the_most_at_stake_first)
{
	ran("@/opt/app/server,main", 500);
	ran("exc_page_fault" K ",touch,main", 150);
	ran("memset" C ",fill,main", 350);
	EXPECT_FOUND("copying,page-faults,no-names");
}

/* ---- without a CPU */

#define LOCKED "futex_wait" K ",__x64_sys_futex" K ",do_syscall_64" K ",__lll_lock_wait" C

Test(advise, locks)
{
	ran("work,main", 1000);
	waited(LOCKED ",pthread_mutex_lock" C ",want,main", "futex", 100);
	EXPECT_FOUND("locks");
	expect_place(RULE_LOCKS, "want [a], woken by owner", "want");
	advice__find(&advice, p);
	cr_expect_float_eq(advice.findings[RULE_LOCKS].value, 50, 1e-9);
	advice__done(&advice);
}

/* A thread that waits for work does so on a futex, too. */
Test(advise, waits_for_work)
{
	ran("work,main", 1000);
	waited("futex_wait" K ",__x64_sys_futex" K ",pthread_cond_wait" C ",next_job,main", "futex",
	       1000);
	waited("ep_poll" K ",epoll_wait" C ",serve,main", "poll", 1000);
	EXPECT_FOUND("");
}

Test(advise, few_waits)
{
	ran("work,main", 100);
	waited(LOCKED ",pthread_mutex_lock" C ",want,main", "futex", 19);
	EXPECT_FOUND("");
	cr_expect_eq(verdict(RULE_LOCKS), RULE_FEW);
	waited(LOCKED ",pthread_mutex_lock" C ",want,main", "futex", 1);
	EXPECT_FOUND("locks");
}

/* A small part of much time before a large part of little. */
Test(advise, seconds_come_first)
{
	ran("exc_page_fault" K ",touch,main", 500);
	ran("work,main", 500);
	waited("fsync" C ",save,main", "fsync", 60);
	EXPECT_FOUND("disk,page-faults");
	waited("read" C ",load,main", "preempted", 55);
	EXPECT_FOUND("disk,run-queue,page-faults");
}

/* Not the condition that the lock is made of. */
Test(advise, who_wants_a_lock_is_behind_it)
{
	ran("work,main", 1000);
	waited(LOCKED ",PyCOND_TIMEDWAIT" PY ",take_gil" PY ",f@[python],main", "futex", 100);
	EXPECT_FOUND("locks");
	expect_place(RULE_LOCKS, "f [python], woken by owner", "f");
}

/* Of an interpreter without names only the label says so. */
Test(advise, who_wants_an_interpreter_without_names)
{
	ran("work,main", 1000);
	waited("futex_wait" K ",__x64_sys_futex" K ",pthread_cond_timedwait" C "," PY
	       ",f@[python],main",
	       "gil", 100);
	EXPECT_FOUND("locks");
	expect_place(RULE_LOCKS, "f [python], woken by owner", "f");
}

Test(advise, waiting_for_a_cpu)
{
	ran("work,main", 1000);
	waited("work,main", "preempted", 30);
	waited("read,main", "waiting", 30);
	EXPECT_FOUND("run-queue");
}

Test(advise, disks)
{
	ran("work,main", 1000);
	waited("fsync" C ",save,main", "fsync", 20);
	waited("read" C ",load,main", "io", 10);
	EXPECT_FOUND("disk");
	expect_place(RULE_DISK, "save [a]", "save");
}

Test(advise, without_off_cpu_nothing_is_said_of_waiting)
{
	struct prof *clock = prof__new();

	p = prof__free(p);
	p = clock;
	prof__type(p, "cpu-clock_sample", "count");
	prof__type(p, "cpu-clock_time", "nanoseconds");
	BUILD_SAMPLE(p, "work,main", 0, 1000, (int64_t)1000 * MS);
	EXPECT_FOUND("");
	cr_expect_eq(verdict(RULE_LOCKS), RULE_NOT_ASKED);
}

/* One wait of 64 was recorded: 25 of them are not sure to be 10 % of the time. */
Test(advise, waits_that_stand_for_others)
{
	static const char lengthened[] = "event off-cpu: counts=threads period=64 pc=exact";

	ran("work,main", 1000);
	waited(LOCKED ",pthread_mutex_lock" C ",want,main", "futex", 20);
	EXPECT_FOUND("locks");
	p->comments[0] = prof__string(p, lengthened);
	EXPECT_FOUND("");
}
