// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Selecting, adding up, grouping. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "prof/group.h"
#include "prof/merge.h"
#include "prof/select.h"
#include "prof_build.h"

static struct prof *p;
static struct err err;

static void begin(void)
{
	p = prof__new();
	prof__type(p, "cycles_sample", "count");
	prof__type(p, "cycles_event", "count");
	BUILD_SAMPLE(p, "inner,work,main", build_labels(p, 1, "a"), 1, 10);
	BUILD_SAMPLE(p, "work,main", build_labels(p, 1, "a"), 2, 20);
	BUILD_SAMPLE(p, "inner,work,work,main", build_labels(p, 2, "b"), 4, 40);
	BUILD_SAMPLE(p, "read@[kernel.kallsyms],fread@/lib/libc.so,main", build_labels(p, 2, "b2"),
		     8, 80);
	BUILD_SAMPLE(p, "tiny+inner+big,main", build_labels(p, 3, "c"), 16, 160);
}

static void end(void)
{
	p = prof__free(p);
}

TestSuite(group, .init = begin, .fini = end);

/* "NAME self/total" of the second type, indented by level, a line for each row. */
static char *rows_of(const struct prof *of, struct group_opts opts, const char *by)
{
	struct buf out = {0};
	struct prof_key *keys;
	struct group *g;

	cr_assert_eq(prof_keys__parse(&keys, &opts.n_keys, by, of, &err), 0, "%s", err.text);
	opts.keys = keys;
	g = group__new(of, &opts);
	for (size_t i = 0; i < g->n_order; i++) {
		const struct group_row *row = &g->rows[g->order[i]];

		buf__printf(&out, "%*s%s %d/%d\n", (int)row->level - 1, "",
			    group__text(g, row->text), (int)group__self(g, g->order[i])[1],
			    (int)group__total(g, g->order[i])[1]);
	}
	prof_keys__free(keys, opts.n_keys);
	group__free(g);
	return buf__take(&out);
}

static char *rows(const struct prof *of, enum group_shape shape, const char *by, size_t limit,
		  double min_share)
{
	const struct group_opts opts = {.shape = shape,
					.sort_type = 1,
					.limit = limit,
					.min_share = min_share};

	return rows_of(of, opts, by);
}

#define EXPECT_ROWS(of, shape, by, words)                             \
	do {                                                          \
		_cleanup_free_ char *got = rows(of, shape, by, 0, 0); \
		cr_expect_str_eq(got, words);                         \
	} while (0)

Test(group, by_function_recursion_counts_once)
{
	EXPECT_ROWS(p, GROUP_KEYS, "function",
		    "tiny 160/160\n"
		    "read 80/80\n"
		    "inner 50/210\n"
		    "work 20/70\n"
		    "main 0/310\n"
		    "big 0/160\n"
		    "fread 0/80\n");
}

Test(group, by_what_a_sample_has_self_is_total)
{
	EXPECT_ROWS(p, GROUP_KEYS, "pid", "3 160/160\n2 120/120\n1 30/30\n");
	EXPECT_ROWS(p, GROUP_KEYS, "comm", "c 160/160\nb2 80/80\nb 40/40\na 30/30\n");
	EXPECT_ROWS(p, GROUP_KEYS, "container", "[no container] 310/310\n");
}

Test(group, a_process_is_one_row_whatever_its_threads_are_called)
{
	EXPECT_ROWS(p, GROUP_KEYS, "process", "c 3 160/160\nb 2 120/120\na 1 30/30\n");
}

static void expect_sorted_by(const char *key, const char *words)
{
	const struct group_opts opts = {.sort_type = 1, .sort_level = 1};
	_cleanup_free_ char *got = rows_of(p, opts, key);

	cr_expect_str_eq(got, words);
}

/* …whatever the rows' values are. */
Test(group, rows_ascend_by_what_they_are_of)
{
	static const char *const pages[] = {"0x7f3405b6f000", "0x7f3405b10000", "[none]"};
	static const char *const durations[] = {"2.1ms..4.19ms", "2.15s..4.29s", "131us..262us"};

	end();
	p = prof__new();
	prof__type(p, "cycles_sample", "count");
	prof__type(p, "cycles_event", "count");
	for (int i = 0; i < 3; i++) {
		struct prof_label set[] = {
			{.key = prof__string(p, "data_page"), .text = prof__string(p, pages[i])},
			{.key = prof__string(p, "duration"), .text = prof__string(p, durations[i])},
			{.key = prof__string(p, "cpu"), .number = 12 - i},
		};

		BUILD_SAMPLE(p, "main", prof__labels(p, set, ARRAY_SIZE(set)), 1, 10 - i);
	}
	expect_sorted_by("data_page", "0x7f3405b10000 9/9\n0x7f3405b6f000 10/10\n[none] 8/8\n");
	expect_sorted_by("duration", "131us..262us 8/8\n2.1ms..4.19ms 10/10\n2.15s..4.29s 9/9\n");
	expect_sorted_by("cpu", "10 8/8\n11 9/9\n12 10/10\n");
}

Test(group, keys_within_keys)
{
	EXPECT_ROWS(p, GROUP_KEYS, "module,function",
		    "a 230/310\n"
		    " tiny 160/160\n"
		    " inner 50/210\n"
		    " work 20/70\n"
		    " main 0/310\n"
		    " big 0/160\n"
		    "[kernel.kallsyms] 80/80\n"
		    " read 80/80\n"
		    "libc.so 0/80\n"
		    " fread 0/80\n");
}

/* [unknown], [no module] and [vdso] are the tool's words; a file may be called so. */
Test(group, files_that_are_called_as_what_is_no_file)
{
	struct prof *q = prof__new();
	struct prof_line none;
	uint32_t stack[2];

	prof__type(q, "cycles_sample", "count");
	prof__type(q, "cycles_event", "count");
	for (int i = 0; i < 2; i++) {
		uint32_t mapping = build_mapping(q, i ? "/tmp/[vdso]" : "[vdso]");

		stack[i] = prof__location(q, mapping, 0x10, &none, 0);
	}
	for (int i = 0; i < 2; i++)
		build_sample(q, prof__stack(q, &stack[i], 1), build_labels(q, 1, "a"),
			     (const int64_t[]){1, 1 + i});
	EXPECT_ROWS(q, GROUP_KEYS, "function", "[[vdso]] 2/2\n[vdso] 1/1\n");
	EXPECT_ROWS(q, GROUP_KEYS, "module", "'[vdso]' 2/2\n[vdso] 1/1\n");
	prof__free(q);
}

Test(group, by_event)
{
	EXPECT_ROWS(p, GROUP_KEYS, "event,pid",
		    "cycles 310/310\n 3 160/160\n 2 120/120\n 1 30/30\n");
}

Test(group, trees_of_calls_and_of_callers)
{
	EXPECT_ROWS(p, GROUP_CALLS, "function",
		    "main 0/310\n"
		    " work 20/70\n"
		    "  inner 10/10\n"
		    "  work 0/40\n"
		    "   inner 40/40\n"
		    " big 0/160\n"
		    "  inner 0/160\n"
		    "   tiny 160/160\n"
		    " fread 0/80\n"
		    "  read 80/80\n");
	EXPECT_ROWS(p, GROUP_CALLERS, "function",
		    "tiny 0/160\n inner 0/160\n  big 0/160\n   main 160/160\n"
		    "read 0/80\n fread 0/80\n  main 80/80\n"
		    "inner 0/50\n work 0/50\n  main 10/10\n  work 0/40\n   main 40/40\n"
		    "work 0/20\n main 20/20\n");
}

Test(group, limit_and_share)
{
	_cleanup_free_ char *two = rows(p, GROUP_KEYS, "function", 2, 0);
	_cleanup_free_ char *half = rows(p, GROUP_KEYS, "function", 0, 50);

	cr_expect_str_eq(two, "tiny 160/160\nread 80/80\n");
	cr_expect_str_eq(half, "tiny 160/160\ninner 50/210\nmain 0/310\nbig 0/160\n");
}

Test(group, a_stack_without_frames)
{
	build_sample(p, 0, 0, (const int64_t[]){1, 1000});
	EXPECT_ROWS(p, GROUP_KEYS, "module",
		    "[unknown] 1000/1000\na 230/310\n"
		    "[kernel.kallsyms] 80/80\nlibc.so 0/80\n");
}

Test(group, unknown_keys_are_refused)
{
	struct prof_key *keys;
	size_t n;

	cr_expect_lt(prof_keys__parse(&keys, &n, "function,planet", p, &err), 0);
	cr_expect_not_null(strstr(err.text, "nor a label of the profile (comm, pid)") ?:
				   strstr(err.text, "(pid, comm)"),
			   "%s", err.text);
	cr_expect_eq(err.exit_code, EXIT_USAGE);
	cr_expect_lt(prof_keys__parse(&keys, &n, "", p, &err), 0);
}

/* ---- select */

#define EXPECT_SELECTED(words, ...)                                                \
	do {                                                                       \
		struct selection s = {__VA_ARGS__};                                \
		struct prof *part = NULL;                                          \
		cr_assert_eq(prof__select(&part, p, &s, &err), 0, "%s", err.text); \
		EXPECT_ROWS(part, GROUP_KEYS, "function", words);                  \
		prof__free(part);                                                  \
	} while (0)

Test(group, focus_and_ignore)
{
	EXPECT_SELECTED("read 80/80\nfread 0/80\nmain 0/80\n", .focus = "^f?read$");
	EXPECT_SELECTED("read 80/80\nwork 20/20\nmain 0/100\nfread 0/80\n", .ignore = "inner");
	EXPECT_SELECTED("", .focus = "nobody");
}

Test(group, below_a_function)
{
	EXPECT_SELECTED("inner 50/50\nwork 20/70\n", .callees = "work");
	EXPECT_SELECTED("tiny 160/160\ninner 50/210\n", .callees = "inner");
}

Test(group, above_a_function)
{
	EXPECT_SELECTED("work 70/70\nmain 0/70\n", .callers = "work");
}

/* Its addresses are one row, and who calls any of them calls it. */
Test(group, above_a_file_without_names)
{
	uint32_t bare = build_mapping(p, "/lib/bare.so"), stack[2];
	const struct prof_line caller = build_line(p, "asks");
	const int64_t values[] = {1, 5};

	stack[1] = prof__location(p, build_mapping(p, "/bin/a"), 16, &caller, 1);
	for (uint64_t address = 16; address <= 32; address += 16) {
		stack[0] = prof__location(p, bare, address, NULL, 0);
		build_sample(p, prof__stack(p, stack, 2), build_labels(p, 1, "a"), values);
	}
	EXPECT_SELECTED("[bare.so] 10/10\nasks 0/10\n", .callers = "[bare.so]");
}

Test(group, a_location_is_cut_between_its_functions)
{
	EXPECT_SELECTED("inner 210/210\nmain 0/210\nbig 0/160\nwork 0/50\n", .callers = "inner");
}

Test(group, by_labels)
{
	struct label_filter either[] = {{"pid", "1"}, {"pid", "3"}};
	struct label_filter both[] = {{"pid", "2"}, {"comm", "b2"}};

	EXPECT_SELECTED("tiny 160/160\nwork 20/30\ninner 10/170\nmain 0/190\nbig 0/160\n",
			.labels = either, .n_labels = 2);
	EXPECT_SELECTED("read 80/80\nfread 0/80\nmain 0/80\n", .labels = both, .n_labels = 2);
}

Test(group, what_is_not_there_is_an_error)
{
	const char *events[] = {"misses"};
	struct selection callees = {.callees = "wor"}, event = {.events = events, .n_events = 1};
	struct selection regex = {.focus = "("};
	struct prof *part = NULL;

	cr_expect_lt(prof__select(&part, p, &callees, &err), 0);
	cr_expect_str_eq(err.text, "no stack has a function called 'wor'");
	cr_expect_lt(prof__select(&part, p, &event, &err), 0);
	cr_expect_str_eq(err.text, "the profile has no event 'misses'; it has: cycles");
	cr_expect_lt(prof__select(&part, p, &regex, &err), 0);
	cr_expect_null(part);
}

/* ---- merge */

Test(group, a_profile_twice_is_twice_the_profile)
{
	struct prof *both = NULL;
	struct selection all = {0};

	prof__comment(p, "x");
	p->time_ns = 100;
	p->duration_ns = 7;
	cr_assert_eq(prof__select(&both, p, &all, &err), 0);
	both->time_ns = 50;
	cr_assert_eq(prof__merge(&both, p, "it", &err), 0, "%s", err.text);
	cr_expect_eq(both->n_samples, p->n_samples);
	cr_expect_eq(both->n_locations, p->n_locations);
	cr_expect_eq(both->n_mappings, p->n_mappings);
	cr_expect_eq(both->n_comments, 1);
	cr_expect_eq(both->time_ns, 50);
	cr_expect_eq(both->duration_ns, 14);
	for (size_t i = 0; i < p->n_values; i++)
		cr_expect_eq(both->values[i], 2 * p->values[i]);
	prof__free(both);
}

Test(group, other_types_and_too_large_sums_are_not_added)
{
	struct prof *other = prof__new();

	prof__type(other, "cycles_sample", "count");
	prof__type(other, "insts_event", "count");
	cr_expect_lt(prof__merge(&p, other, "'x'", &err), 0);
	cr_expect_not_null(strstr(err.text, "sample type 2 is insts_event/count"), "%s", err.text);
	prof__free(other);
	other = prof__new();
	prof__type(other, "cycles_sample", "count");
	prof__type(other, "cycles_event", "count");
	build_sample(other, 0, 0, (const int64_t[]){1, INT64_MAX});
	cr_expect_lt(prof__merge(&p, other, "'x'", &err), 0);
	cr_expect_not_null(strstr(err.text, "doesn't fit into 64 bits"));
	cr_expect_eq(p->n_samples, 5);
	prof__free(other);
}

static struct prof *clock_in(const char *unit, int64_t value)
{
	struct prof *made = prof__new();

	prof__type(made, "cpu", unit);
	BUILD_SAMPLE(made, "work,main", 0, value);
	return made;
}

/* In the finer unit, whichever comes first, as pprof adds them. */
Test(group, times_in_other_units_are_added)
{
	static const struct {
		const char *units[2], *unit;
		int64_t values[2], sum;
	} cases[] = {
		{{"nanoseconds", "milliseconds"}, "nanoseconds", {5, 7}, 7000005},
		{{"milliseconds", "nanoseconds"}, "nanoseconds", {7, -5}, 6999995},
		{{"seconds", "ms"}, "ms", {2, 3}, 2003},
		{{"microseconds", "us"}, "microseconds", {2, 3}, 5},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct prof *a = clock_in(cases[i].units[0], cases[i].values[0]);
		struct prof *b = clock_in(cases[i].units[1], cases[i].values[1]);

		cr_assert_eq(prof__merge(&a, b, "b", &err), 0, "%s", err.text);
		cr_expect_eq(a->n_samples, 1);
		cr_expect_eq(a->values[0], cases[i].sum, "%zu: %lld", i, (long long)a->values[0]);
		cr_expect_str_eq(prof__text(a, a->types[0].unit), cases[i].unit);
		prof__free(a);
		prof__free(b);
	}
}

Test(group, units_that_cannot_be_added)
{
	struct prof *a = clock_in("nanoseconds", 1), *b = clock_in("bytes", 1);
	struct prof *c = clock_in("seconds", INT64_MAX / 1000);

	cr_expect_lt(prof__merge(&a, b, "'b'", &err), 0);
	cr_expect_not_null(strstr(err.text, "sample type 1 is cpu/bytes"), "%s", err.text);
	cr_expect_lt(prof__merge(&a, c, "'c'", &err), 0);
	cr_expect_not_null(strstr(err.text, "doesn't fit into 64 bits"), "%s", err.text);
	prof__free(a);
	prof__free(b);
	prof__free(c);
}

/* ---- classes */

Test(group, classes)
{
	static const char *const cases[][2] = {
		{"main", "[none]"},
		{"Stack::pop()", "Stack"},
		{"ns::Stack<a::b>::pop(std::string)", "ns::Stack<a::b>"},
		{"int ns::Stack<int>::pop<bool>(bool) const", "ns::Stack<int>"},
		{"operator<<(a::b)", "[none]"},
		{"ns::S::operator<(ns::S const&)", "ns::S"},
		{"ns::S::operator()(x::y)", "ns::S"},
		{"(anonymous namespace)::f(a::b)", "(anonymous namespace)"},
		{"f(a::b, c::d)", "[none]"},
		{"void f<a::b>(c::d)", "[none]"},
		{"alloc::vec::Vec<T>::push", "alloc::vec::Vec<T>"},
		{"<alloc::vec::Vec<T> as core::ops::Drop>::drop", "alloc::vec::Vec<T>"},
		{"core::ptr::drop_in_place", "core::ptr"},
		{"main.work", "main"},
		{"net/http.(*conn).serve", "net/http.(*conn)"},
		{"net/http.HandlerFunc.ServeHTTP", "net/http"},
		{"runtime.mallocgc", "runtime"},
		{"work.part.0", "[none]"},
		{"work.constprop.0.isra.0", "[none]"},
		{"work.cold", "[none]"},
		{"do_work.isra.0_[k]", "[none]"},
		{"ns::S::work.part.0", "ns::S"},
		{"parts.work", "parts"},
		{"main.particle", "main"},
		{"[unknown]", "[none]"},
		{"::", "[none]"},
		{"<", "[none]"},
		{"", "[none]"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(buf__done) struct buf out = {0};

		class_of_name(cases[i][0], &out);
		cr_expect_str_eq(out.data, cases[i][1], "%s: %s", cases[i][0], out.data);
	}
}

Test(group, classes_of_python)
{
	static const char *const cases[][2] = {
		{"main", "[none]"},
		{"<module>", "[none]"},
		{"Outer.Inner.method", "Outer.Inner"},
		{"f.<locals>.<lambda>", "[none]"},
		{"f.<locals>.g.<locals>.<genexpr>", "[none]"},
		{"Outer.method.<locals>.<lambda>", "Outer"},
		{"f.<locals>.C.m", "f.<locals>.C"},
		{".<locals>.", "[none]"},
		{".", "[none]"},
		{"", "[none]"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(buf__done) struct buf out = {0};

		class_of_python(cases[i][0], &out);
		cr_expect_str_eq(out.data, cases[i][1], "%s: %s", cases[i][0], out.data);
	}
}
