// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Processes by records of their lives. */
#include "processes_by_hand.h"

Test(processes, one_that_nothing_is_known_about)
{
	cr_expect_eq(locate(A, 1, 0x1000).kind, FRAME_UNKNOWN);
	cr_expect_eq(processes__count(all), 1);
	cr_expect_eq(locate(0, 1, 0x1000).kind, FRAME_UNKNOWN, "the idle task");
}

Test(processes, mappings_turn_addresses_into_offsets)
{
	struct frame frame;

	execed(A, 1);
	mapped(A, 2, 77);
	frame = locate(A, 3, 0x1010);
	cr_expect_eq(frame.kind, FRAME_FILE);
	cr_expect_eq(frame.off, 0x410);
	cr_expect_str_eq(files__get(files, frame.file)->path, "/no/such/file");
	cr_expect_eq(locate(A, 3, 0xfff).kind, FRAME_UNKNOWN);
	cr_expect_eq(locate(A, 3, 0x2000).kind, FRAME_UNKNOWN);
}

Test(processes, a_mapping_of_one_that_nobody_asked_about_is_not_kept)
{
	mapped(A, 2, 77);
	cr_expect_eq(processes__count(all), 0);
}

Test(processes, exec_forgets_everything_and_gives_a_new_generation)
{
	uint64_t before;

	execed(A, 1);
	mapped(A, 2, 77);
	before = generation(A, 3);
	cr_expect_eq(generation(A, 4), before, "a sample changes nothing");
	execed(A, 5);
	cr_expect_neq(generation(A, 6), before);
	cr_expect_eq(locate(A, 6, 0x1010).kind, FRAME_UNKNOWN);
}

Test(processes, a_mapping_gives_a_new_generation)
{
	uint64_t before;

	execed(A, 1);
	before = generation(A, 2);
	mapped(A, 3, 77);
	cr_expect_neq(generation(A, 4), before);
}

Test(processes, the_same_mapping_again_gives_none)
{
	uint64_t before;

	execed(A, 1);
	mapped(A, 2, 42);
	before = generation(A, 3);
	mapped(A, 4, 42);
	cr_expect_eq(generation(A, 5), before);
	mapped(A, 6, 43);
	cr_expect_neq(generation(A, 7), before, "another file");
}

Test(processes, no_two_processes_share_a_generation)
{
	execed(A, 1);
	mapped(A, 2, 77);
	forked(A, B, 3);
	cr_expect_neq(generation(A, 4), generation(B, 4));
}

Test(processes, a_child_has_its_parents_mappings_until_either_changes)
{
	execed(A, 1);
	mapped(A, 2, 77);
	forked(A, B, 3);
	cr_expect_eq(locate(B, 4, 0x1010).file, locate(A, 4, 0x1010).file);
	execed(B, 5);
	mapped(B, 6, 78);
	cr_expect_neq(locate(B, 7, 0x1010).file, locate(A, 7, 0x1010).file);
	execed(A, 8);
	cr_expect_eq(locate(A, 9, 0x1010).kind, FRAME_UNKNOWN);
	cr_expect_eq(locate(B, 9, 0x1010).kind, FRAME_FILE);
}

Test(processes, a_new_thread_changes_nothing)
{
	uint64_t before;

	execed(A, 1);
	mapped(A, 2, 77);
	before = generation(A, 3);
	processes__life(all, &(struct life){.kind = LIFE_FORK,
					    .tgid = A,
					    .tid = A + 9,
					    .parent_tgid = A,
					    .time = 4});
	cr_expect_eq(generation(A, 5), before);
	cr_expect_eq(locate(A, 5, 0x1010).kind, FRAME_FILE);
}

Test(processes, a_reused_number_borrows_nothing)
{
	struct frame jit;
	uint64_t before;

	execed(A, 1);
	mapped(A, 2, 0);
	jit = locate(A, 3, 0x1010);
	before = generation(A, 3);
	exited(A, A, 4);
	forked(B, A, 5);
	cr_expect_neq(generation(A, 6), before);
	cr_expect_eq(locate(A, 6, 0x1010).kind, FRAME_UNKNOWN);
	mapped(A, 7, 0);
	cr_assert_eq(jit.kind, FRAME_JIT);
	cr_expect_neq(locate(A, 8, 0x1010).file, jit.file, "anonymous code of another process");
}

Test(processes, anonymous_code_belongs_to_its_process)
{
	struct frame a, b;

	execed(A, 1);
	mapped(A, 2, 0);
	execed(B, 1);
	mapped(B, 2, 0);
	a = locate(A, 3, 0x1010);
	b = locate(B, 3, 0x1010);
	cr_assert_eq(a.kind, FRAME_JIT);
	cr_expect_eq(a.off, 0x1010, "the address itself: perf maps name addresses");
	cr_expect_neq(a.file, b.file);
	cr_expect_eq(locate(A, 4, 0x1020).file, a.file);
}

Test(processes, exited_ones_are_swept_when_they_are_old)
{
	execed(A, 1);
	exited(A, A + 5, 2);
	processes__sweep(all, 1000);
	cr_expect_eq(processes__count(all), 1, "one thread of several");
	exited(A, A, 100);
	generation(A, 90);
	processes__sweep(all, 100);
	cr_expect_eq(processes__count(all), 1, "not yet old enough");
	processes__sweep(all, 101);
	cr_expect_eq(processes__count(all), 0);
}

Test(processes, samples_keep_an_exited_one)
{
	execed(A, 1);
	exited(A, A, 2);
	generation(A, 500);
	processes__sweep(all, 400);
	cr_expect_eq(processes__count(all), 1);
	processes__sweep(all, 501);
	cr_expect_eq(processes__count(all), 0);
}

Test(processes, who_still_exists_is_not_swept)
{
	uint32_t me = (uint32_t)getpid();

	execed(me, 1);
	exited(me, me, 2); /* its leader ended, other threads go on */
	processes__sweep(all, 1000);
	cr_expect_eq(processes__count(all), 1);
}

Test(processes, who_is_not_reaped_is_looked_for_seldom)
{
	const uint64_t second = 1000000000;
	pid_t zombie = fork();

	if (zombie == 0)
		_exit(0);
	waitid(P_PID, (id_t)zombie, NULL, WEXITED | WNOWAIT);
	execed((uint32_t)zombie, 1);
	exited((uint32_t)zombie, (uint32_t)zombie, 2);
	processes__sweep(all, second);
	waitpid(zombie, NULL, 0);
	processes__sweep(all, second + second / 20);
	cr_expect_eq(processes__count(all), 1, "was there just before");
	processes__sweep(all, 2 * second);
	cr_expect_eq(processes__count(all), 0, "looked at again");
}

Test(processes, lost_exits_are_found)
{
	uint32_t me = (uint32_t)getpid();

	execed(me, 1);
	for (uint32_t i = 0; i < 5000; i++)
		execed(0x70000000 + i, 1);
	execed(0x70000000, 3000);
	generation(0x70000001, 3000);
	processes__sweep(all, 2000);
	cr_expect_eq(processes__count(all), 3, "those that exist, or of which something is new");
}

Test(processes, lost_exits_of_few_are_found_later)
{
	uint64_t minute = 60000000000ULL;

	execed((uint32_t)getpid(), 1);
	execed(0x70000000, 1);
	processes__sweep(all, 2000);
	cr_expect_eq(processes__count(all), 2, "not yet");
	processes__sweep(all, minute);
	cr_expect_eq(processes__count(all), 1);
}

Test(processes, their_files_are_kept)
{
	uint32_t file, jit;

	execed(A, 1);
	mapped(A, 2, 42);
	file = locate(A, 3, 0x1000).file;
	mapped(A, 4, 0);
	jit = locate(A, 5, 0x1000).file;
	execed(B, 1);
	mapped(B, 2, 42);
	files__elf(files, &(struct mapped_file){.inode = 99, .path = "/unused"},
		   &(struct fair_who){1, 1});
	processes__keep_files(all);
	files__sweep(files);
	cr_expect_eq(files__known(files), 2);
	cr_expect_not_null(files__get(files, file));
	cr_expect_not_null(files__get(files, jit));
}
