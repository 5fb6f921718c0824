// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "pmu/settle.h"

static struct event_list parsed, list;
static struct plan plan;
static struct buf notes;
static struct err err;
static bool want_clock;

static bool needs_clock(void *ctx, const struct event_list *events)
{
	cr_expect_eq(ctx, &want_clock);
	cr_expect_eq(events, &list);
	for (size_t i = 0; i < events->n; i++)
		cr_expect_eq(events->events[i].mode, EVENT_OVERFLOWS);
	return want_clock;
}

static int settle_text(const char *text, struct rate rate, bool budget_given)
{
	const struct settle_opts opts = {rate, budget_given, needs_clock, &want_clock};

	cr_assert_eq(event_list__parse(&parsed, text, "/nonexistent", &err), 0, "%s", err.text);
	return settle(&list, &plan, &parsed, &opts, &notes, &err);
}

static void end(void)
{
	event_list__done(&parsed);
	event_list__done(&list);
	plan__done(&plan);
	buf__done(&notes);
}

TestSuite(settle, .fini = end);

Test(settle, what_was_parsed_stays)
{
	cr_assert_eq(settle_text("cpu-clock,page-faults/period=7/", (struct rate){0}, false), 0);
	cr_assert_eq(parsed.n, 2);
	cr_assert_eq(list.n, 2);
	cr_expect_eq(parsed.events[0].attr.sample_period, 0, "no rate yet");
	cr_expect_neq(list.events[0].attr.sample_period, 0);
	cr_expect_eq(list.events[1].attr.sample_period, 7);
	cr_expect_not(parsed.events[0].adaptive);
	for (size_t i = 0; i < list.n; i++) {
		cr_expect_str_eq(list.events[i].name, parsed.events[i].name);
		cr_expect_neq(list.events[i].name, parsed.events[i].name, "a copy of its own");
	}
	cr_expect_eq(plan.n_events, 2);
}

Test(settle, whose_period_may_become_longer)
{
	cr_assert_eq(settle_text("cpu-clock,page-faults/period=7/", (struct rate){0}, false), 0);
	cr_expect(list.events[0].adaptive);
	cr_expect_not(list.events[1].adaptive, "it was given one");
}

Test(settle, each_switch_is_recorded_unless_that_takes_too_much)
{
	cr_assert_eq(settle_text("off-cpu,off-cpu/period=3,name=third/", (struct rate){.period = 9},
				 false),
		     0);
	cr_expect_eq(list.events[0].attr.sample_period, 1);
	cr_expect(list.events[0].adaptive);
	cr_expect_eq(list.events[1].attr.sample_period, 3);
	cr_expect_not(list.events[1].adaptive);
}

Test(settle, a_frequency_that_nobody_gave_is_not_refused_of_switches)
{
	cr_expect_lt(settle_text("off-cpu", (struct rate){.freq_hz = 49}, false), 0);
	cr_expect_eq(strncmp(err.text, "-F: switches", 12), 0, "%s", err.text);
	end();
	parsed = list = (struct event_list){0};
	plan = (struct plan){0};
	cr_assert_eq(settle_text("off-cpu", (struct rate){.freq_hz = 49, .own = true}, false), 0,
		     "%s", err.text);
	cr_expect_eq(list.events[0].attr.sample_period, 1);
	cr_expect(list.events[0].adaptive);
	cr_expect_eq(notes.len, 0);
}

/* The kernel's timer would come later than its overflows say. */
Test(settle, no_clock_is_shorter_than_a_timer)
{
	cr_expect_neq(settle_text("cpu-clock/period=9999/", (struct rate){0}, false), 0);
	cr_expect_eq(strncmp(err.text, "event 'cpu-clock': a period of 9999 ns", 38), 0);
}

Test(settle, other_events_are_as_short_as_asked_for)
{
	cr_expect_eq(settle_text("cpu-clock/period=10000/,page-faults/period=1/", (struct rate){0},
				 false),
		     0);
}

Test(settle, no_period_becomes_longer_where_all_are_given)
{
	cr_assert_eq(settle_text("cpu-clock", (struct rate){.period = 100000}, true), 0);
	cr_expect_eq(list.events[0].attr.sample_period, 100000);
	cr_expect_not(list.events[0].adaptive);
}

Test(settle, a_clock_of_ours_has_a_rate_and_a_place_in_the_plan)
{
	want_clock = true;
	cr_assert_eq(settle_text("page-faults", (struct rate){0}, false), 0);
	cr_assert_eq(list.n, 2);
	cr_expect_eq(parsed.n, 1);
	cr_expect(list.events[1].added);
	cr_expect_neq(list.events[1].attr.sample_period, 0);
	cr_expect_eq(plan.n_events, 2);
}

Test(settle, one_name_twice_is_refused)
{
	cr_expect_lt(settle_text("cpu-clock,cpu-clock", (struct rate){0}, false), 0);
	cr_expect_str_eq(err.text, "-e: 'cpu-clock' is given twice");
	cr_expect_eq(list.n, 0);
}
