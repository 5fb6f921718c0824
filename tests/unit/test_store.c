// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tables in the memory that the kernel reads: where they lie, what is found in them, what makes
 * room. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/mem.h"
#include "opener/opener.h"
#include "unwind/extents.h"
#include "unwind/lists.h"
#include "unwind/store.h"

Test(extents, taken_and_given_back_is_whole_again)
{
	struct extents e;
	uint32_t a, b, c;

	extents__init(&e, 10, 100);
	a = extents__take(&e, 30);
	b = extents__take(&e, 30);
	c = extents__take(&e, 40);
	cr_assert_eq(a, 10);
	cr_assert_eq(b, 40);
	cr_assert_eq(c, 70);
	cr_assert_eq(extents__take(&e, 1), EXTENT_NONE);
	extents__give(&e, a, 30);
	extents__give(&e, c, 40);
	cr_assert_eq(extents__take(&e, 41), EXTENT_NONE, "two halves are no whole");
	extents__give(&e, b, 30);
	cr_assert_eq(e.n, 1);
	cr_assert_eq(e.used, 0);
	cr_assert_eq(extents__take(&e, 100), 10);
	extents__done(&e);
}

static struct pmb_code *code;
static struct pmb_mappings *mappings;
static struct pmb_chunk *chunks[PMB_CHUNKS_MAX];
static unsigned n_chunks;

static struct pmb_chunk *new_chunk(void *ctx, uint32_t index)
{
	(void)ctx;
	cr_assert_eq(index, n_chunks);
	return chunks[n_chunks++] = xcalloc(1, sizeof(struct pmb_chunk));
}

static struct store *new_store(size_t bytes)
{
	struct store_memory memory = {.new_chunk = new_chunk};

	memory.code = code = xcalloc(1, sizeof(*code));
	memory.mappings = mappings = xcalloc(1, sizeof(*mappings));
	n_chunks = 0;
	return store__new(&memory, bytes);
}

static void end_store(struct store *s)
{
	store__free(s);
	free(code);
	free(mappings);
	while (n_chunks)
		free(chunks[--n_chunks]);
}

/* Two pages: [0x10000, 0x20000) with three rows, [0x20000, 0x30000) with one. */
static const struct pmb_unwind_page pages[] = {{0, 3}, {3, 1}};
static const struct pmb_unwind_rule rules[] = {{.cfa = PMB_CFA_NONE},
					       {.cfa = PMB_CFA_SP, .cfa_off = 8},
					       {.cfa = PMB_CFA_FP, .cfa_off = 16}};
static const __u32 rows[] = {PMB_ROW(0, 0), PMB_ROW(0x100, 1), PMB_ROW(0x200, 2), PMB_ROW(0, 1)};
static const struct unwind_table table =
	{.head = {.first_page = 1, .n_pages = 2, .n_rules = 3, .n_rows = 4},
	 .pages = pages,
	 .rules = rules,
	 .rows = rows};

Test(store, a_rule_for_each_place)
{
	struct store *s = new_store(1 << 20);

	cr_assert(store__put(s, 7, &table));
	cr_assert_eq(store__state(s, 7), PMB_FILE_TABLE);
	cr_assert_eq(store__rule(s, 7, 0xffff).cfa, PMB_CFA_NONE, "before the first page");
	cr_assert_eq(store__rule(s, 7, 0x10000).cfa, PMB_CFA_NONE);
	cr_assert_eq(store__rule(s, 7, 0x100ff).cfa, PMB_CFA_NONE);
	cr_assert_eq(store__rule(s, 7, 0x10100).cfa, PMB_CFA_SP);
	cr_assert_eq(store__rule(s, 7, 0x101ff).cfa, PMB_CFA_SP);
	cr_assert_eq(store__rule(s, 7, 0x10200).cfa, PMB_CFA_FP);
	cr_assert_eq(store__rule(s, 7, 0x1ffff).cfa, PMB_CFA_FP);
	cr_assert_eq(store__rule(s, 7, 0x20000).cfa, PMB_CFA_SP);
	cr_assert_eq(store__rule(s, 7, 0x30000).cfa, PMB_CFA_NONE, "behind the last page");
	cr_assert_eq(store__rule(s, 7, UINT64_MAX).cfa, PMB_CFA_NONE);
	end_store(s);
}

Test(store, what_was_forgotten_is_left_alone_for_a_while)
{
	struct store *s = new_store(1 << 20);
	size_t before = store__bytes(s);
	uint32_t at;

	cr_assert(store__put(s, 1, &table));
	at = code->file[1].pages_at;
	store__forget(s, 1);
	cr_assert_eq(store__state(s, 1), PMB_FILE_NONE);
	cr_assert(store__put(s, 2, &table));
	cr_assert_neq(code->file[2].pages_at, at, "an overflow may still be reading it");
	store__forget(s, 2);
	store__tick(s, 1000000000);
	cr_assert_gt(store__bytes(s), before);
	store__tick(s, 2000000000);
	cr_assert_eq(store__bytes(s), before, "nothing is left");
	end_store(s);
}

Test(store, a_table_that_finds_no_room_leaves_nothing_behind)
{
	static __u32 many[65536];
	static struct pmb_unwind_page full[8];
	struct unwind_table large = {.head = {.n_pages = 8, .n_rules = 3, .n_rows = 65536},
				     .pages = full,
				     .rules = rules,
				     .rows = many};
	struct store *s = new_store(1 << 20); /* one chunk: four full pages */
	size_t before = store__bytes(s);

	for (int i = 0; i < 8; i++)
		full[i] = (struct pmb_unwind_page){0, 65536};
	cr_assert_not(store__put(s, 3, &large));
	cr_assert_eq(store__state(s, 3), PMB_FILE_NONE);
	store__tick(s, 1);
	store__tick(s, 1000000000);
	cr_assert_eq(store__bytes(s), before);
	large.head.n_pages = 4;
	cr_assert(store__put(s, 3, &large));
	end_store(s);
}

Test(store, numbers_beyond_the_array_never_have_a_table)
{
	struct store *s = new_store(1 << 20);

	cr_assert_not(store__put(s, PMB_FILES_MAX, &table));
	store__forget(s, PMB_FILES_MAX);
	store__never(s, PMB_FILES_MAX);
	cr_assert_eq(store__state(s, PMB_FILES_MAX), PMB_FILE_NEVER);
	cr_assert_not(store__put(s, FILE_BEYOND, &table));
	end_store(s);
}

static struct pmb_process told;
static unsigned sets, deletes;
static int set_process(void *ctx, uint32_t tgid, const struct pmb_process *list)
{
	(void)ctx;
	(void)tgid;
	sets += list != NULL;
	deletes += list == NULL;
	if (list)
		told = *list;
	return 0;
}

static struct mappings *two_mappings(void)
{
	struct mapping a = {0x1000, 0x3000, 0, 5, false};
	struct mapping b = {0x8000, 0x9000, 0x2000, 0, false};
	struct mappings *m = mappings__add(NULL, &b);

	return mappings__add(m, &a);
}

Test(lists, what_lies_in_the_kernel_is_left_out)
{
	struct mapping vsyscall = {0xffffffffff600000, 0xffffffffff601000, 0, 0, false};
	struct store *s = new_store(1 << 20);
	struct mappings *m = mappings__add(two_mappings(), &vsyscall);
	struct pmb_process list;

	cr_assert(store__put_list(s, m, &list));
	cr_assert_eq(list.n, 2);
	mappings__unref(m);
	end_store(s);
}

/* [8 MiB, 48 MiB) of a file: three parts of it, of which each may have a table of its own. */
Test(lists, large_files_are_there_in_parts)
{
	enum { MIB = 1 << 20 };
	struct mapping large = {0x10000000, 0x10000000 + 40 * MIB, 8 * MIB, 5, false};
	struct mapping small = {0x8000000, 0x8001000, 0, 6, false};
	struct store *s = new_store(1 << 20);
	struct mappings *m = mappings__add(mappings__add(NULL, &large), &small);
	const struct pmb_mapping *got;
	struct pmb_process list;

	cr_assert(store__put_list(s, m, &list));
	cr_assert_eq(list.n, 4);
	got = &mappings->of[list.at];
	cr_expect_eq(got[0].file, 6);
	cr_expect_eq(got[1].file, 5);
	for (int i = 1; i < 4; i++) {
		uint64_t end = i < 3 ? got[i + 1].start : large.end;

		cr_expect_eq(got[i].end, end);
		cr_expect_eq(got[i].file_off, got[i].start - large.start + large.file_off);
		cr_expect_eq(got[i].list, list.list);
		cr_expect_eq(store__number(s, 5, got[i].file_off), got[i].file);
		cr_expect_eq(store__number(s, 5, got[i].file_off + (end - got[i].start) - 1),
			     got[i].file);
	}
	cr_expect_eq(got[2].file_off, 16 * MIB);
	cr_expect_eq(got[3].file_off, 32 * MIB);
	store__put_frames(s, got[3].file);
	cr_expect_eq(store__state(s, 5), PMB_FILE_NONE);
	store__forget_file(s, 5);
	cr_expect_eq(store__state(s, got[3].file), PMB_FILE_NONE);
	mappings__unref(m);
	end_store(s);
}

/* One list of n mappings. */
static struct mappings *many_mappings(uint64_t n)
{
	struct mappings *m = NULL;

	for (uint64_t i = 0; i < n; i++)
		m = mappings__add(m, &(struct mapping){.start = 0x10000 * i,
						       .end = 0x10000 * i + 0x1000,
						       .file = 5});
	return m;
}

static unsigned gone_tgid;
static bool is_gone[64];
static int note_gone(void *ctx, uint32_t tgid, const struct pmb_process *list)
{
	(void)ctx;
	is_gone[tgid] = !list;
	gone_tgid += !list;
	if (list)
		told = *list;
	return 0;
}

Test(lists, those_without_samples_for_longest_make_room)
{
	struct store *s = new_store(1 << 20);
	struct lists *l = lists__new(s, NULL, note_gone, NULL);
	struct mappings *m = many_mappings(2048);

	for (uint32_t tgid = 1; tgid <= 32; tgid++) /* 32 * 2048: all there is */
		lists__put(l, tgid, 1, 1, m);
	for (uint32_t tgid = 1; tgid <= 20; tgid++)
		lists__put(l, tgid, 1, 1, m);
	cr_assert_eq(gone_tgid, 0);
	lists__put(l, 33, 1, 1, m);
	cr_expect_eq(gone_tgid, 2, "a sixteenth of the room");
	cr_expect(is_gone[21] && is_gone[22]);
	lists__put(l, 33, 1, 1, m);
	cr_expect_eq(gone_tgid, 2, "that room isn't given back yet");
	store__tick(s, 1);
	store__tick(s, 200 * 1000 * 1000);
	cr_expect_eq(store__lists_leaving(s), 0);
	told.n = 0;
	lists__put(l, 33, 1, 1, m);
	cr_expect_eq(told.n, 2048);
	lists__put(l, 21, 1, 1, m);
	cr_expect_eq(gone_tgid, 2);
	cr_expect(!is_gone[21], "its next sample sends it again");
	lists__put(l, 22, 1, 1, m);
	cr_expect(is_gone[23] && is_gone[24] && !is_gone[1]);
	mappings__unref(m);
	lists__free(l);
	end_store(s);
}

Test(lists, a_list_that_never_fits_makes_nobody_go)
{
	struct store *s = new_store(1 << 20);
	struct lists *l = lists__new(s, NULL, note_gone, NULL);
	struct mappings *m = many_mappings(2), *huge = many_mappings(PMB_LIST_MAX + 1);

	lists__put(l, 1, 1, 1, m);
	lists__put(l, 2, 1, 1, huge);
	cr_expect_eq(gone_tgid, 0);
	mappings__unref(m);
	mappings__unref(huge);
	lists__free(l);
	end_store(s);
}

Test(lists, sent_once_for_each_generation)
{
	struct store *s = new_store(1 << 20);
	struct lists *l = lists__new(s, NULL, set_process, NULL);
	struct mappings *m = two_mappings();
	uint32_t first;

	lists__put(l, 42, 1, 0x7fff0000, m);
	lists__put(l, 42, 1, 0x7fff0000, m);
	cr_assert_eq(sets, 1);
	cr_assert_eq(told.n, 2);
	cr_assert_eq(told.stack_top, 0x7fff0000);
	cr_assert_eq(mappings->of[told.at].start, 0x1000);
	cr_assert_eq(mappings->of[told.at].file, 5);
	cr_assert_eq(mappings->of[told.at + 1].file_off, 0x2000);
	cr_assert_eq(mappings->of[told.at + 1].list, told.list);
	first = told.list;
	lists__put(l, 42, 2, 0x7fff0000, m);
	cr_assert_eq(sets, 2);
	cr_assert_neq(told.list, first);
	lists__put(l, 42, 2, 0x7ffe0000, m);
	cr_assert_eq(sets, 3, "after an exec");
	lists__forget(l, 42);
	lists__forget(l, 42);
	cr_assert_eq(deletes, 1);
	mappings__unref(m);
	lists__free(l);
	end_store(s);
}

static int take_runtime(void *ctx, uint32_t number, const struct pmb_runtime *runtime)
{
	(void)ctx, (void)number, (void)runtime;
	return 0;
}

/* Its file is met with it, so the process has run on when it is known what that is. */
Test(lists, a_mapping_whose_file_turns_out_to_be_an_interpreter)
{
	const struct mapped_file which = {.inode = 7, .path = "/python"};
	const struct fair_who who = {44, 1};
	const struct unwind_table described = {.head.has_runtime = PMB_RUNTIME_KNOWN,
					       .runtime = {.runtime_from = 0x1000}};
	struct store *s = new_store(1 << 20);
	struct files *files = files__new(NULL);
	struct runtimes *r = runtimes__new(files, take_runtime, NULL);
	struct lists *l = lists__new(s, r, set_process, NULL);
	struct mappings *other = two_mappings();
	const struct mapping m = {.start = 0x401000,
				  .end = 0x500000,
				  .file_off = 0x1000,
				  .file = files__elf(files, &which, &who)};

	for (uint32_t tgid = 42; tgid <= 44; tgid++)
		lists__mapped(l, tgid, &m);
	lists__forget(l, 42);
	lists__forget(l, 43);
	lists__learn(l);
	cr_expect_eq(sets, 0);
	runtimes__note(r, m.file, &described);
	lists__learn(l);
	cr_expect_eq(sets, 1, "of the one that is still the same program");
	cr_expect_eq(told.runtime, 1);
	cr_expect_eq(told.runtime_at, 0x401000);
	cr_expect_eq(told.n, 0);
	lists__learn(l);
	cr_expect_eq(sets, 1);
	lists__mapped(l, 44, &(struct mapping){.file = 0});
	cr_expect_eq(sets, 2, "the exec may have ended only now");
	lists__mapped(l, 45, &m);
	cr_expect_eq(sets, 3, "now it is known at once");
	lists__put(l, 45, 1, 0x7fff0000, other);
	cr_expect_eq(told.n, 2);
	cr_expect_eq(told.runtime, 1, "of a sample before it was mapped");
	cr_expect_eq(told.runtime_at, 0x401000);
	mappings__unref(other);
	lists__free(l);
	runtimes__free(r);
	files__free(files);
	end_store(s);
}

Test(store, what_is_reserved_is_for_one_file)
{
	struct store *s = new_store(1 << 20);
	struct table_room all = {PMB_PAGES_MAX, PMB_RULES_MAX, 4}, need = {2, PMB_RULES_MAX - 2, 4};

	cr_assert(store__reserve(s, 7, &need));
	cr_expect(store__is_reserved(s));
	cr_expect_not(store__put(s, 8, &table), "three rules: two are left");
	cr_assert(store__put(s, 7, &table));
	cr_expect_not(store__is_reserved(s));
	cr_expect(store__put(s, 8, &table));
	cr_expect_not(store__reserve(s, 9, &all), "no room, and nothing is lost by it");
	cr_expect(store__reserve(s, 9, &need) == false);
	need.rules = 100;
	cr_expect(store__reserve(s, 9, &need));
	store__unreserve(s);
	store__unreserve(s);
	store__forget(s, 7);
	store__forget(s, 8);
	store__tick(s, 1);
	store__tick(s, 1000000000);
	cr_expect(store__reserve(s, 9, &all), "all is there again");
	end_store(s);
}
