// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <errno.h>

#include "pmu/event_names.h"
#include "sysfs_tree.h"

static struct event_names names;
static struct event_list list;
static struct err err;
static char *root;

static void setup(void)
{
	root = tree_load("intel-server");
	cr_assert_eq(pmus__read(&names.pmus, root), 0);
}

static void teardown(void)
{
	event_list__done(&list);
	event_names__done(&names);
	tree_remove(root);
}

TestSuite(user_events, .init = setup, .fini = teardown);

static void define(const char *text)
{
	cr_assert_eq(user_events__parse(&names.user, text, "file", &err), 0, "%s", err.text);
}

static const struct event *parse(const char *text)
{
	cr_assert_eq(event_names__parse(&names, &list, text, &err), 0, "%s", err.text);
	return &list.events[list.n - 1];
}

static const char file[] = "# of one's own\n"
			   "[l2-demand]\n"
			   "event = cpu/event=0x24,umask=0x27/\n"
			   "  title =  L2 demand misses  \n"
			   "counts=misses\n"
			   "; another comment\n"
			   "\n"
			   "unit = events\n"
			   "period = 100003\n"
			   "\t[stalls]\r\n"
			   "event = cpu/event=0xa3,umask=4/u\r\n"
			   "unit = cycles\n"
			   "[cycles]\n"
			   "event = cycles:u\n"
			   "[spot]\n"
			   "event = mem:0x1000/8:w";

Test(user_events, a_definition_gives_everything)
{
	const struct event *e;

	define(file);
	cr_expect_eq(names.user.n, 4);
	cr_expect_str_eq(names.user.events[1].where, "file:10");
	e = parse("l2-demand");
	cr_expect_str_eq(e->name, "l2-demand");
	cr_expect_str_eq(e->title, "L2 demand misses");
	cr_expect_str_eq(e->counts, "misses");
	cr_expect_str_eq(e->maps_to, "cpu/config=0x2724/");
	cr_expect(e->attr.type == 4 && e->attr.config == 0x2724 && e->period == 100003);
	cr_expect_eq(e->unit, UNIT_EVENTS);
	e = parse("stalls");
	cr_expect_eq(e->unit, UNIT_CYCLES);
	cr_expect(e->attr.exclude_kernel && !e->attr.exclude_user);
	cr_expect_str_eq(e->title, "raw event of PMU cpu");
}

Test(user_events, the_period_by_its_name_of_before)
{
	define("[mine]\nevent = cpu/event=0x24/\ninterval = 11\n");
	cr_expect_eq(parse("mine")->period, 11);
}

Test(user_events, modifiers_and_rates_behind_a_name)
{
	const struct event *e;

	define(file);
	e = parse("l2-demand:u");
	cr_expect_str_eq(e->name, "l2-demand:u");
	cr_expect(e->attr.exclude_kernel);
	e = parse("stalls:p");
	cr_expect(e->attr.exclude_kernel && e->attr.precise_ip == 1);
	e = parse("l2-demand/period=7/k");
	cr_expect_str_eq(e->name, "l2-demand:k");
	cr_expect(e->rate_given && e->attr.sample_period == 7 && e->attr.exclude_user);
	e = parse("l2-demand/freq=99,name=mine/");
	cr_expect_str_eq(e->name, "mine");
	cr_expect(e->attr.freq && e->attr.sample_freq == 99);
	e = parse("spot:u");
	cr_expect(e->is_breakpoint && e->attr.exclude_kernel && e->attr.bp_addr == 0x1000);
}

/* The user's goes before ours, and its text means ours: nothing can go in circles. */
Test(user_events, a_name_of_ours_can_be_defined_anew)
{
	const struct event *e;

	define(file);
	e = parse("cycles");
	cr_expect(e->attr.exclude_kernel && e->attr.type == PERF_TYPE_HARDWARE);
	cr_expect_str_eq(e->name, "cycles");
	cr_expect_str_eq(e->title, "CPU cycles");
	e = parse("cpu-cycles");
	cr_expect_not(e->attr.exclude_kernel);
}

Test(user_events, the_first_file_counts)
{
	define("[a]\nevent = page-faults\n");
	define("[a]\nevent = cpu-clock\n");
	cr_expect_eq(parse("a")->attr.config, PERF_COUNT_SW_PAGE_FAULTS);
}

static void refuse(const char *text, const char *words)
{
	struct user_events events = {0};
	int r = user_events__parse(&events, text, "file", &err);

	cr_expect_eq(r, -EINVAL, "%s", text);
	cr_expect_eq(err.exit_code, EXIT_USAGE);
	cr_expect(strstr(err.text, words), "'%s': %s", text, err.text);
	user_events__done(&events);
}

Test(user_events, a_bad_line_is_named)
{
	refuse("\n\nevent = x", "file:3: a [name] must come first");
	refuse("[a]\nevent = x\n[b]\ntitle = x\n", "file:3: [b] has no line event = ");
	refuse("[a]\n", "file:1: [a] has no line event = ");
	refuse("[a] b\n", "file:1: a name stands in brackets");
	refuse("[a\nevent = x", "file:1: a name stands in brackets");
	refuse("[a:u]\n", "file:1: 'a:u' is not a name");
	refuse("[]\n", "file:1: '' is not a name");
	refuse("[a]\nevent x\n", "file:2: this is neither");
	refuse("[a]\nevent =\n", "file:2: 'event' has no value");
	refuse("[a]\nevnt = x\n", "file:2: 'evnt' is not a key");
	refuse("[a]\nevent = x\nevent = y\n", "file:3: [a] has 'event' twice");
	refuse("[a]\nevent = x\n[a]\nevent = y\n", "file:3: [a] is defined twice, first in line 1");
	refuse("[a]\nunit = loads\n", "file:2: unit 'loads'");
	refuse("[a]\nperiod = 1k\n", "file:2: period '1k'");
	refuse("[a]\nperiod = 0\n", "file:2: period '0'");
	refuse("[a]\nperiod = 9223372036854775808\n", "file:2: period");
}

static void refuse_use(const char *text, const char *words)
{
	size_t before = list.n;

	cr_expect_lt(event_names__parse(&names, &list, text, &err), 0, "%s", text);
	cr_expect(strstr(err.text, words), "'%s': %s", text, err.text);
	cr_expect_eq(list.n, before);
}

Test(user_events, a_bad_text_is_named_when_it_is_used)
{
	define("[two]\nevent = cycles,insts\n[none]\nevent = nonsens\n[loop]\nevent = loop\n"
	       "[far]\nevent = two\n[terms]\nevent = cpu/event=1/\n");
	refuse_use("two", "file:1: [two]: 'cycles,insts' is more than one event");
	refuse_use("none", "file:3: [none]: event 'nonsens' is not known");
	refuse_use("loop", "file:5: [loop]: event 'loop' is not known");
	refuse_use("far", "file:7: [far]: event 'two' is not known");
	refuse_use("terms/umask=2/", "takes no term 'umask'");
	refuse_use("terms:q", "'q' is not a modifier");
	refuse_use("cycles,none", "file:3: [none]");
	refuse_use("term", "nearest: terms");
}

Test(user_events, on_hybrid_cpus_a_definition_is_an_event_of_each)
{
	const struct event *e;

	pmus__done(&names.pmus);
	tree_remove(root);
	root = tree_load("intel-hybrid");
	cr_assert_eq(pmus__read(&names.pmus, root), 0);
	define("[work]\nevent = insts:u\ntitle = work done\n");
	e = parse("work");
	cr_assert_eq(list.n, 2);
	cr_expect_str_eq(e->name, "work");
	cr_expect_str_eq(e->label, "work [cpu_core]");
	cr_expect_str_eq(list.events[0].label, "work [cpu_atom]");
	cr_expect_str_eq(list.events[0].title, "work done");
	cr_expect(e->lead == 0 && e->attr.exclude_kernel);
}
