// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/cleanup.h"
#include "base/fair_room.h"
#include "base/mem.h"
#include "opener/opener.h"
#include "prof/recorded.h"
#include "render/folded.h"

static struct profile *p;
static struct sym_name locations[64]; /* by frame id */
static struct files *files;

static void begin(void)
{
	p = profile__new();
	files = files__new(NULL);
	files__elf(files, &(struct mapped_file){1, 0, makedev(8, 1), "/bin/prog"},
		   &(struct fair_who){1, 1});
}

static void end(void)
{
	p = profile__free(p);
	files__free(files);
	for (size_t i = 0; i < ARRAY_SIZE(locations); i++)
		sym_name__done(&locations[i]);
}

TestSuite(folded, .init = begin, .fini = end);

/* A frame at its own location, called `name`. */
static uint32_t frame(enum frame_kind kind, uint64_t off, const char *name)
{
	uint32_t id = profile__frame(p, &(struct frame){kind, kind == FRAME_FILE, off});

	cr_assert_lt(id, ARRAY_SIZE(locations));
	if (!locations[id].frame.name) {
		locations[id].frame.name = name;
		locations[id].vaddr = off;
	}
	return id;
}

static uint32_t user(uint64_t off, const char *name)
{
	return frame(FRAME_FILE, off, name);
}

/* Leaf first, as the kernel sends it. */
#define STACK(...) stack((uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / 4)
static uint32_t stack(const uint32_t *frames, size_t n)
{
	return profile__stack(p, frames, (uint32_t)n);
}

static void add(uint32_t event, const char *comm, uint32_t user_stack, uint32_t kernel_stack,
		uint64_t weight)
{
	profile__add(p,
		     &(struct profile_key){.event = event,
					   .comm = profile__comm(p, comm),
					   .user_stack = user_stack,
					   .kernel_stack = kernel_stack},
		     weight);
}

/* What the numbers of a test's events are, and how lines are wanted. */
struct shown {
	const struct measure *measures;
	size_t n;
	unsigned max_depth;
	const char *const *events; /* NULL: e, f, g */
};

static uint64_t max_bytes;
static struct room_cut cut;

static struct prof *recorded(const struct shown *show)
{
	static const char *const unnamed[] = {"e", "f", "g", "h"};
	const struct frame *frames;
	const struct names names = {.locations = locations, .n = profile__frames(p, &frames)};
	const struct recorded r = {
		.profile = p,
		.files = files,
		.names = &names,
		.measures = show->measures,
		.events = show->events ? show->events : unnamed,
		.n_events = show->n,
	};

	return prof__recorded(&r);
}

static int write_to(FILE *file, const struct shown *show)
{
	struct prof *prof = recorded(show);
	const struct format_opts opts = {.unit = -1,
					 .max_depth = show->max_depth,
					 .inlined = true,
					 .max_bytes = max_bytes,
					 .cut = &cut};
	int r = folded__write(file, prof, &opts);

	prof__free(prof);
	return r;
}

static char *folded(const struct shown *show)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	cr_assert_eq(write_to(file, show), 0);
	fclose(file);
	return text;
}

static void expect(const struct shown *show, const char *want)
{
	_cleanup_free_ char *got = folded(show);

	cr_expect_str_eq(got, want);
}

static const struct measure counts = {.unit = NUMBER_EVENTS};
static const struct shown plain = {&counts, 1, 0, NULL};

Test(folded, nothing)
{
	expect(&plain, "");
}

Test(folded, root_first_and_the_kernel_above_the_program)
{
	uint32_t u = STACK(user(3, "write"), user(2, "work"), user(1, "main"));
	uint32_t k =
		STACK(frame(FRAME_KERNEL, 2, "vfs_write"), frame(FRAME_KERNEL, 1, "do_syscall_64"));

	add(0, "prog", u, k, 5);
	add(0, "prog", u, 0, 7);
	add(0, "kworker/0:1", 0, k, 9);
	add(0, "bare", 0, 0, 1);
	expect(&plain, "bare 1\n"
		       "kworker/0:1;do_syscall_64_[k];vfs_write_[k] 9\n"
		       "prog;main;work;write 7\n"
		       "prog;main;work;write;do_syscall_64_[k];vfs_write_[k] 5\n");
}

Test(folded, each_event_has_its_name_and_its_unit)
{
	static const char *const events[] = {"cycles", "page-faults", "cpu-clock"};
	const struct measure measures[] = {
		{.unit = NUMBER_TIME, .rate = {.hz = 2e9, .n = 1}},
		{.unit = NUMBER_EVENTS},
		{.unit = NUMBER_TIME, .is_time = true},
	};
	const struct shown opts = {measures, 3, 0, events};
	uint32_t u = STACK(user(1, "main"));

	for (uint32_t event = 0; event < 3; event++) {
		add(event, "prog", u, 0, 1000);
		add(event, "prog", u, 0, 501);
	}
	expect(&opts, "cpu-clock;prog;main 1501\n"
		      "cycles;prog;main 751\n" /* 750.5, of the sum and not of each */
		      "page-faults;prog;main 1501\n");
}

Test(folded, a_hidden_event_has_no_lines)
{
	const struct measure measures[] = {
		{.unit = NUMBER_EVENTS},
		{.unit = NUMBER_TIME, .is_time = true, .hidden = true},
	};
	const struct shown opts = {measures, 2, 0, NULL};
	uint32_t u = STACK(user(1, "main"));

	add(0, "prog", u, 0, 5);
	add(1, "prog", u, 0, 1000);
	add(1, "other", u, 0, 1000);
	expect(&opts, "prog;main 5\n");
}

Test(folded, rows_whose_names_are_the_same_become_one_line)
{
	uint32_t main_id = user(1, "main");

	add(0, "prog", STACK(user(2, "hot"), main_id), 0, 10);
	add(0, "prog", STACK(user(3, "hot"), main_id), 0, 20);
	add(0, "prog", STACK(user(3, "hot"), user(4, "main")), 0, 30);
	add(0, "other", STACK(user(3, "hot"), main_id), 0, 40);
	expect(&plain, "other;main;hot 40\nprog;main;hot 60\n");
}

Test(folded, a_user_frame_and_a_kernel_frame_of_one_name_stay_two)
{
	add(0, "p", STACK(user(1, "read")), 0, 1);
	add(0, "p", 0, STACK(frame(FRAME_KERNEL, 1, "read")), 2);
	expect(&plain, "p;read 1\np;read_[k] 2\n");
}

Test(folded, names_cannot_forge_lines)
{
	add(0, "x;main 99\nevil", STACK(user(1, "a;b\nc 7")), 0, 1);
	add(0, "back\\slash", STACK(user(2, "\xff\xc3\xa4\xc3")), 0, 2);
	expect(&plain, "back\\x5cslash;\\xff\xc3\xa4\\xc3 2\n"
		       "x\\x3bmain 99\\x0aevil;a\\x3bb\\x0ac\\x207 1\n");
}

Test(folded, nor_can_the_text_of_an_event)
{
	static const char *const events[] = {"e;v\n", "f"};
	const struct measure measures[] = {{.unit = NUMBER_EVENTS}, {.unit = NUMBER_EVENTS}};

	add(0, "p", STACK(user(1, "main")), 0, 3);
	expect(&(struct shown){measures, 2, 0, events}, "e\\x3bv\\x0a;p;main 3\n");
}

Test(folded, addresses_are_the_last_frame)
{
	uint32_t u = STACK(user(1, "main"));
	struct profile_key key = {.comm = profile__comm(p, "p"), .user_stack = u, .has_addr = 1};

	profile__add(p, &key, 1);
	key.addr = 0x7f0000001000;
	profile__add(p, &key, 2);
	profile__add(p, &key, 2);
	add(0, "p", u, 0, 8);
	expect(&plain, "p;main 8\np;main;[0x0] 1\np;main;[0x7f0000001000] 4\n");
}

Test(folded, max_depth_counts_from_the_leaf)
{
	uint32_t u = STACK(user(3, "c"), user(2, "b"), user(1, "a"));
	uint32_t k = STACK(frame(FRAME_KERNEL, 2, "y"), frame(FRAME_KERNEL, 1, "x"));

	add(0, "p", u, k, 1);
	expect(&(struct shown){&counts, 1, 1, NULL}, "p;y_[k] 1\n");
	expect(&(struct shown){&counts, 1, 2, NULL}, "p;x_[k];y_[k] 1\n");
	expect(&(struct shown){&counts, 1, 3, NULL}, "p;c;x_[k];y_[k] 1\n");
	expect(&(struct shown){&counts, 1, 5, NULL}, "p;a;b;c;x_[k];y_[k] 1\n");
	expect(&(struct shown){&counts, 1, UINT32_MAX, NULL}, "p;a;b;c;x_[k];y_[k] 1\n");
}

/* Calls inlined at a place are frames of their own, which a shorter line may cut apart. */
Test(folded, inlined_calls)
{
	uint32_t b = user(2, "b"), c = user(3, "c");

	locations[b].inlined = xcalloc(2, sizeof(struct sym_frame));
	locations[b].n_inlined = 2;
	locations[b].inlined[0].name = "outer";
	locations[b].inlined[1].name = "inner";
	locations[c].inlined = xcalloc(1, sizeof(struct sym_frame));
	locations[c].n_inlined = 1;
	locations[c].inlined[0].name = "inner";
	add(0, "p", STACK(c, b, user(1, "a")), STACK(frame(FRAME_KERNEL, 1, "x")), 1);
	expect(&plain, "p;a;b;outer_[i];inner_[i];c;inner_[i];x_[k] 1\n");
	expect(&(struct shown){&counts, 1, 2, NULL}, "p;inner_[i];x_[k] 1\n");
	expect(&(struct shown){&counts, 1, 5, NULL}, "p;outer_[i];inner_[i];c;inner_[i];x_[k] 1\n");
}

Test(folded, what_a_jit_made)
{
	frame(FRAME_JIT, 1, "jitted");
	frame(FRAME_JIT, 2, "[unknown]");
	add(0, "p", STACK(frame(FRAME_JIT, 1, NULL), user(1, "main")), 0, 1);
	add(0, "p", STACK(frame(FRAME_JIT, 2, NULL)), 0, 2);
	expect(&plain, "p;[unknown] 2\np;main;jitted_[j] 1\n");
}

Test(folded, no_program_can_forge_a_kind_of_frame)
{
	add(0, "c_[k]", STACK(user(3, "a_[i]"), user(2, "b_[j]"), user(1, "d_[k]")), 0, 1);
	expect(&plain, "c_\\x5bk];d_\\x5bk];b_\\x5bj];a_\\x5bi] 1\n");
}

Test(folded, what_a_shorter_line_can_no_longer_tell_apart_is_one_line)
{
	add(0, "p", STACK(user(2, "hot"), user(1, "a")), 0, 1);
	add(0, "p", STACK(user(2, "hot"), user(3, "b")), 0, 2);
	expect(&(struct shown){&counts, 1, 1, NULL}, "p;hot 3\n");
}

Test(folded, two_stacks_of_full_depth)
{
	_cleanup_free_ char *got = NULL;
	uint32_t u[127], k[127];
	size_t parts = 1;

	for (uint32_t i = 0; i < 127; i++) {
		u[i] = user(i % 5, "u");
		k[i] = frame(FRAME_KERNEL, i % 5, "k");
	}
	profile__add(p,
		     &(struct profile_key){.comm = profile__comm(p, "p"),
					   .user_stack = stack(u, 127),
					   .kernel_stack = stack(k, 127),
					   .has_addr = 1},
		     1);
	got = folded(&plain);
	for (const char *s = got; *s; s++)
		parts += *s == ';';
	cr_expect_eq(parts, 1 + 127 + 127 + 1);
}

/* The same samples in another order, so under other numbers: the same bytes. */
Test(folded, the_order_of_samples_does_not_show)
{
	static const char *const names[] = {"a", "b", "c", "d;", "\xff"};
	_cleanup_free_ char *first = NULL;

	for (int order = 0; order < 2; order++) {
		for (int k = 0; k < 25; k++) {
			size_t i = (size_t)(order ? 24 - k : k);

			add(0, names[i % 5], STACK(user(i / 5 + 1, names[i / 5]), user(1, "a")), 0,
			    i + 1);
		}
		if (!order) {
			first = folded(&plain);
			end();
			begin();
		}
	}
	expect(&plain, first);
}

Test(folded, the_sum_of_the_lines_is_the_weight)
{
	_cleanup_free_ char *got = NULL;
	uint64_t sum = 0, weight = 0;
	char *line, *rest;

	srand(2);
	for (uint64_t i = 1; i < 5000; i++) {
		uint64_t w = (uint64_t)rand();

		add(0, i % 3 ? "p" : "q", STACK(user((uint64_t)rand() % 20, i % 2 ? "f" : "g")), 0,
		    w);
		weight += w;
	}
	got = rest = folded(&plain);
	while ((line = strsep(&rest, "\n")) && *line)
		sum += strtoull(strrchr(line, ' '), NULL, 10);
	cr_expect_eq(sum, weight);
}

Test(folded, a_full_disk_is_an_error)
{
	FILE *file = fopen("/dev/full", "w");

	cr_assert_not_null(file);
	add(0, "p", 0, 0, 1);
	cr_expect_eq(write_to(file, &plain), -ENOSPC);
	fclose(file);
}

/* Two events of one text on unlike cores: each weight becomes time at its own rate, then they add
 * up. */
static const struct measure led[] = {
	{.unit = NUMBER_TIME, .rate = {.hz = 2e9, .n = 1}},
	{.unit = NUMBER_TIME, .rate = {.hz = 1e9, .n = 1}, .lead = &led[0]},
};
static const struct shown cores = {led, 2, 0, NULL};

Test(folded, events_of_unlike_cores_share_lines_after_conversion)
{
	uint32_t both = STACK(user(1, "both")), big = STACK(user(2, "big"));
	uint32_t little = STACK(user(3, "little"));

	add(0, "prog", both, 0, 2000);
	add(1, "prog", both, 0, 2000);
	add(0, "prog", big, 0, 100);
	add(1, "prog", little, 0, 100);
	expect(&cores, "prog;big 50\nprog;both 3000\nprog;little 100\n");
}

Test(folded, shared_lines_beside_another_events)
{
	static const char *const events[] = {"faults", "cycles", "cycles"};
	const struct measure three[] = {
		{.unit = NUMBER_EVENTS},
		{.unit = NUMBER_EVENTS, .scale = 2},
		{.unit = NUMBER_EVENTS, .lead = &three[1]},
	};
	uint32_t f = STACK(user(1, "f"));

	add(0, "prog", f, 0, 1);
	add(1, "prog", f, 0, 10);
	add(2, "prog", f, 0, 100);
	expect(&(struct shown){three, 3, 0, events}, "cycles;prog;f 120\nfaults;prog;f 1\n");
}

/* The lightest go to [other] of what they begin with; what was there before stays. */
Test(folded, the_heaviest_fit)
{
	uint32_t heavy = STACK(user(1, "heavy_function_of_some_length"));
	uint32_t light = STACK(user(2, "light_function_of_some_length"));
	uint32_t other = STACK(user(3, "other_function_of_some_length"));

	add(0, "a", heavy, 0, 100);
	add(0, "a", light, 0, 5);
	add(0, "a", other, 0, 7);
	add(0, "a", profile__artificial(p, ARTIFICIAL_OTHER), 0, 1);
	add(0, "b", other, 0, 50);
	add(0, "b", light, 0, 3);
	locations[profile__frame(p, &(struct frame){FRAME_ARTIFICIAL, 0, ARTIFICIAL_OTHER})]
		.frame.name = "[other]";
	max_bytes = 115;
	expect(&plain, "a;[other] 13\n"
		       "a;heavy_function_of_some_length 100\n"
		       "b;[other] 3\n"
		       "b;other_function_of_some_length 50\n");
	cr_expect_eq(cut.lines, 3);
	cr_expect_eq(cut.weight, 15);
}

/* A program may call its functions so, and is not what they say. */
Test(folded, functions_that_are_called_other)
{
	add(0, "a", STACK(user(0x100, "[other]"), user(0x200, "[idle]")), 0, 5);
	add(0, "a", profile__artificial(p, ARTIFICIAL_OTHER), 0, 1);
	locations[profile__frame(p, &(struct frame){FRAME_ARTIFICIAL, 0, ARTIFICIAL_OTHER})]
		.frame.name = "[other]";
	expect(&plain, "a;[other] 1\n"
		       "a;\\x5bidle];\\x5bother] 5\n");
}

/* Latencies are a value beside the event's, of other tools as well; folded lines have the event. */
Test(folded, latencies_are_a_value_of_their_own)
{
	const struct profile_key key = {
		.comm = profile__comm(p, "a"),
		.user_stack = STACK(user(0x100, "f")),
	};
	struct prof *prof;
	struct prof_event *events;
	size_t type;

	profile__add_access(p, &key, 5, 70);
	profile__add_access(p, &key, 1, 0);
	prof = recorded(&plain);
	type = prof__type_called(prof, "e_latency");
	cr_assert_eq(type, 2, "behind the event's own");
	cr_expect_str_eq(prof__text(prof, prof->types[type].unit), "cycles");
	cr_expect_eq(prof__values(prof, 0)[type], 350);
	cr_assert_eq(prof__events(prof, &events), 2);
	cr_expect_str_eq(events[1].name, "e_latency");
	prof_events__free(events, 2);
	cr_assert_eq(prof__counted_events(prof, &events), 1);
	cr_expect_str_eq(events[0].name, "e");
	prof_events__free(events, 1);
	prof__free(prof);
	expect(&plain, "a;f 6\n");
}

/* Of all rows, as far as a reader adds them up. */
Test(folded, latencies_have_an_end)
{
	struct profile_key key = {.comm = profile__comm(p, "a")};
	struct prof *prof;
	size_t type;

	for (uint64_t i = 1; i <= 3; i++) {
		key.user_stack = STACK(user(0x100 * i, "f"));
		profile__add_access(p, &key, 1u << 31, UINT32_MAX);
	}
	prof = recorded(&plain);
	type = prof__type_called(prof, "e_latency");
	cr_expect_eq(prof__values(prof, 0)[type] + prof__values(prof, 1)[type] +
			     prof__values(prof, 2)[type],
		     INT64_MAX);
	prof__free(prof);
}

/* Other tools' types may be called so, and are what they are. */
Test(folded, latencies_that_are_none)
{
	struct prof *prof = prof__new();
	struct prof_event *events;

	prof__type(prof, "requests", "count");
	prof__type(prof, "requests_latency", "milliseconds");
	cr_assert_eq(prof__counted_events(prof, &events), 2);
	prof_events__free(events, 2);
	prof__free(prof);
}
