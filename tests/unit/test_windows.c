// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Samples in windows: which are kept, what they are labelled with, and that the books know all. */
#include <criterion/criterion.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "assembly_by_hand.h"
#include "base/mem.h"

static struct ledger_event sum; /* of all parts */

static void begin(struct window_opts windows, size_t max_memory)
{
	static const struct assembly_fns fns = {
		.now = now,
		.may_be_sampled = everybody,
		.is_idle = no_idle_loop,
	};
	static const struct assembly_tables tables = {.walk = walk_once, .awaits = awaits_table};

	files = files__new(NULL);
	assembly__init(&assembly, &(struct assembly_opts){
					  .fns = &fns,
					  .tables = &tables,
					  .n_events = 1,
					  .labels = LABEL_WINDOW | LABEL_WINDOW_NUMBER,
					  .windows = windows,
					  .n_cpus = 1,
					  .max_memory = max_memory,
					  .files = files,
				  });
	sum = (struct ledger_event){0};
	table_is_there = false;
}

static void sample(uint64_t time, uint64_t start, uint32_t thread, uint64_t weight, uint64_t dump)
{
	struct {
		struct pmb_sample fixed;
		struct pmb_part_window window;
	} s = {
		.fixed = {.rec = {.type = PMB_REC_SAMPLE,
				  .size = sizeof(s),
				  .parts = 1,
				  .time = time},
			  .tgid = APART,
			  .tid = thread,
			  .ip = 0x1000,
			  .weight = weight,
			  .user_end = dump ? PMB_END_NO_TABLE : PMB_END_NONE,
			  .user_stack = dump},
		.window = {.part = {.type = PMB_PART_WINDOW, .size = sizeof(s.window)},
			   .start = start,
			   .thread = thread},
	};

	snprintf(s.fixed.comm, sizeof(s.fixed.comm), "t%u", thread);
	if (dump)
		hand_dump(time, dump, 0x1000);
	assembly__record(&assembly, &s, sizeof(s));
}

static void window(uint64_t start, uint64_t end, uint32_t thread)
{
	const struct pmb_window_end w = {
		.rec = {.type = PMB_REC_WINDOW, .size = sizeof(w), .time = end},
		.start = start,
		.end = end,
		.thread = thread,
	};

	assembly__record(&assembly, &w, sizeof(w));
}

/* Weights by class of duration, of all parts: "10:5 14+:3" */
static char shares[256];

static void cut(uint64_t boundary)
{
	struct assembled part = assembly__cut(&assembly, boundary);
	struct ledger_event *e = &part.books.events[0];
	const struct profile_row *rows;
	struct buf remarks = {0};
	size_t n;

	ledger__count_rows(&part.books, part.profile);
	e->name = "event";
	e->kernel.seen = e->kernel.emitted = e->decoded;
	e->kernel.weight_seen = e->kernel.weight_emitted = e->weight_decoded;
	cr_expect(ledger_event__columns(e, &remarks), "%s", remarks.data);
	ledger_event__add(&sum, e);
	n = profile__rows(part.profile, &rows);
	for (size_t i = 0; i < n; i++) {
		struct profile_labels set = profile__label_set(part.profile, rows[i].key.labels);
		size_t len = strlen(shares);

		snprintf(shares + len, sizeof(shares) - len, "%s%u%s:%llu %s", len ? " " : "",
			 (set.duration & ~(unsigned)PROFILE_AT_LEAST) - 1,
			 set.duration & PROFILE_AT_LEAST ? "+" : "",
			 (unsigned long long)rows[i].weight,
			 profile__comm_text(part.profile, rows[i].key.comm));
	}
	buf__done(&remarks);
	profile__free(part.profile);
	ledger__done(&part.books);
}

static void expect(const char *want, uint64_t quick, uint64_t unheld)
{
	cut(UINT64_MAX);
	cr_expect_str_eq(shares, want, "%s", shares);
	cr_expect_eq(sum.quick, quick, "%llu", (unsigned long long)sum.quick);
	cr_expect_eq(sum.unheld, unheld, "%llu", (unsigned long long)sum.unheld);
	*shares = '\0';
	assembly__done(&assembly);
	files__free(files);
}

Test(windows, are_labelled_with_their_duration)
{
	begin((struct window_opts){0}, 0);
	sample(1100, 1000, 7, 3, 0);
	sample(1200, 1000, 7, 4, 0);
	sample(1150, 1100, 8, 5, 0);
	window(1000, 2024, 7);
	window(1100, 1163, 8);
	expect("5:5 t8 10:7 t7", 0, 0);
}

/* The end may be drained first, and comes later all the same. */
Test(windows, are_put_into_the_order_of_time)
{
	begin((struct window_opts){0}, 0);
	window(1000, 2024, 7);
	sample(1100, 1000, 7, 3, 0);
	expect("10:3 t7", 0, 0);
}

Test(windows, only_long_ones_are_kept)
{
	begin((struct window_opts){.longer_ns = 1024}, 0);
	sample(1100, 1000, 7, 3, 0);
	sample(1100, 1000, 8, 4, 0);
	window(1000, 2023, 7);
	window(1000, 2024, 8);
	expect("10:4 t8", 1, 0);
}

/* One that is open at the end has lasted until the last that was heard of at least. */
Test(windows, that_are_open_at_the_end)
{
	begin((struct window_opts){.longer_ns = 1024}, 0);
	sample(1100, 1000, 7, 3, 0);
	sample(1500, 1400, 8, 4, 0);
	sample(2100, 1000, 7, 5, 0);
	expect("10+:8 t7", 1, 0);
}

Test(windows, the_slowest_are_kept)
{
	begin((struct window_opts){.slowest = 2}, 0);
	for (uint32_t i = 1; i <= 6; i++) {
		uint64_t start = i * 100000;

		sample(start + 1, start, 7, i, 0);
		/* 1: 2^12, 2: 2^15, 3: 2^13, 4: 2^16, 5: 2^14, 6: 2^11 */
		window(start, start + (1ULL << (int[]){12, 15, 13, 16, 14, 11}[i - 1]), 7);
	}
	expect("16:4 t7 15:2 t7", 4, 0);
}

/* Their stacks come when their window is long over. */
Test(windows, wait_for_samples_that_wait_for_tables)
{
	begin((struct window_opts){.longer_ns = 1024}, 0);
	sample(1100, 1000, 7, 3, 71);
	sample(1100, 1000, 8, 4, 72);
	sample(1200, 1000, 7, 5, 0);
	window(1000, 2100, 7);
	window(1000, 1900, 8);
	assembly__settle(&assembly, 3000);
	cr_expect_eq(assembly.n_late, 2);
	table_is_there = true;
	assembly__retry(&assembly, false);
	expect("10:5 t7 10:3 t7", 1, 0);
}

Test(windows, are_carried_over_a_cut)
{
	begin((struct window_opts){.longer_ns = 1024}, 0);
	sample(1100, 1000, 7, 3, 0);
	sample(1100, 1000, 8, 4, 0);
	cut(1500);
	cr_expect_str_eq(shares, "");
	sample(1600, 1000, 7, 5, 0);
	window(1000, 1700, 8);
	window(1000, 2100, 7);
	expect("10:8 t7", 1, 0);
}

/* Beyond the room to wait there are samples of windows that are known to be long enough; the others
 * are counted. */
Test(windows, have_bounded_room_to_wait)
{
	enum { N = 10000, MEMORY = 1024 * 1024 };

	begin((struct window_opts){.longer_ns = 5000}, MEMORY);
	for (uint64_t i = 1; i <= N; i++)
		sample(1000 + i, 1000, 7, 1, 0);
	assembly__settle(&assembly, 20000);
	cr_expect_leq(assembly.windows.bytes, MEMORY / 8);
	window(1000, 20000, 7);
	cut(UINT64_MAX);
	cr_expect_gt(sum.unheld, 1000);
	cr_expect_lt(sum.unheld, 5000);
	cr_expect_eq(sum.aggregated + sum.unheld, N);
	cr_expect_eq(sum.quick, 0);
	*shares = '\0';
	assembly__done(&assembly);
	files__free(files);
}

/* Those that wait have no rows to keep their stacks when the profile gives up its rarest. */
Test(windows, keep_their_stacks_when_the_profile_is_full)
{
	begin((struct window_opts){0}, 256 * 1024);
	sample(1001, 1000, 7, 5, 0);
	for (uint32_t i = 0; i < 20000; i++) {
		sample(2000 + i, 2000 + i, 10 + i, 1, 0);
		window(2000 + i, 2001 + i, 10 + i);
	}
	assembly__settle(&assembly, 30000);
	cr_expect_gt(profile__trims(assembly.profile), 0);
	window(1000, 40000, 7);
	cut(UINT64_MAX);
	cr_expect(strstr(shares, "0:"), "%s", shares);
	cr_expect_eq(sum.aggregated, 20001);
	*shares = '\0';
	assembly__done(&assembly);
	files__free(files);
}
