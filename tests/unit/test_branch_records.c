// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Branch records: from a sample's part to pairs, to a profile, to its file and back, to a table. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "assembly_by_hand.h"
#include "base/cleanup.h"
#include "pmu/branch_filter.h"
#include "prof/branch_table.h"
#include "prof/merge.h"
#include "prof/pprof_read.h"
#include "prof_build.h"
#include "render/branch_feeds.h"
#include "render/branch_records.h"
#include "render/pprof.h"

/* ---- which */

static uint64_t filter(const char *text)
{
	struct err err = {0};
	uint64_t ret = 0;

	cr_expect_eq(branch_filter__parse(text, &ret, &err), 0, "%s: %s", text, err.text);
	return ret;
}

Test(branch_records, filters_are_perfs_and_of_user_code)
{
	_cleanup_(buf__done) struct buf words = {0};
	struct err err = {0};
	uint64_t none;

	cr_expect_eq(filter("any"), PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER);
	cr_expect_eq(filter("u"), PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER);
	cr_expect_eq(filter("k,any_call"), PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_KERNEL);
	cr_expect_eq(filter("no_cycles"), PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER |
						  PERF_SAMPLE_BRANCH_NO_CYCLES);
	cr_expect(branch_filter__is_whole(filter("any,k,u")));
	cr_expect(!branch_filter__is_whole(filter("cond")));
	cr_expect(!branch_filter__is_whole(filter("any,no_tx")));
	branch_filter__put(filter("k,cond,u"), &words);
	cr_expect_str_eq(words.data, "cond,u,k");
	cr_expect_lt(branch_filter__parse("any,", &none, &err), 0);
	cr_expect_lt(branch_filter__parse("anything", &none, &err), 0);
	cr_expect(strstr(err.text, "'anything': it is one of any, any_call"), "%s", err.text);
}

/* ---- pairs */

static const struct branch_counts once = {.records = 1};

static struct frame at(uint64_t off)
{
	return (struct frame){FRAME_FILE, 1, off};
}

Test(branch_records, a_pair_is_counted_once_and_kinds_apart)
{
	struct branch_records *b = branch_records__new(0);
	const struct branch_counts missed = {1, 1, 1, 1, 30};
	const struct branch_pair *pairs;
	struct frame from = at(1), to = at(2);

	cr_expect(branch_records__add(b, BRANCH_TAKEN, &from, &to, &missed));
	cr_expect(branch_records__add(b, BRANCH_TAKEN, &from, &to, &missed));
	cr_expect(branch_records__add(b, BRANCH_TAKEN, &to, &from, &once));
	cr_expect(branch_records__add(b, BRANCH_BETWEEN, &from, &to, &once));
	cr_assert_eq(branch_records__pairs(b, &pairs), 3);
	cr_expect_eq(pairs[0].counts.records, 2);
	cr_expect_eq(pairs[0].counts.mispredicted, 2);
	cr_expect_eq(pairs[0].counts.cycles, 60);
	cr_expect_eq(pairs[1].counts.records, 1);
	cr_expect_eq(pairs[2].kind, BRANCH_BETWEEN);
	branch_records__free(b);
}

Test(branch_records, beyond_the_bound_they_are_other)
{
	enum { BOUND = 64 * 1024, N = 10000 };
	struct branch_records *b = branch_records__new(BOUND);
	const struct branch_pair *pairs;
	uint64_t stored = 0, again = 0;

	for (int round = 0; round < 2; round++) {
		for (uint64_t i = 0; i < N; i++) {
			struct frame from = at(i), to = at(2 * i);

			*(round ? &again : &stored) +=
				branch_records__add(b, BRANCH_TAKEN, &from, &to, &once);
		}
	}
	cr_expect_leq(branch_records__bytes(b), BOUND);
	cr_expect_gt(stored, 100);
	cr_expect_eq(again, stored, "what has room keeps it");
	cr_expect_eq(branch_records__pairs(b, &pairs), stored);
	cr_expect_eq(branch_records__other(b, BRANCH_TAKEN).records, 2 * (N - stored));
	branch_records__free(b);
}

/* ---- of samples */

enum { CODE = 0x400000, CODE_END = 0x600000, ELSEWHERE = 0x900000 };
#define KERNEL 0xffffffff81000000ULL

struct branch_sample {
	struct pmb_sample fixed;
	struct pmb_part_branches branches;
};

static void hand_branches(const struct pmb_branch *list, uint32_t n, uint32_t whole)
{
	struct branch_sample s = {
		.fixed = {.rec = {.type = PMB_REC_SAMPLE, .parts = 1, .time = 100},
			  .tgid = APART,
			  .tid = APART,
			  .ip = CODE,
			  .weight = 1},
	};
	size_t size = offsetof(struct pmb_part_branches, list) + n * sizeof(*list);

	s.branches.part.size = (__u16)size;
	s.branches.part.type = PMB_PART_BRANCHES;
	s.branches.n = n;
	s.branches.whole = whole;
	memcpy(s.branches.list, list, n * sizeof(*list));
	s.fixed.rec.size = (uint32_t)(sizeof(s.fixed) + size);
	assembly__record(&assembly, &s, s.fixed.rec.size);
}

static void begin_assembly(bool kernel)
{
	static const struct assembly_fns fns = {
		.now = now,
		.may_be_sampled = everybody,
		.is_idle = no_idle_loop,
	};
	struct life mapped = {
		.kind = LIFE_MMAP,
		.time = 50,
		.tgid = APART,
		.tid = APART,
		.start = CODE,
		.end = CODE_END,
		.dev_major = 1,
		.inode = 2,
		.path = "/bin/it",
	};

	files = files__new(NULL);
	assembly__init(&assembly, &(struct assembly_opts){
					  .fns = &fns,
					  .n_events = 1,
					  .n_cpus = 1,
					  .files = files,
					  .branches = branch_records__new(0),
					  .kernel_branches = kernel,
					  .between_branches = true,
				  });
	assembly__life(&assembly, &mapped);
}

static void end_assembly(void)
{
	struct branch_records *b = assembly.opts.branches;

	assembly__done(&assembly);
	branch_records__free(b);
	files__free(files);
}

static bool balances(uint64_t seen)
{
	_cleanup_(buf__done) struct buf remarks = {0};
	struct ledger_event *e = &assembly.books.events[0];

	e->name = "event";
	e->kernel.seen = e->kernel.emitted = e->decoded;
	e->kernel.weight_seen = e->kernel.weight_emitted = e->weight_decoded;
	e->kernel.branches_seen = seen;
	ledger__balance(&assembly.books, &remarks);
	return !strstr(remarks.data ?: "", "branch");
}

Test(branch_records, each_record_of_a_sample_has_its_column)
{
	const struct pmb_branch list[] = {
		{CODE + 30, CODE + 10, PMB_BRANCH_PREDICTED | 10 << PMB_BRANCH_CYCLES_AT},
		{CODE + 20, CODE + 10, PMB_BRANCH_MISPREDICTED | 30 << PMB_BRANCH_CYCLES_AT},
		{0, CODE + 10, 0},
		{CODE, 1ULL << 63, 0},
		{CODE, 1ULL << 50, 0},
		{KERNEL, CODE + 20, 0},
		{CODE + 30, ELSEWHERE, 0},
	};
	const struct ledger_branches *books = &assembly.books.branches;
	const struct branch_pair *pairs;

	begin_assembly(false);
	hand_branches(list, ARRAY_SIZE(list), 100);
	assembly__settle(&assembly, 1000);
	cr_assert_eq(branch_records__pairs(assembly.opts.branches, &pairs), 4);
	cr_expect_eq(pairs[0].counts.foreseen, 1);
	cr_expect_eq(pairs[0].counts.mispredicted, 0);
	cr_expect_eq(pairs[0].counts.cycles, 10);
	cr_expect_eq(pairs[1].counts.mispredicted, 1);
	cr_expect_eq(pairs[2].kind, BRANCH_BETWEEN);
	cr_expect_eq(pairs[2].to.off - pairs[2].from.off, 20, "from +10 to +30");
	cr_expect_eq(books->stored, 2);
	cr_expect_eq(books->invalid, 3);
	cr_expect_eq(books->kernel, 1);
	cr_expect_eq(books->unmapped, 1);
	cr_expect_eq(books->cut, 93);
	cr_expect_eq(books->ranges, 6);
	/* +10 to +30, and where 0 led to until +20 */
	cr_expect_eq(books->ranges_stored, 2);
	cr_expect_eq(books->ranges_torn, 4);
	cr_expect(balances(100));
	cr_expect(!balances(101));
	end_assembly();
}

Test(branch_records, of_the_kernel_if_asked_for)
{
	const struct pmb_branch list[] = {{KERNEL + 8, KERNEL, 0}, {KERNEL + 8, KERNEL, 0}};
	const struct branch_pair *pairs;

	begin_assembly(true);
	hand_branches(list, 2, 2);
	assembly__settle(&assembly, 1000);
	cr_assert_eq(branch_records__pairs(assembly.opts.branches, &pairs), 2);
	cr_expect_eq(pairs[0].from.kind, FRAME_KERNEL);
	cr_expect_eq(assembly.books.branches.stored, 2);
	cr_expect_eq(assembly.books.branches.ranges_stored, 1);
	end_assembly();
}

/* ---- in a profile */

static uint32_t place(struct prof *p, const char *name, uint64_t address)
{
	struct prof_line line = build_line(p, name);

	return prof__location(p, build_mapping(p, "/bin/a"), address, &line, 1);
}

static void add_branch(struct prof *p, enum branch_kind kind, uint64_t from, uint64_t to,
		       struct branch_counts counts)
{
	const struct prof_branch b = {
		.from = from ? place(p, "work", from) : 0,
		.to = to ? place(p, "work", to) : 0,
		.kind = kind,
		.counts = counts,
	};

	prof__add_branch(p, &b);
}

/* A loop of 0x10 to 0x30, left at 0x20 in a quarter of its rounds. */
static struct prof *loop(void)
{
	struct prof *p = build_clock_and_misses();

	BUILD_SAMPLE(p, "work,main", 0, 7, 70, 0);
	add_branch(p, BRANCH_TAKEN, 0x30, 0x10, (struct branch_counts){300, 300, 3, 300, 3000});
	add_branch(p, BRANCH_TAKEN, 0x20, 0x10, (struct branch_counts){100, 100, 50, 0, 0});
	add_branch(p, BRANCH_BETWEEN, 0x10, 0x30, (struct branch_counts){.records = 300});
	add_branch(p, BRANCH_BETWEEN, 0x10, 0x20, (struct branch_counts){.records = 100});
	add_branch(p, BRANCH_TAKEN, 0, 0, (struct branch_counts){.records = 5});
	prof__comment(p, "branches: any,u");
	return p;
}

/* What a file of it is read as. */
static struct prof *through_a_file(const struct prof *p)
{
	_cleanup_close_ int fd = memfd_create("profile", MFD_CLOEXEC);
	FILE *file = fdopen(dup(fd), "w");
	struct prof *ret = NULL;
	struct err err = {0};

	cr_assert_eq(pprof__write(file, p), 0);
	fclose(file);
	lseek(fd, 0, SEEK_SET);
	cr_assert_eq(pprof__read(&ret, fd, "'it'", NULL, &err), 0, "%s", err.text);
	return ret;
}

static void expect_loop(const struct prof *p, uint64_t times)
{
	struct branch_table t;

	branch_table__make(&t, p);
	cr_assert_eq(t.n, 2);
	cr_expect_eq(t.all.records, 405 * times);
	cr_expect_eq(t.other.records, 5 * times);
	cr_expect_eq(t.ranges, 400 * times);
	cr_expect_eq(t.rows[0].branch->counts.records, 300 * times);
	cr_expect_eq(t.rows[0].branch->counts.mispredicted, 3 * times);
	cr_expect_eq(t.rows[0].branch->counts.cycles, 3000 * times);
	cr_expect_eq(t.rows[0].left, 300 * times);
	cr_expect_eq(t.rows[0].passed, 0);
	cr_expect_eq(t.rows[1].left, 100 * times);
	cr_expect_eq(t.rows[1].passed, 300 * times);
	branch_table__done(&t);
}

Test(branch_records, a_file_has_them_and_they_are_no_events)
{
	struct prof *p = loop(), *read = through_a_file(p);
	struct prof_event *events;
	size_t n = prof__events(read, &events);

	expect_loop(p, 1);
	expect_loop(read, 1);
	cr_expect_eq(read->n_types, 3);
	cr_expect_eq(n, 2);
	cr_expect_eq(read->n_samples, 1);
	cr_expect_eq(prof__values(read, 0)[1], 70);
	prof_events__free(events, n);
	prof__free(read);
	prof__free(p);
}

Test(branch_records, files_are_added_up)
{
	struct prof *a = loop(), *b = through_a_file(a);
	struct err err = {0};

	cr_assert_eq(prof__merge(&a, b, "b", &err), 0);
	expect_loop(a, 2);
	prof__free(a);
	prof__free(b);
}

Test(branch_records, strangers_sums_stay_in_bounds)
{
	struct prof *p = build_clock_and_misses();
	const struct branch_counts most = {INT64_MAX, 0, INT64_MAX, INT64_MAX, INT64_MAX};

	add_branch(p, BRANCH_TAKEN, 1, 2, most);
	add_branch(p, BRANCH_TAKEN, 1, 2, most);
	cr_expect_eq(p->branches[0].counts.records, INT64_MAX);
	cr_expect_eq(p->branches[0].counts.cycles, INT64_MAX);
	prof__free(p);
}

Test(branch_records, a_table_for_people)
{
	struct prof *p = loop();
	struct branch_table t;
	char *file = (char *)"it.pb.gz";
	const struct report report = {.files = &file, .n_files = 1, .whole = p, .prof = p};
	const struct branches_report r = {.report = &report, .table = &t};
	_cleanup_(buf__done) struct buf out = {0};

	branch_table__make(&t, p);
	branches_report__text(&r, &out);
	cr_expect(strstr(out.data,
			 "# branches  any,u: 405 records, of 2 branches; 400 runs of code"),
		  "%s", out.data);
	cr_expect(strstr(out.data, "       300   74.07        1.0 [0.2 2.9]     10.0        0.0 "
				   "[0.0 1.2]  work 0x30 -> work 0x10  (a)\n"),
		  "%s", out.data);
	cr_expect(strstr(out.data, "       100   24.69     50.0 [39.8 60.2]        -     75.0 "
				   "[70.5 79.2]  work 0x20 -> work 0x10  (a)\n"),
		  "%s", out.data);
	cr_expect(strstr(out.data, "5 records and 0 runs of code found no room"), "%s", out.data);
	branch_table__done(&t);
	prof__free(p);
}

/* ---- for optimizers */

/* Of a file whose code lies 0x1000 above where it is in the file. */
static uint32_t place_in(struct prof *p, uint32_t mapping, uint64_t address)
{
	return prof__location(p, mapping, address, NULL, 0);
}

static struct prof *two_files(void)
{
	struct prof *p = build_clock_and_misses();
	uint32_t prog =
		prof__mapping(p, &(struct prof_mapping){.start = 0x402000,
							.limit = 0x403000,
							.offset = 0x1000,
							.file = prof__string(p, "/bin/prog"),
							.build_id = prof__string(p, "ab12")});
	uint32_t lib =
		prof__mapping(p, &(struct prof_mapping){.start = 0x1000,
							.limit = 0x2000,
							.offset = 0x1000,
							.file = prof__string(p, "/lib/l.so")});
	const struct prof_branch list[] = {
		{place_in(p, prog, 0x402030),
		 place_in(p, prog, 0x402010),
		 BRANCH_TAKEN,
		 {7, 7, 2, 0, 0}},
		{place_in(p, prog, 0x402040),
		 place_in(p, lib, 0x1100),
		 BRANCH_TAKEN,
		 {3, 0, 0, 0, 0}},
		{place_in(p, lib, 0x1104),
		 place_in(p, prog, 0x402044),
		 BRANCH_TAKEN,
		 {3, 3, 1, 0, 0}},
		{place_in(p, lib, 0x1108), place_in(p, lib, 0x1104), BRANCH_TAKEN, {1, 0, 0, 0, 0}},
		{place_in(p, prog, 0x402010),
		 place_in(p, prog, 0x402030),
		 BRANCH_BETWEEN,
		 {.records = 6}},
		{place_in(p, prog, 0x402044),
		 place_in(p, prog, 0x402040),
		 BRANCH_BETWEEN,
		 {.records = 1}},
		{0, 0, BRANCH_TAKEN, {9, 0, 0, 0, 0}},
	};

	for (size_t i = 0; i < ARRAY_SIZE(list); i++)
		prof__add_branch(p, &list[i]);
	return p;
}

Test(branch_records, what_bolt_and_autofdo_read)
{
	struct prof *p = two_files();
	struct branch_binary binary;
	_cleanup_(buf__done) struct buf bolt = {0}, autofdo = {0};
	struct err err = {0};

	cr_assert_eq(branch_binary__choose(&binary, p, NULL, &err), 0, "%s", err.text);
	cr_expect_str_eq(prof__text(p, binary.file), "/bin/prog");
	cr_expect_eq(binary.records, 10);
	cr_expect_eq(binary.all, 14);
	branch_feed__bolt(p, &binary, &bolt);
	cr_expect_str_eq(bolt.data, "B 402030 402010 7 2\n"
				    "B 402040 X:0 3 0\n"
				    "B X:0 402044 3 1\n"
				    "F 402010 402030 6\n");
	branch_feed__autofdo(p, &binary, &autofdo);
	cr_expect_str_eq(autofdo.data, "1\n1010-1030:6\n"
				       "0\n"
				       "1\n1030->1010:7\n");
	prof__free(p);
}

Test(branch_records, the_binary_that_is_meant)
{
	struct prof *p = two_files();
	struct branch_binary binary;
	struct err err = {0};

	cr_expect_eq(branch_binary__choose(&binary, p, "l.so", &err), 0);
	cr_expect_str_eq(prof__text(p, binary.file), "/lib/l.so");
	cr_expect_eq(branch_binary__choose(&binary, p, "ab12", &err), 0);
	cr_expect_str_eq(prof__text(p, binary.file), "/bin/prog");
	cr_expect_lt(branch_binary__choose(&binary, p, "other", &err), 0);
	cr_expect(strstr(err.text, "no branch comes from a file of that name"), "%s", err.text);
	prof__free(p);
}
