// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which events may open and close windows, and how near to themselves they do. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "pmu/window_event.h"

static struct event *parse(const char *text, struct err *err)
{
	_cleanup_(event_names__done) struct event_names names = {0};
	_cleanup_(window_spec__done) struct window_spec spec = {0};
	_cleanup_free_ char *whole = xasprintf("%s..%s", text, text);
	struct event *event = NULL;

	cr_assert_eq(event_names__read(&names, "/dev/null", NULL, err), 0, "%s", err->text);
	names.counting = true; /* as for stat */
	cr_assert_eq(window_spec__parse(&spec, "--per", false, whole, err), 0, "%s", err->text);
	window_event__parse(&event, &spec.from, &spec, &names, err);
	return event;
}

static void give_up(struct event *event)
{
	event__done(event);
	free(event);
}

Test(window_event, has_its_period_and_its_skid)
{
	static const struct {
		const char *text;
		uint64_t period;
		bool nmi;
		const char *skid;
	} cases[] = {
		{"page-faults/period=1/", 1, false, "at the event itself"},
		{"page-faults/period=77/", 77, false, "at the event itself"},
		{"task-clock/period=1000000/", 1000000, false, "its timer"},
		{"mem:0x1000/8:x", 1, false, "at the instruction"},
		{"mem:0x1000/8:w/period=3/", 3, false, "no skid"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = {0};
		struct event *event = parse(cases[i].text, &err);

		cr_assert(event, "%s: %s", cases[i].text, err.text);
		cr_expect_eq(event->attr.sample_period, cases[i].period, "%s", cases[i].text);
		cr_expect_eq(event->attr.freq, 0);
		cr_expect_eq(window_event__in_nmi(event), cases[i].nmi, "%s", cases[i].text);
		cr_expect(strstr(window_event__skid(event), cases[i].skid), "%s: %s", cases[i].text,
			  window_event__skid(event));
		give_up(event);
	}
}

/* A counter of the CPU interrupts whatever runs, and later than it counts. */
Test(window_event, of_a_pmu)
{
	struct event event = {.attr = {.type = PERF_TYPE_HARDWARE}};

	cr_expect(window_event__in_nmi(&event));
	cr_expect(strstr(window_event__skid(&event), "up to a hundred"));
	event.attr.precise_ip = 1;
	cr_expect(strstr(window_event__skid(&event), "always as many"));
	event.attr.precise_ip = 3;
	cr_expect(strstr(window_event__skid(&event), "however precise"));
}

Test(window_event, what_is_refused)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{"page-faults/period=0/", "period must be at least 1"},
		{"nosuch/period=1/", "neither a PMU nor an event"},
		{"mem:0x1000/freq=7/", "needs a period: say how many of it"},
		{"sched:sched_wakeup/period=1/", "tracepoint"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = {0};

		cr_expect_null(parse(cases[i].text, &err), "%s", cases[i].text);
		cr_expect(strstr(err.text, cases[i].words), "%s: %s", cases[i].text, err.text);
		cr_expect_eq(err.exit_code, EXIT_USAGE);
	}
}
