// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>

#include "pmu/collection_mode.h"

static struct event_list list;

static const struct event *parsed(const char *text)
{
	event_list__done(&list);
	cr_assert_eq(event_list__parse(&list, text, "/nonexistent", NULL), 0);
	return &list.events[0];
}

static void end(void)
{
	event_list__done(&list);
}

TestSuite(way, .fini = end);

Test(way, a_clock_leaves_nothing_out)
{
	cr_expect(event__is_clock(parsed("cpu-clock")));
	cr_expect(!event__is_clock(parsed("cpu-clock:u")));
	cr_expect(!event__is_clock(parsed("cpu-clock:k")));
	cr_expect(!event__is_clock(parsed("task-clock")));
	cr_expect(!event__is_clock(parsed("page-faults")));
	cr_expect(!event__is_clock(parsed("cycles")));
}

Test(way, an_added_clock_is_marked_and_a_clock)
{
	parsed("page-faults");
	cr_assert_eq(event_list__add_clock(&list, NULL), 0);
	cr_assert_eq(list.n, 2);
	cr_expect(!list.events[0].added);
	cr_expect(list.events[1].added);
	cr_expect(event__is_clock(&list.events[1]));
}

Test(way, what_needs_no_trial)
{
	struct event place = *parsed("cycles");

	place.mode = EVENT_SYSTEM;
	cr_expect_eq(event__find_mode(&place), EVENT_SYSTEM);
	cr_expect_eq(event__find_mode(parsed("mem:0x1000/8:w")), EVENT_OVERFLOWS);
	cr_expect_eq(event__find_mode(parsed("cycles:p")), EVENT_OVERFLOWS,
		     "precise ones interrupt");
	cr_expect_eq(event__find_mode(parsed("cpu-clock")), EVENT_OVERFLOWS);
}
