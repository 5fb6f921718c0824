// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A recording that is cut is the same recording: a stored stream (tests/bench/stream.h), and
 * samples by hand. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "../bench/stream.h"
#include "address_room.h"
#include "assembly_by_hand.h"
#include "base/mem.h"
#include "prof/merge.h"
#include "prof/recorded.h"
#include "render/folded.h"
#include "sym/texts.h"

static bool table_will_never_be;

/* A walk that ends in the frame of the caller, once the table is there. */
static enum pmb_unwind_status walk(void *ctx, const struct mappings *maps,
				   const struct pmb_stack_dump *dump, uint64_t cgroup,
				   struct late_stack *ret)
{
	(void)ctx, (void)maps, (void)cgroup;
	ret->n = 1;
	ret->frames[0] = dump->frames[0];
	ret->missing = !table_is_there && !table_will_never_be;
	if (!table_is_there)
		return PMB_END_NO_TABLE;
	ret->frames[ret->n++] = 0x2000;
	return PMB_END_COMPLETE;
}

static bool still_awaits(void *ctx, uint32_t file)
{
	return awaits_table(ctx, file) && !table_will_never_be;
}

static const struct assembly_fns fns = {
	.now = now,
	.may_be_sampled = everybody,
	.is_idle = no_idle_loop,
};
static const struct assembly_tables tables = {.walk = walk, .awaits = still_awaits};

static void begin(void)
{
	files = files__new(NULL);
	assembly__init(&assembly, &(struct assembly_opts){
					  .fns = &fns,
					  .tables = &tables,
					  .n_events = 2,
					  .labels = LABEL_PID | LABEL_CPU | LABEL_UNWIND_STATUS,
					  .n_cpus = 64,
					  .files = files,
				  });
}

static void end(void)
{
	assembly__done(&assembly);
	files__free(files);
	table_is_there = table_will_never_be = false;
}

TestSuite(assembly, .init = begin, .fini = end);

/* All columns that the assembly fills in. */
static struct ledger_event columns_of(const struct ledger_event *e)
{
	return (struct ledger_event){
		.decoded = e->decoded,
		.weight_decoded = e->weight_decoded,
		.foreign = e->foreign,
		.weight_foreign = e->weight_foreign,
		.aggregated = e->aggregated,
		.weight = e->weight,
		.in_rows = e->in_rows,
		.weight_in_rows = e->weight_in_rows,
		.in = e->in,
		.out = e->out,
	};
}

/* What the kernel side would have counted, so that the law of all columns can be asked for. */
static void expect_to_balance(struct ledger *books)
{
	struct buf remarks = {0};

	for (size_t i = 0; i < books->n_events; i++) {
		struct ledger_event *e = &books->events[i];

		e->name = "event";
		e->kernel.seen = e->kernel.emitted = e->decoded;
		e->kernel.weight_seen = e->kernel.weight_emitted = e->weight_decoded;
		cr_expect(ledger_event__columns(e, &remarks), "%s", remarks.data);
	}
	buf__done(&remarks);
}

/* --- the stored stream --- */

/* The sum of parts. */
struct sum {
	struct prof *prof;
	struct profile *profile;
	struct ledger books;
	size_t n_parts;
	uint64_t most_held;
};

static struct prof *named(const struct profile *profile)
{
	static const struct measure measures[2] = {{.unit = NUMBER_TIME, .is_time = true},
						   {.unit = NUMBER_EVENTS}};
	static const char *const events[] = {"cpu-clock", "other"};
	const struct frame *frames;
	struct names names = {.n = profile__frames(profile, &frames), .texts = texts__new(0)};
	const struct recorded recorded = {
		.profile = profile,
		.files = files,
		.names = &names,
		.measures = measures,
		.events = events,
		.n_events = 2,
	};
	struct prof *prof;

	names.locations = xcalloc(names.n, sizeof(*names.locations));
	for (size_t i = 0; i < names.n; i++) {
		char *text = xasprintf("f%u+%lx", frames[i].file, (unsigned long)frames[i].off);

		names.locations[i].frame.name = texts__add(names.texts, text, strlen(text));
		names.locations[i].vaddr = frames[i].off;
		free(text);
	}
	prof = prof__recorded(&recorded);
	names__done(&names);
	return prof;
}

static void add_part(struct sum *sum, uint64_t boundary)
{
	struct assembled part = assembly__cut(&assembly, boundary);
	struct prof *prof = named(part.profile);
	struct err err = {0};

	ledger__count_rows(&part.books, part.profile);
	expect_to_balance(&part.books);
	if (part.books.events[0].out.held > sum->most_held)
		sum->most_held = part.books.events[0].out.held;
	if (!sum->n_parts++) {
		*sum = (struct sum){prof, part.profile, part.books, 1, sum->most_held};
		return;
	}
	cr_assert_eq(prof__merge(&sum->prof, prof, "a part", &err), 0);
	profile__merge(sum->profile, part.profile);
	ledger__follow(&sum->books, &part.books);
	prof__free(prof);
	profile__free(part.profile);
	ledger__done(&part.books);
}

static void sum__done(struct sum *sum)
{
	prof__free(sum->prof);
	profile__free(sum->profile);
	ledger__done(&sum->books);
}

static char *folded(const struct prof *prof)
{
	const struct format_opts opts = {.unit = -1};
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	folded__write(f, prof, &opts);
	fclose(f);
	return text;
}

static void read_stream(struct buf *stream)
{
	gzFile file = gzopen(STREAM, "rb");
	char chunk[65536];
	int n;

	cr_assert(file);
	while ((n = gzread(file, chunk, sizeof(chunk))) > 0)
		buf__add(stream, chunk, (size_t)n);
	gzclose(file);
}

static void play(const struct stream_head *head)
{
	union {
		struct pmb_rec rec;
		struct pmb_stack stack;
		struct pmb_sample sample;
		struct life life;
		uint8_t bytes[16384];
	} record;

	if (head->size > sizeof(record))
		return;
	memcpy(&record, head + 1, head->size);
	if (head->kind == STREAM_LIFE) {
		record.life.path = (const char *)(&record.life + 1);
		record.life.tgid += APART;
		record.life.tid += APART;
		record.life.parent_tgid += APART;
		assembly__life(&assembly, &record.life);
		return;
	}
	if (record.rec.type == PMB_REC_STACK && record.stack.tgid)
		record.stack.tgid += APART;
	else if (record.rec.type == PMB_REC_SAMPLE && record.sample.tgid)
		record.sample.tgid += APART;
	assembly__record(&assembly, &record, record.rec.size);
}

/* Cuts after every so many rounds; 0: at the end alone. */
static struct sum play_all(size_t every)
{
	struct buf stream = {0};
	const struct stream_head *head, *last;
	struct sum sum = {0};
	size_t rounds = 0;

	read_stream(&stream);
	last = (const void *)(stream.data + stream.len);
	for (head = (const void *)stream.data; head < last;
	     head = (const void *)((const uint8_t *)(head + 1) + head->size)) {
		uint64_t horizon;

		if (head->kind != STREAM_ROUND) {
			play(head);
			continue;
		}
		horizon = *(const uint64_t *)(head + 1);
		assembly__settle(&assembly, horizon);
		assembly__tidy(&assembly, horizon);
		if (every && ++rounds % every == 0)
			add_part(&sum, horizon);
	}
	add_part(&sum, UINT64_MAX);
	buf__done(&stream);
	return sum;
}

static void expect_the_same(size_t every)
{
	struct sum whole = play_all(0), cut;
	char *a = folded(whole.prof), *b, *c;
	struct prof *model;

	end();
	begin();
	cut = play_all(every);
	b = folded(cut.prof);
	model = named(cut.profile);
	c = folded(model);
	cr_expect_gt(cut.n_parts, 2, "%zu parts", cut.n_parts);
	cr_expect_gt(cut.most_held, 0, "nothing was carried over: it would test little");
	cr_expect_gt(strlen(a), 1000);
	cr_expect(strcmp(a, b) == 0, "the sum of named parts is another profile");
	cr_expect(strcmp(a, c) == 0, "the sum of parts is another profile");
	for (size_t i = 0; i < 2; i++) {
		struct ledger_event x = columns_of(&whole.books.events[i]),
				    y = columns_of(&cut.books.events[i]);

		cr_expect_eq(memcmp(&x, &y, sizeof(x)), 0);
	}
	cr_expect_eq(whole.books.stacks_received, cut.books.stacks_received);
	for (int i = 0; i < PMB_N_UNWIND_STATUSES; i++) {
		cr_expect_eq(whole.books.user_statuses[i], cut.books.user_statuses[i]);
		cr_expect_eq(whole.books.kernel_statuses[i], cut.books.kernel_statuses[i]);
	}
	free(a), free(b), free(c);
	prof__free(model);
	sum__done(&whole);
	sum__done(&cut);
}

Test(assembly, a_stream_cut_after_every_round)
{
	expect_the_same(1);
}

Test(assembly, a_stream_cut_now_and_then)
{
	expect_the_same(5);
}

/* --- by hand --- */

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
