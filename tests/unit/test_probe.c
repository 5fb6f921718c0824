// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The sentences for what perf_event_open can answer: none needs a PMU or a privilege. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "pmu/probe.h"

struct vector {
	const char *text;
	pid_t tid;
	int cpu;
	int errnum;
	int exit_code;
	const char *says;
};

Test(probe, each_refusal_has_its_sentence)
{
	static const struct vector vectors[] = {
		{"cpu-clock", 4711, -1, ESRCH, EXIT_FAILED, "on task 4711: the task has ended"},
		{"cpu-clock", -1, 3, EMFILE, EXIT_FAILED, "ulimit -n"},
		{"cpu-clock", -1, 3, ENODEV, EXIT_CANNOT, "CPU 3 is offline"},
		{"cpu-clock", -1, 999999, EINVAL, EXIT_FAILED, "no CPU 999999"},
		{"cpu-clock/freq=999999999/", 0, -1, EINVAL, EXIT_FAILED,
		 "perf_event_max_sample_rate"},
		{"cycles", 0, -1, EBUSY, EXIT_FAILED, "in use"},
		{"cgroup-switches", 0, -1, ENOENT, EXIT_CANNOT,
		 "no event for software cgroup-switches"},
		{"mem:0x1000", 0, -1, ENOSPC, EXIT_FAILED, "hardware breakpoints are in use"},
		{"mem:0x1001/4:w", 0, -1, EINVAL, EXIT_FAILED, "not a multiple of the length 4"},
		{"mem:0x1000:r", 0, -1, EINVAL, EXIT_CANNOT, "reads alone"},
		{"mem:0xffffffff81000000:w:u", 0, -1, EINVAL, EXIT_FAILED, "which :u excludes"},
		{"cpu-clock", 0, -1, ENOSYS, EXIT_CANNOT, "no perf events"},
		{"cpu-clock", 0, -1, E2BIG, EXIT_FAILED, "Argument list too long"},
		{"cpu-clock", 0, -1, EACCES, EXIT_CANNOT, "permission denied"},
		{"cpu-clock", 0, -1, EPERM, EXIT_CANNOT, "permission denied"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		const struct vector *v = &vectors[i];
		struct event_list list = {0};
		struct err err = {0};

		cr_assert_eq(event_list__parse(&list, v->text, NULL, &err), 0, "%s", err.text);
		cr_expect_eq(event__explain_open(list.events, v->tid, v->cpu, v->errnum, &err),
			     -v->errnum);
		cr_expect_eq(err.exit_code, v->exit_code, "%s", err.text);
		cr_expect(strstr(err.text, v->says), "'%s' is missing in: %s", v->says, err.text);
		cr_expect(strstr(err.text, "can't open event '"), "%s", err.text);
		event_list__done(&list);
	}
}

Test(probe, says_yes_or_why_not)
{
	static const char *const texts[] = {"cpu-clock", "cycles", "page-faults", "r1a2", "cs"};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct event_list list = {0};
		struct probe_result result;

		cr_assert_eq(event_list__parse(&list, texts[i], NULL, NULL), 0);
		event__probe(&list.events[0], &result);
		cr_expect_eq(result.ok, !*result.reason, "%s: %s", texts[i], result.reason);
		cr_expect_eq(result.ok, !*result.brief, "%s: %s", texts[i], result.brief);
		cr_expect(result.ok || !result.user_only);
		event_list__done(&list);
	}
}

/* cpu-clock, and beside it, as if on other cores, an event that no kernel has. */
static void parse_family(struct event_list *list, const char *text, size_t missing)
{
	struct err err = {0};

	for (size_t i = 0; i < 2; i++)
		cr_assert_eq(event_list__parse(list, text, NULL, &err), 0, "%s", err.text);
	for (size_t i = list->n - 2; i < list->n; i++) {
		list->events[i].lead = list->n - 2;
		list->events[i].cpus = xstrdup("0");
		if (i == list->n - 2 + missing)
			list->events[i].attr.type = 0x7ffffff0;
	}
}

Test(probe, what_only_some_cores_have_is_counted_there)
{
	struct event_list list = {0};
	struct buf notes = {0};

	parse_family(&list, "cpu-clock", 0);
	parse_family(&list, "task-clock", 1);
	parse_family(&list, "page-faults", 2);
	event_list__drop_missing(&list, &notes);
	cr_assert_eq(list.n, 4);
	cr_expect_str_eq(list.events[0].name, "cpu-clock");
	cr_expect_str_eq(list.events[1].name, "task-clock");
	cr_expect(list.events[0].lead == 0 && list.events[1].lead == 1);
	cr_expect(list.events[2].lead == 2 && list.events[3].lead == 2);
	cr_expect(strstr(notes.data, "cpu-clock is not in this profile (CPUs 0): "), "%s",
		  notes.data);
	buf__done(&notes);
	event_list__done(&list);
}

Test(probe, an_event_that_no_core_has_stays_to_be_explained)
{
	struct event_list list = {0};
	struct buf notes = {0};

	parse_family(&list, "cpu-clock", 0);
	list.events[1].attr.type = 0x7ffffff0;
	event_list__drop_missing(&list, &notes);
	cr_expect_eq(list.n, 2);
	cr_expect_eq(notes.len, 0);
	event_list__done(&list);
}
