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
		{"mem:0x1001/4:w", 0, -1, EINVAL, EXIT_FAILED, "no multiple of the length 4"},
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
