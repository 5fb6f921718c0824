// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Profiles that want to be large, in each format. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "prof_build.h"
#include "render/shrink.h"

enum { N_TYPES = 3, DEPTH = 20 };

static struct prof *p;
static uint64_t state;

static uint64_t any(uint64_t below)
{
	state = state * 6364136223846793005 + 1442695040888963407;
	return (state >> 33) % below;
}

static void begin(void)
{
	state = 1;
	p = build_clock_and_misses();
}

static void end(void)
{
	p = prof__free(p);
}

TestSuite(shrink, .init = begin, .fini = end);

/* Of bytes that most formats escape, or that no text has. */
static uint32_t any_text(size_t len)
{
	char text[2048];

	for (size_t i = 0; i < len; i++)
		text[i] = (char)(1 + any(255));
	return prof__string_n(p, text, len);
}

static uint32_t any_location(size_t name_bytes)
{
	struct prof_mapping m = {.file = any(2) ? any_text(name_bytes) : 0, .limit = UINT64_MAX};
	uint32_t mapping = any(4) ? (uint32_t)any(p->n_mappings) : prof__mapping(p, &m);
	struct prof_line lines[3];
	size_t n = any(4);

	for (size_t i = 0; i < n; i++) {
		struct prof_function f = {.name = any_text(name_bytes),
					  .system_name = any_text(1 + any(8)),
					  .file = any(2) ? any_text(name_bytes) : 0,
					  .start_line = (int64_t)any(100000)};

		lines[i] = (struct prof_line){prof__function(p, &f), (int64_t)any(100000)};
	}
	return prof__location(p, mapping, any(UINT32_MAX) << 31, lines, n);
}

static void add_samples(size_t n, size_t name_bytes, size_t n_locations)
{
	uint32_t *locations = xcalloc(n_locations, sizeof(*locations)), stack[DEPTH];

	for (size_t i = 0; i < n_locations; i++)
		locations[i] = any_location(name_bytes);
	for (size_t i = 0; i < n; i++) {
		struct prof_label labels[] =
			{{.key = prof__string(p, "comm"), .text = any_text(1 + any(8))},
			 {.key = prof__string(p, "pid"), .number = (int64_t)any(1 << 22)},
			 {.key = prof__string(p, "tid"), .number = (int64_t)any(1 << 22)}};
		size_t depth = any(DEPTH);
		int64_t *values;

		for (size_t k = 0; k < depth; k++)
			stack[k] = locations[any(n_locations)];
		values = prof__sample(p, prof__stack(p, stack, depth), prof__labels(p, labels, 3));
		values[0] += 1;
		values[1] += (int64_t)any(1 << 20);
		values[2] += (int64_t)any(1 << 20);
	}
	free(locations);
}

static size_t size_of(const struct format *format, const struct prof *prof,
		      const struct format_opts *opts)
{
	_cleanup_free_ char *text = NULL;
	size_t len;
	FILE *file = open_memstream(&text, &len);

	cr_assert_eq(format->write(file, prof, opts), 0);
	fclose(file);
	return len;
}

static void expect_bound(const struct format *format, uint64_t max_bytes)
{
	struct prof *nothing = prof__new();
	struct room_cut cut = {0};
	struct format_opts opts = {.unit = -1, .inlined = true};
	size_t empty = size_of(format, nothing, &opts), whole = size_of(format, p, &opts), len;

	opts.max_bytes = max_bytes;
	opts.cut = &cut;
	len = size_of(format, p, &opts);
	cr_expect_leq(len, empty + max_bytes, "%s: %zu bytes, not %lu", format->name, len - empty,
		      max_bytes);
	cr_expect_gt(len, empty + max_bytes / 50, "%s: %zu bytes", format->name, len - empty);
	cut.lines = 0;
	opts.max_bytes = 64 * (uint64_t)whole;
	cr_expect_eq(size_of(format, p, &opts), whole, "%s", format->name);
	cr_expect_eq(cut.lines, 0, "%s", format->name);
	prof__free(nothing);
}

static void expect_bounds(void)
{
	for (const struct format *f = formats; f < formats + N_FORMATS; f++) {
		expect_bound(f, 10000);
		expect_bound(f, 60000);
	}
}

Test(shrink, names_of_a_kilobyte)
{
	add_samples(100, 1000, 100);
	expect_bounds();
}

Test(shrink, stacks_that_are_met_once)
{
	add_samples(1000, 20, 100);
	expect_bounds();
}

/* Each sample is about data of its own, in one of a few stacks: few texts in many ways. */
static void add_data(size_t n)
{
	static const char *const keys[] = {"data_object", "data_type", "member", "data_class"};
	const uint32_t stack[] = {any_location(8), any_location(8)};

	for (size_t i = 0; i < n; i++) {
		struct prof_label labels[ARRAY_SIZE(keys)];
		int64_t *values;

		for (size_t k = 0; k < ARRAY_SIZE(keys); k++)
			labels[k] = (struct prof_label){.key = prof__string(p, keys[k]),
							.text = any_text(1)};
		values = prof__sample(p, prof__stack(p, stack, 1 + any(2)),
				      prof__labels(p, labels, ARRAY_SIZE(keys)));
		values[0] += 1;
		values[1] += (int64_t)any(1 << 20);
	}
}

Test(shrink, data_that_is_met_once)
{
	add_data(20000);
	for (uint64_t bytes = 10000; bytes < 200000; bytes *= 3)
		expect_bound(format__named("html"), bytes);
}

Test(shrink, places_that_are_met_once)
{
	add_samples(200, 4, 2000);
	expect_bounds();
}

static void sums(const struct prof *prof, const char *comm, int64_t *ret)
{
	memset(ret, 0, N_TYPES * sizeof(*ret));
	for (size_t i = 0; i < prof->n_samples; i++) {
		const struct prof_label *l = prof__label(prof, prof->samples[i].labels, "comm");

		if (comm && strcmp(l ? prof__text(prof, l->text) : "", comm) != 0)
			continue;
		for (size_t t = 0; t < N_TYPES; t++)
			ret[t] += prof__values(prof, i)[t];
	}
}

/* "heavy" has one stack with most of the weight; "light" what is met once. */
static void add_two_commands(void)
{
	uint32_t stack[DEPTH];

	for (size_t i = 0; i < 500; i++) {
		struct prof_label comm = {.key = prof__string(p, "comm"),
					  .text = prof__string(p, i ? "light" : "heavy")};
		int64_t *values;

		for (size_t k = 0; k < DEPTH; k++)
			stack[k] = any_location(100);
		values = prof__sample(p, prof__stack(p, stack, DEPTH), prof__labels(p, &comm, 1));
		values[0] += i ? 1 : 100000;
		values[1] += i ? 7 : 100000;
	}
}

Test(shrink, no_sum_changes_and_the_heaviest_stays)
{
	static const struct shrink_prices prices = {.sample = 8, .frame = 4, .once = true};
	static const char *const comms[] = {NULL, "heavy", "light"};
	struct room_cut cut = {0};
	const struct format_opts opts = {.unit = -1, .max_bytes = 100000, .cut = &cut};
	int64_t before[N_TYPES], after[N_TYPES];
	struct prof *smaller;

	add_two_commands();
	smaller = shrink(p, &opts, &prices);
	cr_assert(smaller);
	for (size_t i = 0; i < ARRAY_SIZE(comms); i++) {
		sums(p, comms[i], before);
		sums(smaller, comms[i], after);
		cr_expect_arr_eq(before, after, sizeof(before), "%s", comms[i] ? comms[i] : "all");
	}
	cr_expect_eq(smaller->n_samples + cut.lines, p->n_samples + 1);
	cr_expect_eq(prof__values(smaller, 0)[1], 100000);
	cr_expect_lt(intern__count(&smaller->strings), 2000);
	prof__free(smaller);
}

Test(shrink, no_limit_is_none)
{
	static const struct shrink_prices prices = {.sample = 8, .frame = 4};
	const struct format_opts opts = {.unit = -1};

	add_two_commands();
	cr_expect_null(shrink(p, &opts, &prices));
}
