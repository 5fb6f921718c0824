// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What runs together, as far as any machine can tell: breakpoints have a limit everywhere. */
#include <criterion/criterion.h>
#include <errno.h>
#include <inttypes.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "pmu/capacity.h"

static int fit(const char *text, int cpu)
{
	_cleanup_(event_list__done) struct event_list list = {0};
	const struct event *events[16];
	struct err err = {0};

	cr_assert_eq(event_list__parse(&list, text, NULL, &err), 0, "%s", err.text);
	cr_assert_leq(list.n, ARRAY_SIZE(events));
	for (size_t i = 0; i < list.n; i++)
		events[i] = &list.events[i];
	return events__fit(events, list.n, cpu);
}

Test(capacity, software_events_always_fit)
{
	cr_expect_eq(fit("cpu-clock,task-clock,page-faults,context-switches", -1), 1);
	cr_expect_eq(fit("cpu-clock,task-clock,page-faults,context-switches", 0), 1);
}

Test(capacity, breakpoints_fit_until_there_are_no_more)
{
	static long words[16];
	char text[1024] = "";
	size_t len = 0;
	int fits = 0;

	for (int n = 1; n <= 16; n++) {
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%smem:0x%" PRIxPTR ":w:u",
					n > 1 ? "," : "", (uintptr_t)&words[n - 1]);
		fits = fit(text, n % 2 ? -1 : 0);
		if (fits != 1)
			break;
	}
	if (fits == -EACCES || fits == -ENODEV || fits == -EOPNOTSUPP)
		cr_skip_test("no breakpoints here (%d)", fits);
	cr_expect_eq(fits, 0, "%d", fits);
}

Test(capacity, what_must_be_alone_fits_with_software_only)
{
	_cleanup_(event_list__done) struct event_list list = {0};
	const struct event *events[3];

	cr_assert_eq(event_list__parse(&list, "cycles,instructions,cpu-clock", NULL, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		events[i] = &list.events[i];
	list.events[0].taken_alone = true;
	cr_expect_eq(events__fit(events, 3, -1), 0);
	list.events[0].attr.type = PERF_TYPE_SOFTWARE;
	list.events[1].attr.type = PERF_TYPE_SOFTWARE;
	cr_expect_eq(events__fit(events, 3, -1), 1);
}

Test(capacity, an_event_that_is_not_here_says_why)
{
	int r = fit("cycles", -1);

	cr_expect(r == 1 || r == -ENOENT || r == -EACCES || r == -EOPNOTSUPP, "%d", r);
}

Test(capacity, copies_of_one_event)
{
	static long word;
	_cleanup_(event_list__done) struct event_list list = {0};
	_cleanup_free_ char *text = xasprintf("mem:0x%" PRIxPTR ":w:u,cpu-clock", (uintptr_t)&word);
	int n;

	cr_assert_eq(event_list__parse(&list, text, NULL, NULL), 0);
	n = event__copies(&list.events[0]);
	cr_expect(n < CAPACITY_MAX, "%d", n);
	n = event__copies(&list.events[1]);
	cr_expect(n == CAPACITY_MAX || n == -EACCES, "%d", n);
}

Test(capacity, of_each_pmu)
{
	_cleanup_(pmus__done) struct pmus pmus = {0};
	struct pmu_capacity capacity;

	(void)pmus__read(&pmus, NULL);
	for (size_t i = 0; i < pmus.n; i++) {
		pmu__capacity(&pmus, &pmus.pmus[i], &capacity);
		cr_expect_geq(capacity.at_once, 0);
		cr_expect_leq(capacity.at_once, CAPACITY_MAX);
		cr_expect(!capacity.at_once || !capacity.error, "%s", pmus.pmus[i].name);
		for (int k = 0; k < capacity.n_alone; k++)
			cr_expect_leq(capacity.alone[k].copies, capacity.at_once);
	}
}
