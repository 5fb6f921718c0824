// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Texts of -e that are refused, and what is said of them. */
#include <criterion/criterion.h>

#include "base/mem.h"
#include "pmu/event.h"
#include "sysfs_tree.h"

static char *root;

static void setup(void)
{
	root = tree_make(intel_tree, ARRAY_SIZE(intel_tree));
}

static void teardown(void)
{
	tree_remove(root);
}

TestSuite(parse_refused, .init = setup, .fini = teardown);

struct bad {
	const char *text;
	const char *says; /* a part of the message */
};

static void check_bad(const struct bad *bad, const char *sysfs, int exit_code)
{
	struct event_list list = {0};
	struct err err = {0};

	cr_expect_lt(event_list__parse(&list, bad->text, sysfs, &err), 0, "'%s'", bad->text);
	cr_expect_eq(err.exit_code, exit_code, "'%s': %s", bad->text, err.text);
	cr_expect(strstr(err.text, bad->says), "'%s' says: %s", bad->text, err.text);
	cr_expect_eq(list.n, 0);
	event_list__done(&list);
}

Test(parse_refused, refuses_with_a_reason)
{
	static const struct bad bads[] = {
		{"", "empty"},
		{"  ", "empty"},
		{",", "comma"},
		{"cycles,", "comma"},
		{",cycles", "comma"},
		{"cycles,,insts", "comma"},
		{"cycles/period=5", "not closed"},
		{"cpu/event=1", "not closed"},
		{"mem:0x10/period=5", "not closed"},
		{"/period=5/", "names no event"},
		{":u", "names no event"},
		{"{cycles,insts", "not closed"},
		{"cycles,insts}", "without an opening one"},
		{"cycles{insts}", "'cycles{insts' is not known"},
		{"{cycles,{insts}}", "not '}'"},
		{"{{cycles},insts}", "not within another"},
		{"{ }", "without events"},
		{"{page-faults,mem:0x10:x/sliced/}", "the others of its group"},
		{"{cycles,}", "missing"},
		{"{cycles}x", "not 'x'"},
		{"{cycles}:", "modifiers are missing"},
		{"{cycles}:q", "'q' is not a modifier"},
		{"{cycles,insts}:S", "at-clock"},
		{"cycles:", "allowed: ukhIGHpPDe"},
		{"cycles/period=5/:", "allowed"},
		{"cycles:S", "'S' is not a modifier; allowed are u k h"},
		{"cycles:user", "not a modifier; allowed are"},
		{"cycles:uu", "twice"},
		{"cycles:pppp", "three p"},
		{"cycles:pP", "exclude each other"},
		{"cpu-clock:p", "precise"},
		{"context-switches:u", "kernel"},
		{"mem:0x10:w:P", "precise"},
		{"cycles:u/period=5/", "after the terms"},
		{"cycles/period=0/", "at least 1"},
		{"cycles/freq=0/", "at least 1"},
		{"cycles/period/", "needs a value"},
		{"cycles/period=/", "no value"},
		{"cycles/period=1,freq=1/", "exclude each other"},
		{"cycles/period=x/", "not a number"},
		{"cycles/period=-5/", "not a number"},
		{"cycles/period=99999999999999999999/", "does not fit into 64 bits"},
		{"cycles/period=9223372036854775808/", "too large"},
		{"cycles/umask=1/", "takes no term 'umask'"},
		{"cycles/name/", "needs a value"},
		{"cycles/,/", "missing"},
		{"cycles/=5/", "missing"},
		{"cpu/event=1,/", "missing"},
		{"cpu//", "names none"},
		{"cpu/period=5/", "names none"},
		{"cpu/event=0x100/", "8 bits, at most 0xff"},
		{"cpu/edge=2/", "1 bit, at most 0x1"},
		{"cpu/event=zz/", "not a number"},
		{"cpu/config/", "needs a value"},
		{"cpu/evnt=1/", "nearest: event"},
		{"cpu/cache-mises/", "nearest: cache-misses"},
		{"cpu/cpu-cycles,slots/", "two events"},
		{"cpu/param/", "needs a value for 'event'"},
		{"cpuu/event=1/", "neither a PMU nor an event; nearest: cpu"},
		{"breakpoint/config=1/", "mem:ADDR"},
		{"tracepoint/config=1/", "overflow"},
		{"data_reads", "several PMUs"},
		{"dummy", "counts nothing: leave it out"},
		{"bpf-output:u", "counts nothing: leave it out"},
		{"duration_time", "`pmubpf stat` ends with it: seconds elapsed"},
		{"user_time", "seconds user"},
		{"system_time", "seconds system"},
		{"iTLB-stores", "no such access"},
		{"r", "not known"},
		{"r12345678901234567", "at most 64 bits"},
		{"rxyz", "not known"},
		{"sched:sched_switch", "tracepoints"},
		{"2:5", "tracepoints (type 2)"},
		{"0:99", "defines no event 99 of type 0"},
		{"4294967296:0", "of type 4294967296"},
		{"3:99999999999999999999", "64 bits"},
		{"3:65536:q", "'q' is not a modifier"},
		{"r1a:q", "'q' is not a modifier"},
		{"cycles/config=x/", "not a number for 'config'"},
		{"syscalls:*", "tracepoints"},
		{"nosuch:x", "'nosuch:x' is not known"},
		{"dcach-miss", "event 'dcach-miss' is not known; nearest: dcache-miss"},
		{"dcach-miss:u", "nearest: dcache-miss"},
		{"CYCLES", "nearest: cycles"},
		{"mem-lods", "nearest: cpu/mem-loads/"},
		{"stalls-fronted", "stalls-frontend"},
		{"nonsense-beyond-help", "not known; `pmubpf list` shows all"},
		{"mem:", "not an address"},
		{"mem:xyz", "not an address"},
		{"mem:0x1ffffffffffffffff", "not an address"},
		{"mem:0x10/0", "not a length"},
		{"mem:0x10/9", "not a length"},
		{"mem:0x10/4x", "not a length"},
		{"mem:0x10:ww", "neither an access"},
		{"mem:0x10:q", "neither an access"},
		{"mem:0x10:", "neither an access"},
		{"mem:0x10:w:", "modifier"},
		{"mem:0x10:w:q", "'q' is not a modifier"},
		{"mem:0x10:rwx", "together"},
		{"mem:0x10/4:x", "length 8"},
		{"mem:0x10/period=0/", "at least 1"},
		{"mem:0x10/umask=1/", "takes no term"},
		{"mem:0x10:u/period=1/k", "once after the colon"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(bads); i++)
		check_bad(&bads[i], root, EXIT_USAGE);
}

Test(parse_refused, without_a_pmu)
{
	static const struct bad missing = {"cpu/event=1/", "no PMU cpu"};
	static const struct bad unknown = {"foo/event=1/", "PMUs here: none"};
	struct event_list list = {0};

	check_bad(&missing, "/nonexistent", EXIT_CANNOT);
	check_bad(&unknown, "/nonexistent", EXIT_USAGE);
	cr_expect_eq(event_list__parse(&list, "cycles,cpu-clock", "/nonexistent", NULL), 0);
	event_list__done(&list);
}

Test(parse_refused, what_a_driver_got_wrong_is_not_a_usage_error)
{
	static const struct bad broken = {"cpu/broken/", "what sysfs says of it"};

	check_bad(&broken, root, EXIT_FAILED);
}

#ifndef PERF_ATTR_SIZE_VER8
Test(parse_refused, config3_needs_newer_headers)
{
	static const struct bad third = {"amd/third=1/", "config3"};

	check_bad(&third, root, EXIT_CANNOT);
}
#endif

Test(parse_refused, endless_texts)
{
	char *text = xcalloc(1, 100001);
	struct event_list list = {0};
	struct err err = {0};

	memset(text, 'a', 100000);
	cr_expect_lt(event_list__parse(&list, text, root, &err), 0);
	cr_expect(strstr(err.text, "`pmubpf list`"), "the end of the message is kept");
	memset(text, '/', 100000);
	cr_expect_lt(event_list__parse(&list, text, root, &err), 0);
	memset(text, ':', 100000);
	cr_expect_lt(event_list__parse(&list, text, root, &err), 0);
	memcpy(text, "mem:", 4);
	cr_expect_lt(event_list__parse(&list, text, root, &err), 0);
	cr_expect_eq(list.n, 0);
	free(text);
}
