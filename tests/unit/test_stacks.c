// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>

#include "base/mem.h"
#include "assemble/stacks.h"

static struct files *files;
static struct processes *processes;
static struct profile *profile;
static struct raw_stacks raw;

static void begin(void)
{
	files = files__new(NULL);
	processes = processes__new(files);
	profile = profile__new();
}

static void end(void)
{
	raw_stacks__done(&raw);
	profile__free(profile);
	processes__free(processes);
	files__free(files);
}

TestSuite(stacks, .init = begin, .fini = end);

enum { TGID = 0x7ffffff0 }; /* no such process: /proc has nothing to tell */

#define ADD(id, ...) add(id, (uint64_t[]){__VA_ARGS__}, sizeof((uint64_t[]){__VA_ARGS__}) / 8)
static void add(uint64_t id, const uint64_t *frames, size_t n)
{
	struct pmb_stack stack = {.id = id, .n = (uint32_t)n};

	for (size_t i = 0; i < n; i++)
		stack.frames[i] = frames[i];
	raw_stacks__add(&raw, &stack);
}

static void mapped(uint32_t tgid, uint64_t time, uint64_t inode)
{
	processes__life(processes, &(struct life){.kind = LIFE_EXEC, .tgid = tgid, .time = time});
	processes__life(processes, &(struct life){.kind = LIFE_MMAP,
						  .tgid = tgid,
						  .time = time,
						  .start = 0x1000,
						  .end = 0x2000,
						  .file_off = 0x500,
						  .inode = inode,
						  .path = "/no/such/file"});
}

static uint32_t resolve(uint64_t id, uint32_t tgid)
{
	struct process *process = tgid ? processes__get(processes, tgid, 100) : NULL;

	return raw_stacks__resolve(&raw, id, profile, processes, process);
}

/* frame `at` of a stack of the profile */
static struct frame frame_of(uint32_t stack, uint32_t at)
{
	const struct frame *frames;
	const uint32_t *ids;

	cr_assert_lt(at, profile__stack_frames(profile, stack, &ids));
	profile__frames(profile, &frames);
	return frames[ids[at]];
}

static uint32_t depth(uint32_t stack)
{
	const uint32_t *ids;

	return profile__stack_frames(profile, stack, &ids);
}

Test(stacks, an_unknown_id_is_no_stack)
{
	cr_expect_eq(resolve(1, 0), 0, "nothing was added yet");
	ADD(7, 0x10);
	cr_expect_eq(resolve(1, 0), 0);
	cr_expect_eq(resolve(0, 0), 0);
	cr_expect_eq(resolve(1, TGID), 0);
}

Test(stacks, return_addresses_point_at_their_calls)
{
	uint32_t stack;

	mapped(TGID, 1, 42);
	ADD(9, 0x1100, 0x1200, 0x1000);
	stack = resolve(9, TGID);
	cr_assert_eq(depth(stack), 3);
	cr_expect_eq(frame_of(stack, 0).kind, FRAME_FILE);
	cr_expect_eq(frame_of(stack, 0).off, 0x600, "the interrupted instruction is meant itself");
	cr_expect_eq(frame_of(stack, 1).off, 0x6ff);
	cr_expect_eq(frame_of(stack, 2).kind, FRAME_UNKNOWN,
		     "the call before the mapping's first byte is not in it");
}

Test(stacks, kernel_addresses_stay)
{
	uint32_t stack;

	ADD(9, 0xffffffff81000010, 0xffffffff81000020);
	stack = resolve(9, 0);
	cr_assert_eq(depth(stack), 2);
	cr_expect_eq(frame_of(stack, 0).kind, FRAME_KERNEL);
	cr_expect_eq(frame_of(stack, 0).off, 0xffffffff81000010);
	cr_expect_eq(frame_of(stack, 1).off, 0xffffffff8100001f);
	cr_expect_eq(resolve(9, 0), stack);
}

Test(stacks, a_stack_sent_twice_is_kept_once)
{
	ADD(9, 0xffffffff81000010);
	ADD(9, 0xffffffff81000010);
	cr_expect_eq(raw.n, 1);
	cr_expect_neq(resolve(9, 0), 0);
}

Test(stacks, id_zero_is_refused)
{
	ADD(0, 0xffffffff81000010);
	cr_expect_eq(raw.n, 0);
	cr_expect_eq(resolve(0, 0), 0);
}

Test(stacks, an_empty_stack_is_none)
{
	ADD(8, 0xffffffff81000010);
	add(9, NULL, 0);
	cr_expect_eq(resolve(9, 0), 0);
}

/* Disabled until raw_stacks__add copies nothing to nowhere (memcpy to NULL, UBSan) or the decoder
 * rejects stacks without frames. */
Test(stacks, an_empty_stack_may_be_the_first)
{
	add(9, NULL, 0);
	cr_expect_eq(resolve(9, 0), 0);
}

Test(stacks, other_mappings_are_another_answer)
{
	uint32_t before, after;

	mapped(TGID, 1, 42);
	ADD(9, 0x1100);
	before = resolve(9, TGID);
	cr_expect_eq(resolve(9, TGID), before);
	mapped(TGID, 2, 43); /* exec: another file at the same place */
	after = resolve(9, TGID);
	cr_expect_neq(after, before);
	cr_expect_neq(frame_of(after, 0).file, frame_of(before, 0).file);
	cr_expect_eq(frame_of(after, 0).off, frame_of(before, 0).off);
}

Test(stacks, a_stack_before_its_mappings_is_resolved_again)
{
	uint32_t before;

	ADD(9, 0x1100);
	before = resolve(9, TGID);
	cr_expect_eq(frame_of(before, 0).kind, FRAME_UNKNOWN);
	mapped(TGID, 1, 42);
	cr_expect_eq(frame_of(resolve(9, TGID), 0).kind, FRAME_FILE);
}

Test(stacks, one_file_at_different_addresses_is_one_stack)
{
	mapped(TGID, 1, 42);
	processes__life(processes, &(struct life){.kind = LIFE_EXEC, .tgid = TGID + 1, .time = 1});
	processes__life(processes, &(struct life){.kind = LIFE_MMAP,
						  .tgid = TGID + 1,
						  .time = 1,
						  .start = 0x701000,
						  .end = 0x702000,
						  .file_off = 0x500,
						  .inode = 42,
						  .path = "/no/such/file"});
	ADD(9, 0x1100, 0x1200);
	ADD(10, 0x701100, 0x701200);
	cr_expect_eq(resolve(9, TGID), resolve(10, TGID + 1), "address randomisation doesn't show");
}

static uint64_t clock_ns;
static uint64_t tick(void)
{
	return clock_ns++;
}

/* What the kernel side was told to forget. */
static uint64_t forgotten[64];
static size_t n_forgotten;
static void note(void *ctx, uint64_t id)
{
	(void)ctx;
	forgotten[n_forgotten++ % 64] = id;
}

static void add_at(uint64_t id, uint64_t time)
{
	struct pmb_stack stack = {.rec.time = time, .id = id, .n = 1};

	stack.frames[0] = 0x8000000000000000 + id;
	raw_stacks__add(&raw, &stack);
}

enum { SECOND = 1000000000 };

/* Four stacks, sent long ago; a first choice is over. */
static void four(void)
{
	clock_ns = SECOND;
	for (uint64_t id = 1; id <= 4; id++)
		add_at(id, 1);
	raw_stacks__forget(&raw, tick, note, NULL);
	for (uint64_t id = 1; id <= 4; id++)
		add_at(id, clock_ns); /* all were met again */
	raw_stacks__drop(&raw, clock_ns);
	cr_assert_eq(raw.n, 4);
	n_forgotten = 0;
	clock_ns = 5 * (uint64_t)SECOND;
}

Test(stacks, what_no_sample_names_goes_when_earlier_samples_are_through)
{
	four();
	resolve(2, 0);
	raw_stacks__forget(&raw, tick, note, NULL);
	cr_expect_eq(n_forgotten, 3, "1, 3 and 4");
	raw_stacks__drop(&raw, clock_ns - 2);
	cr_expect_eq(raw.n, 4, "a sample of before may still come");
	cr_expect_neq(resolve(3, 0), 0);
	raw_stacks__drop(&raw, clock_ns);
	cr_expect_eq(raw.n, 1);
	cr_expect_eq(raw.dropped, 3);
	cr_expect_neq(resolve(2, 0), 0);
	cr_expect_eq(resolve(3, 0), 0);
	add_at(3, clock_ns);
	cr_expect_eq(frame_of(resolve(3, 0), 0).off, 0x8000000000000003, "it comes back");
}

Test(stacks, what_is_sent_again_meanwhile_stays)
{
	four();
	raw_stacks__forget(&raw, tick, note, NULL);
	cr_expect_eq(n_forgotten, 4);
	add_at(3, clock_ns + 1);
	raw_stacks__drop(&raw, clock_ns);
	cr_expect_eq(raw.n, 1);
	cr_expect_neq(resolve(3, 0), 0);
}

Test(stacks, a_run_that_may_not_have_remembered_yet_keeps_its_stack)
{
	four();
	add_at(5, clock_ns - 1000);
	raw_stacks__forget(&raw, tick, note, NULL);
	raw_stacks__drop(&raw, clock_ns);
	cr_expect_neq(resolve(5, 0), 0);
}

Test(stacks, when_nearly_all_are_in_use_all_are_sent_again)
{
	four();
	for (uint64_t id = 1; id <= 3; id++)
		resolve(id, 0);
	raw_stacks__forget(&raw, tick, note, NULL);
	cr_expect_eq(n_forgotten, 4);
	raw_stacks__drop(&raw, clock_ns);
	cr_expect_eq(raw.n, 0);
}

Test(stacks, one_choice_at_a_time)
{
	raw.limit = 100;
	cr_expect(!raw_stacks__full(&raw));
	four();
	cr_expect(raw_stacks__full(&raw));
	raw_stacks__forget(&raw, tick, note, NULL);
	cr_expect(!raw_stacks__full(&raw));
	raw_stacks__drop(&raw, clock_ns);
	cr_expect_eq(raw.n_words, 0);
	raw.limit = raw_stacks__bytes(&raw); /* of the least number of slots */
	cr_expect(!raw_stacks__full(&raw));
}

Test(stacks, dropping_never_mixes_them_up)
{
	enum { N = 3000 };
	uint64_t state = 7;

	for (uint64_t round = 1; round < 30; round++) {
		clock_ns = round * SECOND;
		for (uint64_t id = 1; id <= N; id++) {
			state = state * 6364136223846793005 + 1442695040888963407;
			if (state >> 63)
				add_at(id, clock_ns - SECOND / 2);
		}
		for (uint64_t id = round; id <= N; id += 3)
			resolve(id, 0);
		raw_stacks__forget(&raw, tick, note, NULL);
		raw_stacks__drop(&raw, clock_ns);
		for (uint64_t id = 1; id <= N; id++) {
			uint64_t leaf = raw_stacks__leaf(&raw, id);

			cr_assert(!leaf || leaf == 0x8000000000000000 + id);
		}
	}
	cr_expect_gt(raw.dropped, N);
}

Test(stacks, new_numbers_of_the_profile_are_asked_for)
{
	uint32_t before, after;

	ADD(9, 0xffffffff81000010);
	profile__stack(profile, (uint32_t[]){0}, 1);
	before = resolve(9, 0);
	profile__free(profile);
	profile = profile__new();
	raw_stacks__renumbered(&raw);
	after = resolve(9, 0);
	cr_expect_neq(before, after);
	cr_expect_eq(frame_of(after, 0).off, 0xffffffff81000010);
}

Test(stacks, many)
{
	for (uint64_t id = 1; id <= 20000; id++)
		ADD(id << 20, 0x8000000000000000 + id, 0x8000000000000001);
	cr_expect_eq(raw.n, 20000);
	for (uint64_t id = 1; id <= 20000; id++)
		cr_assert_eq(frame_of(resolve(id << 20, 0), 0).off, 0x8000000000000000 + id);
	cr_expect_eq(resolve(20001ULL << 20, 0), 0);
}
