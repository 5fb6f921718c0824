// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A recording that is cut is the same recording: samples by hand. */
#include "address_room.h"
#include "assembly_cut.h"

static const char *comm = "program";
static uint64_t cgroup;

static void sample(uint64_t time, uint64_t weight, uint8_t user_end, uint64_t user_stack)
{
	struct pmb_sample s = {
		.rec = {.type = PMB_REC_SAMPLE, .size = sizeof(s), .time = time},
		.tgid = APART,
		.tid = APART,
		.ip = 0x1000,
		.weight = weight,
		.user_end = user_end,
		.user_stack = user_stack,
		.cgroup = cgroup,
	};

	memcpy(s.comm, comm, strlen(comm));
	assembly__record(&assembly, &s, sizeof(s));
}

static void dump(uint64_t time, uint64_t id)
{
	hand_dump(time, id, 0x1000);
}

static uint64_t forgotten;

static void forget(void *ctx, uint64_t id)
{
	(void)ctx;
	forgotten = id;
}

static void stack(uint64_t time, uint64_t id)
{
	hand_stack(time, id, 0x1000);
}

static void part__done(struct assembled *part)
{
	profile__free(part->profile);
	ledger__done(&part->books);
}

Test(assembly, what_is_younger_than_the_boundary_is_carried_over)
{
	struct assembled first, second;

	sample(10, 3, PMB_END_NONE, 0);
	sample(20, 5, PMB_END_NONE, 0);
	first = assembly__cut(&assembly, 15);
	ledger__count_rows(&first.books, first.profile);
	expect_to_balance(&first.books);
	cr_expect_eq(first.books.events[0].aggregated, 1);
	cr_expect_eq(first.books.events[0].out.held, 1);
	cr_expect_eq(first.books.events[0].out.weight_held, 5);
	second = assembly__cut(&assembly, 25);
	ledger__count_rows(&second.books, second.profile);
	expect_to_balance(&second.books);
	cr_expect_eq(second.books.events[0].decoded, 0);
	cr_expect_eq(second.books.events[0].in.held, 1);
	cr_expect_eq(second.books.events[0].weight, 5);
	cr_expect_eq(second.books.events[0].out.held, 0);
	ledger__follow(&first.books, &second.books);
	cr_expect_eq(first.books.events[0].out.held, 0);
	cr_expect_eq(first.books.events[0].weight, 8);
	part__done(&first);
	part__done(&second);
}

/* Nothing more is given, for a moment. */
static void run_short(void)
{
	struct rlimit before;

	mem_hold();
	cr_assert_eq(getrlimit(RLIMIT_AS, &before), 0);
	bound_address_room(0);
	while (mem_state() == MEM_HELD)
		xcalloc(1, 1 << 20);
	cr_assert_eq(setrlimit(RLIMIT_AS, &before), 0);
}

Test(assembly, samples_are_left_out_while_memory_is_refused, .disabled = NEVER_SHORT)
{
	struct assembly_fns with_forget = fns;
	struct assembled part;

	with_forget.forget_stack = forget;
	assembly.opts.fns = &with_forget;
	sample(10, 3, PMB_END_NONE, 0);
	run_short();
	stack(11, 77);
	dump(12, 78);
	sample(13, 5, PMB_END_COMPLETE, 77);
	cr_expect_eq(forgotten, 77, "the kernel side takes it for sent");
	assembly__shrink(&assembly);
	mem_hold();
	sample(14, 7, PMB_END_NONE, 0);
	part = assembly__cut(&assembly, 20);
	ledger__count_rows(&part.books, part.profile);
	expect_to_balance(&part.books);
	cr_expect_eq(part.books.events[0].no_memory, 1);
	cr_expect_eq(part.books.events[0].weight_no_memory, 5);
	cr_expect_eq(part.books.events[0].aggregated, 2);
	cr_expect_eq(part.books.events[0].weight, 10);
	cr_expect_eq(part.books.stacks_received, 1);
	cr_expect_eq(part.books.stack_dumps_received, 1);
	cr_expect_eq(assembly.dumps.refused, 1);
	part__done(&part);
}

static void forgets_none(void *ctx, uint64_t id)
{
	(void)ctx;
	cr_expect_neq(id, 1, "the cgroup of a sample that waits is forgotten");
	cr_expect_neq(id, 2, "the cgroup of a row is forgotten");
	cr_expect_neq(id, 4, "the cgroup of a sample that isn't accounted yet is forgotten");
}

Test(assembly, a_cgroup_is_known_as_long_as_a_row_or_one_that_waits_is_of_it)
{
	struct cgroups *cgroups = cgroups__new(NULL);
	struct assembled part;

	assembly.opts.labels |= LABEL_CGROUP;
	for (uint64_t id = 1; id <= 4; id++)
		cgroups__meet(cgroups, id, 0);
	dump(10, 77);
	cgroup = 1;
	sample(10, 3, PMB_END_NO_TABLE, 77);
	part = assembly__cut(&assembly, 15);
	cgroup = 2;
	sample(20, 5, PMB_END_NONE, 0);
	assembly__settle(&assembly, 25);
	cgroup = 4;
	sample(30, 7, PMB_END_NONE, 0);
	assembly__keep_cgroups(&assembly, cgroups);
	cgroups__sweep(cgroups, forgets_none, NULL);
	cr_expect_eq(cgroups__count(cgroups), 3);
	cgroup = 0;
	part__done(&part);
	cgroups__free(cgroups);
}

/* From where the recording began, in steps. */
Test(assembly, moments_are_steps_of_the_timeline)
{
	static const uint64_t times[] = {90, 100, 109, 110, 149};
	const struct profile_row *rows;
	struct assembled part;

	assembly.opts.labels |= LABEL_TIME;
	assembly.opts.grid_ns = 10;
	assembly__start_timeline(&assembly, 100);
	for (size_t i = 0; i < ARRAY_SIZE(times); i++)
		sample(times[i], 1, PMB_END_NONE, 0);
	part = assembly__cut(&assembly, 200);
	cr_assert_eq(profile__rows(part.profile, &rows), 3, "what is of one step is one row");
	cr_expect_eq(profile__label_set(part.profile, rows[0].key.labels).moment, 1);
	cr_expect_eq(rows[0].samples, 3);
	cr_expect_eq(profile__label_set(part.profile, rows[2].key.labels).moment, 5);
	part__done(&part);
}

/* "[other]" as a command is what there was no room for; "swapper" is the tool's word for the idle
 * tasks alone. */
Test(assembly, a_command_that_calls_itself_as_the_tool_does_is_in_quotes)
{
	struct assembled part;
	const struct profile_row *rows;

	comm = "[other]";
	sample(5, 1, PMB_END_NONE, 0);
	comm = "[not named: no ";
	sample(6, 1, PMB_END_NONE, 0);
	comm = "x[other]";
	sample(7, 1, PMB_END_NONE, 0);
	part = assembly__cut(&assembly, 15);
	cr_assert_eq(profile__rows(part.profile, &rows), 3);
	cr_expect_str_eq(profile__comm_text(part.profile, rows[0].key.comm), "'[other]'");
	cr_expect_str_eq(profile__comm_text(part.profile, rows[1].key.comm), "'[not named: no '");
	cr_expect_str_eq(profile__comm_text(part.profile, rows[2].key.comm), "x[other]");
	part__done(&part);
}

static void sample_beside(uint64_t time, enum pmb_sibling_who who, const char *beside)
{
	struct {
		struct pmb_sample fixed;
		struct pmb_part_sibling part;
	} s = {
		.fixed = {.rec = {.type = PMB_REC_SAMPLE,
				  .size = sizeof(s),
				  .parts = 1,
				  .time = time},
			  .tgid = APART,
			  .tid = APART,
			  .ip = 0x1000,
			  .weight = 1,
			  .user_end = PMB_END_NONE},
		.part = {.part = {.size = sizeof(s.part), .type = PMB_PART_SIBLING}, .who = who},
	};

	memcpy(s.part.comm, beside, strlen(beside));
	assembly__record(&assembly, &s, sizeof(s));
}

/* A program that calls itself as an idle CPU does is none, and 16 characters are a whole name. */
Test(assembly, who_had_the_other_thread_of_the_core)
{
	static const char *const texts[] = {
		"", "[idle]", "[kernel threads]", "[same process]", "'[idle]'", "sixteen-bytes-ab"};
	const struct profile_row *rows;
	struct assembled part;

	for (int labelled = 0; labelled < 2; labelled++) {
		assembly.opts.labels |= labelled ? LABEL_SIBLING : 0;
		sample_beside(1, PMB_SIBLING_NONE, "");
		sample_beside(2, PMB_SIBLING_IDLE, "");
		sample_beside(3, PMB_SIBLING_KERNEL, "");
		sample_beside(4, PMB_SIBLING_SAME, "");
		sample_beside(5, PMB_SIBLING_OTHER, "[idle]");
		sample_beside(6, PMB_SIBLING_OTHER, "sixteen-bytes-ab");
		part = assembly__cut(&assembly, 15);
		cr_assert_eq(profile__rows(part.profile, &rows), labelled ? ARRAY_SIZE(texts) : 1);
		for (size_t i = 0; labelled && i < ARRAY_SIZE(texts); i++) {
			struct profile_labels set =
				profile__label_set(part.profile, rows[i].key.labels);

			cr_expect_str_eq(set.sibling, texts[i]);
		}
		part__done(&part);
	}
}

/* Comm, kernel stack and labels of one that waits are in the profile that has gone. */
Test(assembly, one_that_waits_for_a_table_is_of_the_part_in_which_it_comes)
{
	struct assembled first, second;
	const struct profile_row *rows;
	const uint32_t *frames;

	sample(5, 1, PMB_END_NONE, 0);
	dump(10, 77);
	comm = "waits";
	sample(10, 3, PMB_END_NO_TABLE, 77);
	first = assembly__cut(&assembly, 15);
	cr_expect_eq(profile__rows(first.profile, &rows), 1);
	cr_expect_eq(first.books.events[0].out.held, 1);
	part__done(&first);
	comm = "third";
	sample(20, 5, PMB_END_NONE, 0);
	table_is_there = true;
	assembly__settle(&assembly, 25);
	assembly__retry(&assembly, false);
	second = assembly__cut(&assembly, 25);
	ledger__count_rows(&second.books, second.profile);
	expect_to_balance(&second.books);
	cr_assert_eq(profile__rows(second.profile, &rows), 2);
	cr_expect_str_eq(profile__comm_text(second.profile, rows[1].key.comm), "waits");
	cr_expect_eq(profile__stack_frames(second.profile, rows[1].key.user_stack, &frames), 2);
	cr_expect_eq(profile__label_set(second.profile, rows[1].key.labels).tgid, APART);
	cr_expect_eq(second.books.user_statuses[PMB_END_COMPLETE], 1);
	part__done(&second);
}

Test(assembly, one_whose_table_never_comes_is_accounted_as_it_is)
{
	struct assembled first, second;

	dump(10, 77);
	sample(10, 3, PMB_END_NO_TABLE, 77);
	first = assembly__cut(&assembly, 15);
	table_will_never_be = true;
	assembly__retry(&assembly, false);
	second = assembly__cut(&assembly, UINT64_MAX);
	cr_expect_eq(second.books.events[0].aggregated, 1);
	cr_expect_eq(second.books.events[0].out.held, 0);
	cr_expect_eq(second.books.user_statuses[PMB_END_NO_TABLE], 1);
	part__done(&first);
	part__done(&second);
}

static void life(enum life_kind kind, uint32_t parent, uint32_t tgid, uint64_t start)
{
	assembly__life(&assembly, &(struct life){.kind = kind,
						 .tgid = tgid,
						 .tid = tgid,
						 .parent_tgid = parent,
						 .time = 100,
						 .start = start << 12,
						 .end = (start + 1) << 12,
						 .path = "/lib/libsome.so"});
}

/* 2,000 children of one program, of which each has no more than who starts: what begins in another
 * cgroup meanwhile is known all the same. */
Test(assembly, a_cgroup_of_many_processes_leaves_room_for_others)
{
	enum { CHILDREN = 2000, MAPPINGS = 20, INNOCENT = APART + CHILDREN + 1 };
	const struct mappings *maps;
	struct assembled part;
	uint64_t refused;

	cgroup = 7;
	sample(50, 1, PMB_END_NONE, 0);
	cgroup = 0;
	for (uint32_t i = 1; i <= CHILDREN; i++)
		life(LIFE_FORK, APART, APART + i, 0);
	for (uint64_t k = 1; k <= MAPPINGS; k++) {
		for (uint32_t i = 1; i <= CHILDREN; i++)
			life(LIFE_MMAP, 0, APART + i, 2 * k);
	}
	refused = assembly.books.sideband_refused;
	cr_expect_gt(refused, 0);
	cr_expect_gt(assembly.books.sideband_refused_of_cgroup, 0);
	life(LIFE_EXEC, 0, INNOCENT, 0);
	for (uint64_t k = 1; k <= MAPPINGS; k++)
		life(LIFE_MMAP, 0, INNOCENT, 2 * k);
	cr_expect_eq(assembly.books.sideband_refused, refused);
	assembly__settle(&assembly, 200);
	maps = process__mappings(processes__get(assembly.processes, INNOCENT, 200));
	cr_expect_eq(mappings__count(maps), MAPPINGS);
	part = assembly__cut(&assembly, 300);
	part__done(&part);
}

Test(assembly, a_part_in_which_nothing_happened)
{
	struct assembled part = assembly__cut(&assembly, 15);
	const struct profile_row *rows;

	cr_expect_eq(profile__rows(part.profile, &rows), 0);
	expect_to_balance(&part.books);
	part__done(&part);
}
