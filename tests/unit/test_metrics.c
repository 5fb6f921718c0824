// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What Prometheus is told: sums, bounded however many containers there are, with any names. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "prof_build.h"
#include "render/metrics.h"

#define HOUR_NS (3600 * 1000000000ULL)

static void add(struct prof *p, const char *container, const char *stack, int64_t samples)
{
	struct prof_label_list labels = {0};
	int64_t *values;

	if (container)
		prof__add_text(p, &labels, "container", container);
	values = prof__sample(p, build_stack(p, stack), prof__labels(p, labels.items, labels.n));
	values[0] += samples;
	values[1] += samples * 1000000000;
	free(labels.items);
}

static void add_window(struct metrics *m, const struct prof *prof, uint64_t end_ns)
{
	struct ledger ledger = {0};

	metrics__add(m, &(struct metrics_window){.prof = prof,
						 .ledger = &ledger,
						 .end_ns = end_ns,
						 .kernel_ns = 5});
}

static char *text_of(const struct metrics *m)
{
	struct buf out = {0};

	metrics__print(m, &(struct metrics_now){0}, &out);
	return buf__take(&out);
}

static void expect_line(const struct metrics *m, const char *line, bool want)
{
	_cleanup_free_ char *text = text_of(m), *whole = xasprintf("\n%s\n", line);

	cr_expect_eq(strstr(text, whole) != NULL, want, "%s in\n%s", line, text);
}

static size_t lines_with(const struct metrics *m, const char *start)
{
	_cleanup_free_ char *text = text_of(m);
	size_t n = 0;

	for (const char *at = text; (at = strstr(at, start)); at++)
		n++;
	return n;
}

Test(metrics, sums_of_windows)
{
	struct metrics *m = metrics__new();
	struct prof *p = build_clock_and_misses();

	add(p, "web", "f,main", 3);
	add(p, "web", "g,main", 1);
	add(p, NULL, "f,main", 2);
	add(p, NULL, "[idle]@,cpu_idle", 50);
	add_window(m, p, 1);
	add_window(m, p, 2);
	expect_line(m, "pmubpf_cpu_seconds_total{container=\"web\"} 8.000000000", true);
	expect_line(m, "pmubpf_cpu_seconds_total{container=\"[host]\"} 4.000000000", true);
	expect_line(m, "pmubpf_samples_total{container=\"web\",event=\"clock\"} 8", true);
	expect_line(m, "pmubpf_samples_total{container=\"[host]\",event=\"clock\"} 104", true);
	expect_line(m, "pmubpf_self_cpu_seconds_total{part=\"overflow_programs\"} 0.000000010",
		    true);
	expect_line(m, "pmubpf_windows_total 2", true);
	prof__free(p);
	metrics__free(m);
}

/* What has no place of its own is [other]; nothing is lost. */
Test(metrics, containers_are_bounded)
{
	struct metrics *m = metrics__new();
	struct prof *p = build_clock_and_misses();
	char name[32], line[128];

	for (int i = 0; i < METRICS_CONTAINERS + 70; i++) {
		snprintf(name, sizeof(name), "c%d", i);
		add(p, name, "f", 1);
	}
	add_window(m, p, 1);
	cr_expect_eq(lines_with(m, "pmubpf_cpu_seconds_total{"), METRICS_CONTAINERS + 1);
	expect_line(m, "pmubpf_cpu_seconds_total{container=\"[other]\"} 70.000000000", true);
	prof__free(p);

	/* an hour later others have the places */
	p = build_clock_and_misses();
	add(p, "late", "f", 2);
	add(p, "c0", "f", 2);
	add_window(m, p, 1 + HOUR_NS);
	expect_line(m, "pmubpf_cpu_seconds_total{container=\"late\"} 2.000000000", false);
	expect_line(m, "pmubpf_cpu_seconds_total{container=\"[other]\"} 72.000000000", true);
	add_window(m, p, 2 + HOUR_NS);
	expect_line(m, "pmubpf_cpu_seconds_total{container=\"late\"} 2.000000000", true);
	expect_line(m, "pmubpf_cpu_seconds_total{container=\"c0\"} 5.000000000", true);
	snprintf(line, sizeof(line), "pmubpf_cpu_seconds_total{container=\"c1\"} 1.000000000");
	expect_line(m, line, false);
	cr_expect_eq(lines_with(m, "pmubpf_cpu_seconds_total{"), 3);
	prof__free(p);
	metrics__free(m);
}

/* None ends a label or a line, and all is UTF-8. */
Test(metrics, hostile_names)
{
	struct metrics *m = metrics__new();
	struct prof *p = build_clock_and_misses();

	add(p, "a\"} 1\npmubpf_forged 7", "f", 1);
	add(p, "b\\\xff", "f", 1);
	add_window(m, p, 1);
	cr_expect_eq(lines_with(m, "\npmubpf_forged"), 0);
	cr_expect_eq(lines_with(m, "container=\"a\\\"} 1\\\\x0apmubpf_forged"), 2);
	cr_expect_eq(lines_with(m, "container=\"b\\\\x5c\\\\xff\""), 2);
	prof__free(p);
	metrics__free(m);
}

Test(metrics, destinations)
{
	static const struct metrics_destination list[] = {
		{.to = "clickhouse+http://h/a", .sent = 3, .uncertain = 1, .starts = 2},
		{.to = "clickhouse+http://h/b", .running = true},
	};
	struct metrics *m = metrics__new();
	struct buf out = {0};

	metrics__print(m, &(struct metrics_now){.destinations = list, .n_destinations = 2}, &out);
	cr_expect(strstr(out.data, "\npmubpf_destination_windows_total{outcome=\"sent\","
				   "to=\"clickhouse+http://h/a\"} 3\n"));
	cr_expect(strstr(out.data, "\npmubpf_destination_windows_total{outcome=\"uncertain\","
				   "to=\"clickhouse+http://h/a\"} 1\n"));
	cr_expect(strstr(out.data, "\npmubpf_destination_up{to=\"clickhouse+http://h/a\"} 0\n"));
	cr_expect(strstr(out.data, "\npmubpf_destination_up{to=\"clickhouse+http://h/b\"} 1\n"));
	buf__done(&out);
	metrics__free(m);
}

Test(metrics, alarms)
{
	static const struct metrics_alarm list[] = {
		{.relation = "a ~ b{cgroup=/\"x\"}", .raised = 3, .active = true},
		{.relation = "c ~ d"},
	};
	struct metrics *m = metrics__new();
	struct buf out = {0};

	metrics__print(m, &(struct metrics_now){.alarms = list, .n_alarms = 2}, &out);
	cr_expect(strstr(out.data,
			 "\npmubpf_alarm_active{relation=\"a ~ b{cgroup=/\\\"x\\\"}\"} 1\n"));
	cr_expect(strstr(out.data, "\npmubpf_alarm_active{relation=\"c ~ d\"} 0\n"));
	cr_expect(strstr(out.data,
			 "\npmubpf_alarms_total{relation=\"a ~ b{cgroup=/\\\"x\\\"}\"} 3\n"));
	cr_expect(strstr(out.data, "\npmubpf_alarms_total{relation=\"c ~ d\"} 0\n"));
	buf__done(&out);
	metrics__free(m);
}
