// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Processes that are read from /proc: this very one, as that tells it. */
#include "processes_by_hand.h"

static uint64_t here(void)
{
	return (uintptr_t)here;
}

static bool located(uint32_t tgid, uint64_t time)
{
	return locate(tgid, time, here()).kind == FRAME_FILE;
}

Test(processes, ourselves)
{
	uint32_t me = (uint32_t)getpid();
	struct stat exe, pinned;
	struct frame frame;

	processes__sample_arrived(all, me, 0, 1000, 1000);
	frame = locate(me, 900, here());
	cr_assert_eq(frame.kind, FRAME_FILE);
	cr_assert_geq(files__get(files, frame.file)->fd, 0);
	stat("/proc/self/exe", &exe);
	fstat(files__get(files, frame.file)->fd, &pinned);
	cr_expect_eq(pinned.st_ino, exe.st_ino);
}

Test(processes, our_vdso)
{
	uint64_t vdso = getauxval(AT_SYSINFO_EHDR);
	struct frame frame;

	if (!vdso)
		cr_skip_test("no vDSO");
	frame = locate((uint32_t)getpid(), 1, vdso + 0x10);
	cr_assert_eq(frame.kind, FRAME_FILE);
	cr_expect_eq(frame.off, 0x10);
	cr_expect_eq(files__get(files, frame.file)->kind, FILE_VDSO);
	cr_expect_eq(frame.file, files__vdso(files));
}

/* What is taken for a JIT's is asked for a perf map. */
Test(processes, the_vsyscall_page_is_nobodys_code)
{
	uint32_t me = (uint32_t)getpid();

	processes__sample_arrived(all, me, 0, 1000, 1000);
	cr_expect_neq(locate(me, 900, 0xffffffffff600000).kind, FRAME_JIT);
}

/* Turns end by the clock: it is never so late. */
#define NO_OTHER_TURN (1ULL << 62)

/* Each that was never heard of has to be read, and of a cgroup there may be thousands. */
static void crowd_arrives(uint64_t cgroup, uint64_t now)
{
	for (uint32_t i = 0; i < BUDGET_READING; i++)
		processes__sample_arrived(all, (uint32_t)INT32_MAX - i, cgroup, now, now);
}

Test(processes, one_of_a_crowd_is_read_later)
{
	uint64_t now = NO_OTHER_TURN;
	uint32_t me = (uint32_t)getpid();

	crowd_arrives(7, now);
	processes__sample_arrived(all, me, 7, now, now);
	cr_expect(!located(me, now), "others of its cgroup have had all of this turn");
	now += 100000000;
	processes__sample_arrived(all, me, 7, now, now);
	cr_expect(located(me, now));
}

Test(processes, who_is_not_of_the_crowd_is_read_at_once)
{
	uint32_t me = (uint32_t)getpid();

	crowd_arrives(7, NO_OTHER_TURN);
	processes__sample_arrived(all, me, 8, NO_OTHER_TURN, NO_OTHER_TURN);
	cr_expect(located(me, NO_OTHER_TURN));
}

Test(processes, a_reading_after_an_exec_is_void_before_it)
{
	uint32_t me = (uint32_t)getpid();
	struct life exec = {.kind = LIFE_EXEC, .tgid = me, .tid = me, .time = 500};

	processes__sample_arrived(all, me, 0, 1000, 1000);
	processes__life_arrived(all, &exec);
	cr_expect(!located(me, 400), "what ran at 400 was another program");
	cr_expect(located(me, 600));
}

Test(processes, a_reading_before_an_exec_holds_until_it)
{
	uint32_t me = (uint32_t)getpid();
	struct life exec = {.kind = LIFE_EXEC, .tgid = me, .tid = me, .time = 500};

	processes__sample_arrived(all, me, 0, 300, 300);
	processes__life_arrived(all, &exec);
	cr_expect(located(me, 400));
}

Test(processes, a_second_sample_reads_nothing_again)
{
	uint32_t me = (uint32_t)getpid();
	uint64_t before;

	processes__sample_arrived(all, me, 0, 300, 300);
	before = generation(me, 250);
	processes__sample_arrived(all, me, 0, 400, 400);
	cr_expect_eq(generation(me, 350), before);
}

Test(processes, a_child_of_one_nobody_had_looked_at_runs_its_parents_mappings)
{
	forked((uint32_t)getpid(), A, 100);
	cr_expect(located(A, 200));
	cr_expect_eq(locate(A, 200, 0x10).kind, FRAME_UNKNOWN);
}

Test(processes, even_if_it_execs_later)
{
	struct life exec = {.kind = LIFE_EXEC, .tgid = A, .tid = A, .time = 500};

	processes__life_arrived(all, &exec);
	forked((uint32_t)getpid(), A, 100);
	cr_expect(located(A, 200));
}

/* Disabled until user/proc forgets the parent at exec: process__look_back falls back on it. */
Test(processes, but_not_after_its_exec)
{
	struct life exec = {.kind = LIFE_EXEC, .tgid = A, .tid = A, .time = 500};

	processes__life_arrived(all, &exec);
	forked((uint32_t)getpid(), A, 100);
	cr_expect(located(A, 200));
	processes__life(all, &exec);
	cr_expect(!located(A, 600));
}

Test(processes, nor_after_its_parent_execed)
{
	uint32_t me = (uint32_t)getpid();
	struct life exec = {.kind = LIFE_EXEC, .tgid = me, .tid = me, .time = 300};

	forked(me, A, 100);
	processes__life_arrived(all, &exec);
	cr_expect(!located(A, 200), "/proc of the parent shows what it runs now");
}

/* A sample of the number's former owner must not be read from /proc of its new one. Disabled until
 * process__look_back compares with covered_from. */
Test(processes, a_sample_before_the_fork_of_its_number_borrows_nothing)
{
	uint32_t me = (uint32_t)getpid();
	struct life fork = {.kind = LIFE_FORK,
			    .tgid = me,
			    .tid = me,
			    .parent_tgid = A,
			    .time = 300};

	processes__life_arrived(all, &fork);
	processes__sample_arrived(all, me, 0, 350, 350);
	cr_expect(!located(me, 200));
}

Test(processes, mappings_that_were_unmapped_do_not_gather)
{
	uint32_t me = (uint32_t)getpid();
	struct life map = {.kind = LIFE_MMAP, .tgid = me, .tid = me, .path = "//anon"};

	processes__sample_arrived(all, me, 0, 1, 1);
	for (uint64_t i = 0; i < 5000; i++) {
		map.time = i;
		map.start = 0x10000 + (i << 12); /* none of them is there */
		map.end = map.start + 0x1000;
		processes__life(all, &map);
	}
	cr_expect_eq(locate(me, 6000, 0x10000).kind, FRAME_UNKNOWN, "the first was forgotten");
	cr_expect_eq(locate(me, 6000, map.start).kind, FRAME_JIT, "the last was not");
	cr_expect(located(me, 6000), "what is there was found again");
}

/* --- records were lost --- */

static void arrive(uint64_t time)
{
	uint32_t me = (uint32_t)getpid();

	processes__sample_arrived(all, me, 0, time, time);
}

/* A program of which one mapping came, and no other. */
static void half_known(uint64_t time)
{
	execed((uint32_t)getpid(), time);
	mapped((uint32_t)getpid(), time, 77);
	cr_expect(!located((uint32_t)getpid(), time));
}

Test(processes, nothing_is_read_again_as_long_as_nothing_was_lost)
{
	half_known(500);
	arrive(700);
	cr_expect(!located((uint32_t)getpid(), 700));
}

Test(processes, what_was_lost_is_read_from_proc)
{
	half_known(500);
	processes__records_lost(all, 600);
	arrive(700);
	cr_expect(!located((uint32_t)getpid(), 650), "not for samples of before");
	cr_expect(located((uint32_t)getpid(), 700));
}

Test(processes, what_was_lost_before_an_exec_does_not_matter)
{
	processes__records_lost(all, 400);
	half_known(500);
	arrive(700);
	cr_expect(!located((uint32_t)getpid(), 700));
}

Test(processes, a_refused_record_is_a_lost_one)
{
	uint32_t me = (uint32_t)getpid();

	half_known(500);
	processes__record_refused(all, &(struct life){.kind = LIFE_MMAP, .tgid = me, .tid = me});
	arrive(700);
	cr_expect(located(me, 700));
}

Test(processes, a_child_has_what_its_parent_lost)
{
	uint32_t me = (uint32_t)getpid();

	execed(A, 500);
	mapped(A, 500, 77);
	processes__records_lost(all, 600);
	forked(A, me, 650);
	arrive(700);
	cr_expect(located(me, 700));
}

Test(processes, what_was_read_again_belongs_behind_the_exec_that_follows)
{
	uint32_t me = (uint32_t)getpid();
	struct life exec = {.kind = LIFE_EXEC, .tgid = me, .tid = me, .time = 800};

	execed(me, 500);
	mapped(me, 510, 77);
	processes__records_lost(all, 600);
	processes__sample_arrived(all, me, 0, 700, 900);
	processes__life_arrived(all, &exec);
	cr_expect(!located(me, 700), "what ran then was another program");
	cr_expect_eq(locate(me, 700, 0x1010).kind, FRAME_FILE);
	processes__life(all, &exec);
	cr_expect(located(me, 850));
	cr_expect_eq(locate(me, 850, 0x1010).kind, FRAME_UNKNOWN);
}

Test(processes, who_has_what_is_known_keeps_its_generation)
{
	uint32_t me = (uint32_t)getpid();
	uint64_t before;

	arrive(300);
	before = generation(me, 300);
	processes__records_lost(all, 400);
	arrive(500);
	cr_expect_eq(generation(me, 500), before);
}

Test(processes, reading_again_has_its_pauses)
{
	uint32_t me = (uint32_t)getpid();

	half_known(500);
	processes__records_lost(all, 600);
	arrive(700);
	mapped(me, 800, 77); /* it isn't there */
	processes__records_lost(all, 900);
	arrive(1000);
	cr_expect_eq(locate(me, 1000, 0x1010).kind, FRAME_FILE, "0.3 us after the last time");
	processes__sample_arrived(all, me, 0, 3000000000, 3000000000);
	cr_expect_eq(locate(me, 3000000000, 0x1010).kind, FRAME_UNKNOWN);
}
