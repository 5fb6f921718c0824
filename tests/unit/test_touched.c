// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Who touched a page first: tables of pages, and samples that hit what a fault has touched. */
#include <criterion/criterion.h>
#include <string.h>

#include "assembly_by_hand.h"
#include "base/mem.h"

enum { FAULT = 0, MISS = 1, HERE = 0x7f0000001000 };

static struct sites *sites;
static struct assembled part;

static bool is_fault(void *ctx, uint32_t event)
{
	(void)ctx;
	return event == FAULT;
}

static void begin(void)
{
	static const struct assembly_fns fns = {
		.now = now,
		.may_be_sampled = everybody,
		.is_idle = no_idle_loop,
		.is_page_fault = is_fault,
	};
	static const struct assembly_tables tables = {.walk = walk_once, .awaits = awaits_table};

	files = files__new(NULL);
	sites = sites__new(0);
	assembly__init(&assembly, &(struct assembly_opts){
					  .fns = &fns,
					  .tables = &tables,
					  .n_events = 2,
					  .labels = LABEL_DATA,
					  .n_cpus = 1,
					  .files = files,
					  .sites = sites,
				  });
}

static void end(void)
{
	profile__free(part.profile);
	ledger__done(&part.books);
	assembly__done(&assembly);
	sites__free(sites);
	files__free(files);
	table_is_there = false;
}

TestSuite(touched, .init = begin, .fini = end);

static void lives(enum life_kind kind, uint32_t tgid, uint32_t parent, uint64_t time)
{
	const struct life life = {.kind = kind,
				  .tgid = tgid,
				  .tid = tgid,
				  .parent_tgid = parent,
				  .time = time};

	assembly__life(&assembly, &life);
}

static void maps_code(uint32_t tgid, uint64_t time)
{
	const struct life life = {
		.kind = LIFE_MMAP,
		.tgid = tgid,
		.tid = tgid,
		.time = time,
		.start = 0x1000,
		.end = 0x9000,
		.file_off = 0x1000,
		.inode = 5,
		.path = "/nowhere/program",
	};

	assembly__life(&assembly, &life);
}

/* Of a stack of one frame, whose number is its id. */
static void sample(uint64_t time, uint16_t event, uint32_t tgid, uint64_t addr, uint64_t pc,
		   uint8_t user_end)
{
	struct {
		struct pmb_sample sample;
		struct pmb_part_data data;
	} s = {
		.sample = {.rec = {.type = PMB_REC_SAMPLE, .parts = 1, .time = time},
			   .tgid = tgid,
			   .tid = tgid,
			   .event = event,
			   .ip = pc,
			   .weight = 1,
			   .user_end = user_end,
			   .user_stack = pc},
		.data = {.part = {.type = PMB_PART_DATA},
			 .addr = addr,
			 .segment = PMB_SEGMENT_MAPPED},
	};

	s.data.part.size = offsetof(struct pmb_part_data, regs);
	s.sample.rec.size = (uint32_t)sizeof(s.sample) + s.data.part.size;
	assembly__record(&assembly, &s, s.sample.rec.size);
}

static void fault(uint64_t time, uint64_t addr, uint64_t pc)
{
	hand_stack(time, pc, pc);
	sample(time, FAULT, APART, addr, pc, PMB_END_COMPLETE);
}

/* Each at an address of its own. */
static void miss(uint64_t time, uint64_t addr)
{
	sample(time, MISS, APART, addr, 0x8000, PMB_END_COMPLETE);
}

static void cut(void)
{
	part = assembly__cut(&assembly, UINT64_MAX);
}

/* The site's innermost frame of the row of that event there, as an offset in the file; 0: it isn't
 * known; 1: [other]. */
static uint64_t site_of(uint32_t event, uint64_t addr)
{
	const struct profile_row *rows;
	size_t n = profile__rows(part.profile, &rows);

	for (size_t i = 0; i < n; i++) {
		struct profile_labels set = profile__label_set(part.profile, rows[i].key.labels);
		const struct frame *frames;

		if (rows[i].key.event != event || set.data_addr != addr)
			continue;
		if (set.site <= SITE_OTHER)
			return set.site;
		return sites__frames(sites, set.site, &frames) ? frames[0].off : 0;
	}
	cr_assert_fail("no row of event %u at 0x%lx", event, (unsigned long)addr);
	return 0;
}

Test(touched, samples_of_a_page)
{
	maps_code(APART, 1);
	hand_stack(1, 0x8000, 0x8000);
	miss(5, HERE + 8);
	fault(10, HERE + 100, 0x2000);
	fault(11, HERE + 4096, 0x3000);
	miss(20, HERE);
	miss(21, HERE + 4095);
	miss(22, HERE + 4100);
	miss(23, HERE + 3 * 4096);
	sample(24, MISS, APART + 1, HERE + 16, 0x8000, PMB_END_COMPLETE);
	cut();
	cr_expect_eq(site_of(FAULT, HERE + 100), 0x2000);
	cr_expect_eq(site_of(FAULT, HERE + 4096), 0x3000);
	cr_expect_eq(site_of(MISS, HERE + 8), 0, "before it was touched");
	cr_expect_eq(site_of(MISS, HERE), 0x2000);
	cr_expect_eq(site_of(MISS, HERE + 4095), 0x2000);
	cr_expect_eq(site_of(MISS, HERE + 4100), 0x3000);
	cr_expect_eq(site_of(MISS, HERE + 3 * 4096), 0);
	cr_expect_eq(site_of(MISS, HERE + 16), 0, "of another process");
}

/* It was given back in between. */
Test(touched, the_next_first_touch)
{
	maps_code(APART, 1);
	hand_stack(1, 0x8000, 0x8000);
	fault(10, HERE, 0x2000);
	miss(11, HERE + 1);
	fault(12, HERE, 0x3000);
	miss(13, HERE + 2);
	cut();
	cr_expect_eq(site_of(MISS, HERE + 1), 0x2000);
	cr_expect_eq(site_of(MISS, HERE + 2), 0x3000);
}

/* Its stack comes after samples that hit the page. */
Test(touched, a_stack_that_is_walked_later)
{
	maps_code(APART, 1);
	hand_stack(1, 0x8000, 0x8000);
	hand_dump(10, 0x4000, 0x4000);
	sample(10, FAULT, APART, HERE, 0x4000, PMB_END_NO_TABLE);
	miss(11, HERE + 1);
	assembly__settle(&assembly, 12);
	cr_expect_eq(assembly.n_late, 1);
	fault(13, HERE, 0x2000);
	miss(14, HERE + 2);
	assembly__settle(&assembly, 15);
	table_is_there = true;
	assembly__retry(&assembly, false);
	miss(16, HERE + 3);
	cut();
	cr_expect_eq(site_of(MISS, HERE + 1), 0x4000);
	cr_expect_eq(site_of(MISS, HERE + 2), 0x2000);
	cr_expect_eq(site_of(MISS, HERE + 3), 0x2000, "the later one touched it last");
}

Test(touched, memory_of_a_process_that_is_gone)
{
	maps_code(APART, 1);
	hand_stack(1, 0x8000, 0x8000);
	fault(10, HERE, 0x2000);
	lives(LIFE_EXEC, APART, 0, 11);
	miss(12, HERE + 1);
	fault(13, HERE, 0x2000);
	lives(LIFE_EXIT, APART, 0, 14);
	miss(15, HERE + 2);
	fault(16, HERE, 0x2000);
	lives(LIFE_FORK, APART, 1, 17);
	miss(18, HERE + 3);
	cut();
	cr_expect_eq(site_of(MISS, HERE + 1), 0, "exec");
	cr_expect_eq(site_of(MISS, HERE + 2), 0, "exit");
	cr_expect_eq(site_of(MISS, HERE + 3), 0, "another one of that number");
	cr_expect_eq(assembly.pages.bytes, 0);
}

/* What has no room is [other], and nothing else is. */
Test(touched, no_room)
{
	size_t limit;

	maps_code(APART, 1);
	hand_stack(1, 0x8000, 0x8000);
	fault(10, HERE, 0x2000);
	assembly__settle(&assembly, 10);
	limit = assembly.pages.limit = assembly.pages.bytes;
	for (unsigned i = 1; i < 100; i++)
		fault(10 + i, HERE + i * 4096, 0x2000);
	sample(120, FAULT, APART + 1, HERE, 0x2000, PMB_END_COMPLETE);
	miss(121, HERE + 1);
	miss(122, HERE + 99 * 4096 + 1);
	sample(123, MISS, APART + 1, HERE + 2, 0x8000, PMB_END_COMPLETE);
	cut();
	cr_expect_eq(site_of(MISS, HERE + 1), 0x2000);
	cr_expect_eq(site_of(MISS, HERE + 99 * 4096 + 1), SITE_OTHER);
	cr_expect_eq(site_of(MISS, HERE + 2), SITE_OTHER);
	cr_expect_eq(site_of(FAULT, HERE + 99 * 4096), 0x2000, "it says so itself");
	cr_expect_leq(assembly.pages.bytes, limit);
}

Test(touched, many_pages_and_processes)
{
	struct pages p = {0};

	for (uint32_t tgid = 1; tgid <= 50; tgid++) {
		for (uint64_t i = 0; i < 1000; i++)
			pages__put(&p, tgid, (i * i * 7) << 12, (uint32_t)i + tgid);
	}
	for (uint32_t tgid = 1; tgid <= 50; tgid += 2)
		pages__forget(&p, tgid);
	for (uint32_t tgid = 1; tgid <= 50; tgid++) {
		for (uint64_t i = 0; i < 1000; i++)
			cr_assert_eq(pages__site(&p, tgid, ((i * i * 7) << 12) + 4095),
				     tgid % 2 ? 0 : i + tgid);
	}
	pages__put(&p, 3, UINT64_MAX, 9);
	cr_expect_eq(pages__site(&p, 3, UINT64_MAX - 4095), 9);
	pages__done(&p);
	cr_expect_eq(p.bytes, 0);
}

Test(touched, room_for_sites)
{
	struct sites *s = sites__new(64 * 1024);
	struct frame frames[SITE_FRAMES + 5] = {0};
	uint32_t first = 0, last = 0;
	const struct frame *got;

	for (unsigned i = 0; i < 10000; i++) {
		frames[0] = (struct frame){FRAME_FILE, 1, i};
		last = sites__add(s, frames, ARRAY_SIZE(frames));
		first = first ?: last;
	}
	cr_expect_eq(last, SITE_OTHER);
	cr_expect_eq(sites__later(s), SITE_OTHER);
	cr_expect_leq(sites__bytes(s), 64 * 1024);
	frames[0].off = 0;
	cr_expect_eq(sites__add(s, frames, SITE_FRAMES), first, "what is known stays so");
	cr_expect_eq(sites__frames(s, first, &got), SITE_FRAMES);
	cr_expect_eq(sites__add(s, frames, 0), SITE_UNKNOWN);
	cr_expect_eq(sites__frames(s, SITE_OTHER, &got), 0);
	cr_expect_eq(sites__frames(s, 1 << 30, &got), 0);
	sites__free(s);
}
