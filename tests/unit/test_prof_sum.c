// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Many profiles as one: their samples, what they say of themselves, and the first bytes by which
 * their times are known. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>

#include "prof/label_all.h"
#include "prof/remark_sum.h"
#include "prof/sum.h"
#include "prof_build.h"
#include "render/pprof.h"
#include "spool/head.h"

static struct prof *window(const char *stack, int64_t samples)
{
	struct prof *p = build_clock_and_misses();

	BUILD_SAMPLE(p, stack, build_labels(p, 1, "a"), samples, samples * 1000, 7);
	p->time_ns = 5000 + samples;
	p->duration_ns = 60;
	return p;
}

static void add(struct prof_sum *s, struct prof *p)
{
	struct err err;

	cr_assert_eq(prof_sum__add(s, p, "it", &err), 0, "%s", err.text);
	prof__free(p);
}

Test(prof_sum, samples_of_one_stack_are_one)
{
	_cleanup_(prof_sum__done) struct prof_sum s = {0};
	struct prof *sum;

	add(&s, window("work,main", 3));
	add(&s, window("idle,main", 1));
	add(&s, window("work,main", 2));
	sum = prof_sum__take(&s);
	cr_assert_eq(sum->n_samples, 2);
	cr_expect_eq(prof__values(sum, 0)[0], 5);
	cr_expect_eq(prof__values(sum, 0)[1], 5000);
	cr_expect_eq(prof__values(sum, 1)[2], 7);
	cr_expect_eq(sum->n_functions, 4, "each function once, and none");
	cr_expect_eq(sum->n_mappings, 2);
	cr_expect_eq(sum->time_ns, 5001, "the earliest");
	cr_expect_eq(sum->duration_ns, 180);
	prof__free(sum);
}

Test(prof_sum, others_events_change_nothing)
{
	_cleanup_(prof_sum__done) struct prof_sum s = {0};
	struct prof *other = prof__new();
	size_t bytes;
	struct err err;

	prof__type(other, "clock_sample", "count");
	add(&s, window("work,main", 3));
	bytes = prof_sum__bytes(&s);
	cr_expect_gt(bytes, 0);
	cr_expect_eq(prof_sum__add(&s, other, "it", &err), -EINVAL);
	cr_expect(strstr(err.text, "other events"), "%s", err.text);
	cr_expect_eq(prof_sum__bytes(&s), bytes);
	cr_expect_eq(s.sum->n_samples, 1);
	prof__free(other);
}

Test(prof_sum, what_does_not_fit_is_refused)
{
	_cleanup_(prof_sum__done) struct prof_sum s = {0};
	struct prof *large = window("work,main", INT64_MAX / 2000);
	struct err err;

	add(&s, window("work,main", INT64_MAX / 2000));
	cr_expect_eq(prof_sum__add(&s, large, "it", &err), 0);
	cr_expect_eq(prof_sum__add(&s, large, "it", &err), -ERANGE);
	cr_expect_eq(prof__values(s.sum, 0)[0], INT64_MAX / 2000 * 2);
	prof__free(large);
}

/* ---------------------------------------------------------------- remarks */

static void say(struct remark_sum *s, const char *const *lines)
{
	struct prof *p = prof__new();

	for (; *lines; lines++)
		prof__comment(p, *lines);
	remark_sum__add(s, p, NULL);
	prof__free(p);
}

#define EVENT(numbers, rest) "event cpu\\x20clock: counts=cpu-clock " numbers " ratio=" rest

Test(remark_sum, counts_are_added_up)
{
	_cleanup_(remark_sum__done) struct remark_sum s = {0};
	static const char *const one[] = {
		"pmubpf: 0.1",
		"window: boot=0 seq=1 begin=1 end=2 clock=monotonic",
		EVENT("period=10 overflows=5 emitted=4 filtered=1 lost=0 weight=50 counter=100",
		      "1.0000 estimated=no pc=exact"),
		"user stacks: 3 complete, 1 truncated",
		"ledger: balanced",
		"processor: 2.0 % of the CPUs' time",
		NULL,
	};
	static const char *const two[] = {
		"pmubpf: 0.1",
		"somebody's comment",
		EVENT("period=20 overflows=7 emitted=6 filtered=0 lost=1 weight=60 counter=300",
		      "0.8000 estimated=yes pc=exact"),
		"user stacks: 2 truncated, 4 corrupt",
		"ledger: balanced",
		NULL,
	};
	struct prof *to = prof__new();

	say(&s, one);
	say(&s, two);
	remark_sum__put(&s, to);
	cr_expect_str_eq(prof__remark(to, "event cpu\\x20clock"),
			 "counts=cpu-clock period=20 overflows=12 emitted=10 filtered=1 lost=1 "
			 "weight=110 counter=400 ratio=0.8500 estimated=yes pc=exact");
	cr_expect_str_eq(prof__remark(to, "user stacks"), "3 complete, 3 truncated, 4 corrupt");
	cr_expect_str_eq(prof__remark(to, "ledger"), "balanced");
	cr_expect_null(prof__remark(to, "window"));
	cr_expect_str_eq(prof__remark(to, "processor"),
			 "2.0 % of the CPUs' time taken by the hypervisor");
	cr_expect_eq(to->n_comments, 5);
	prof__free(to);
}

#define WINDOW(begin, end) "window: boot=0 seq=1 begin=" begin " end=" end " clock=monotonic"
#define STOLEN(percent) "processor: " percent " % of the CPUs' time taken by the hypervisor"

/* The mean by the time that windows cover; heat as often as all of them say. */
Test(remark_sum, what_processors_lost)
{
	_cleanup_(remark_sum__done) struct remark_sum s = {0};
	static const char *const one[] = {
		STOLEN("9.0") " (from 3 s on), slowed down 4 times by heat (from 1 s on)",
		WINDOW("0", "10000000000"),
		NULL,
	};
	static const char *const two[] = {
		STOLEN("1.0") ", slowed down 1 times by heat",
		WINDOW("10000000000", "40000000000"),
		NULL,
	};
	static const char *const odd[] = {
		STOLEN("900.0") ", slowed down 7 times by heat",
		WINDOW("0", "10000000000"),
		NULL,
	};
	static const char *const odder[] = {"processor: x % of the CPUs' time", "window:", NULL};
	static const char *const backwards[] = {STOLEN("50.0"), WINDOW("9", "1"), NULL};
	struct prof *to = prof__new();

	say(&s, one);
	say(&s, two);
	say(&s, odd);
	say(&s, odder);
	say(&s, backwards);
	remark_sum__put(&s, to);
	cr_expect_str_eq(prof__remark(to, "processor"),
			 "3.0 % of the CPUs' time taken by the hypervisor, slowed down 5 times by "
			 "heat");
	prof__free(to);
}

/* Quotas by cgroup, pressure by the time that windows cover. */
Test(remark_sum, what_held_targets_up)
{
	_cleanup_(remark_sum__done) struct remark_sum s = {0};
	static const char *const one[] = {
		"pressure: cpu 40.00 4.00, memory 0.00 0.00, io 8.00 0.00, of the machine",
		"quota: 8 of 10 periods, 1.500 s, 0.50 CPUs, of /g/web",
		"quota: 1 of 10 periods, 0.100 s, 2.00 CPUs, of /g/db",
		WINDOW("0", "10000000000"),
		NULL,
	};
	static const char *const two[] = {
		"quota: 2 of 10 periods, 0.250 s, 1.00 CPUs, of /g/web",
		"pressure: cpu 0.00 0.00, memory 4.00 2.00, io 0.00 0.00, of the machine",
		WINDOW("10000000000", "40000000000"),
		NULL,
	};
	static const char *const odd[] = {
		"quota: 9 of 8 periods, 1 s, 1 CPUs, of /g/web",
		"quota: 9 of 1e99 periods, 1 s, 1 CPUs, of /g/web",
		"quota: -1 of 8 periods, 1 s, 1 CPUs, of /g/web",
		"quota: 1 of 8 periods, 1 s, 1 CPUs",
		"quota: ",
		"pressure: cpu 900.00 4.00, memory 0.00 0.00, io 8.00 0.00, of the machine",
		"pressure: cpu 1 1, io 1 1, memory 1 1, of the machine",
		"pressure: cpu 1 1, memory 1 1, io 1 1, the machine",
		WINDOW("0", "10000000000"),
		NULL,
	};
	static const char *const timeless[] = {
		"quota: 8 of 10 periods, 1.500 s, 0.50 CPUs, of /g/web",
		NULL,
	};
	struct prof *to = prof__new();

	say(&s, one);
	say(&s, two);
	say(&s, odd);
	say(&s, timeless);
	remark_sum__put(&s, to);
	cr_expect_str_eq(prof__remark(to, "pressure"),
			 "cpu 10.00 1.00, memory 3.00 1.50, io 2.00 0.00, of the machine");
	cr_expect_str_eq(prof__remark(to, "quota"),
			 "10 of 20 periods, 1.750 s, 0.50 CPUs, of /g/web");
	cr_expect_eq(to->n_comments, 3);
	prof__free(to);
}

/* The latest, in the order of time, whosever they are. */
Test(remark_sum, alarms)
{
	_cleanup_(remark_sum__done) struct remark_sum s = {0};
	struct prof *to = prof__new();

	for (int i = 0; i < ALARM_SUM_MOST + 3; i++) {
		int minute = (i * 4) % (ALARM_SUM_MOST + 3);
		_cleanup_free_ char *line =
			xasprintf("alarm: 2026-11-28T21:%02d:00.000Z raised", minute);
		struct prof *p = prof__new();

		prof__comment(p, line);
		remark_sum__add(&s, p, minute == 3 ? "h1" : NULL);
		prof__free(p);
	}
	remark_sum__put(&s, to);
	cr_assert_eq(to->n_comments, ALARM_SUM_MOST + 1);
	cr_expect_str_eq(prof__text(to, to->comments[0]), "alarm: 3 more before these");
	cr_expect_str_eq(prof__text(to, to->comments[1]),
			 "alarm: 2026-11-28T21:03:00.000Z raised, on h1");
	cr_expect_str_eq(prof__text(to, to->comments[ALARM_SUM_MOST]),
			 "alarm: 2026-11-28T21:34:00.000Z raised");
	prof__free(to);
}

Test(remark_sum, detail)
{
	_cleanup_(remark_sum__done) struct remark_sum s = {0};
	static const char *const one[] = {"detail: 23.400 s with 20 times as many samples", NULL};
	static const char *const two[] = {"detail: 1.100 s with 10 times as many samples", NULL};
	static const char *const odd[] = {"detail: x s with 10 times", "detail: 7",
					  "detail: ", "detail: 1 s with many", NULL};
	struct prof *to = prof__new();

	say(&s, one);
	say(&s, two);
	say(&s, odd);
	remark_sum__put(&s, to);
	cr_expect_str_eq(prof__remark(to, "detail"), "24.500 s with 20 times as many samples");
	prof__free(to);
}

/* Of more cgroups than anybody looks at. */
Test(remark_sum, what_held_very_many_up)
{
	_cleanup_(remark_sum__done) struct remark_sum s = {0};
	struct prof *from = prof__new(), *to = prof__new();

	prof__comment(from, WINDOW("0", "10000000000"));
	for (int i = 0; i < 2 * HELD_SUM_MOST; i++) {
		_cleanup_free_ char *line =
			xasprintf("quota: 1 of 2 periods, 1 s, 1 CPUs, of /%d", i);

		prof__comment(from, line);
	}
	remark_sum__add(&s, from, NULL);
	remark_sum__put(&s, to);
	cr_expect_eq(to->n_comments, HELD_SUM_MOST);
	prof__free(from);
	prof__free(to);
}

Test(remark_sum, one_that_does_not_balance_is_told)
{
	_cleanup_(remark_sum__done) struct remark_sum s = {0};
	static const char *const good[] = {"ledger: balanced", NULL};
	static const char *const bad[] = {"ledger: does not balance: seen", NULL};
	struct prof *to = prof__new();

	say(&s, good);
	say(&s, bad);
	remark_sum__put(&s, to);
	cr_expect_str_eq(prof__remark(to, "ledger"), "does not balance: seen (one of 2 profiles)");
	prof__free(to);
}

Test(remark_sum, lines_that_are_none_count_nothing)
{
	_cleanup_(remark_sum__done) struct remark_sum s = {0};
	static const char *const odd[] = {
		"event ",
		"event x",
		"event x: counts=",
		"event x: counts= overflows=-1 lost=x",
		"event x: counts=y overflows=18446744073709551615",
		"event x: counts=y overflows=18446744073709551615",
		"user stacks: ",
		"user stacks: 99999999999999999999 a, b, 1",
		"ledger:",
		"time ",
		NULL,
	};
	struct prof *to = prof__new();
	char *overflows;

	say(&s, odd);
	remark_sum__put(&s, to);
	overflows = strstr(prof__remark(to, "event x"), "overflows=");
	cr_assert(overflows);
	cr_expect(strstr(overflows, "overflows=18446744073709551615 "), "%s", overflows);
	prof__free(to);
}

/* ---------------------------------------------------------------- the head */

Test(head, says_when_it_was)
{
	struct prof *p = window("work,main", 3);
	uint8_t bytes[HEAD_BYTES];
	FILE *file = tmpfile();
	int64_t time = 0, duration = 0;
	bool any = false;
	size_t n;

	for (int i = 0; i < 2000; i++) { /* so that its head isn't all of it */
		_cleanup_free_ char *stack = xasprintf("f%d,main%d", i * 7919, i);

		BUILD_SAMPLE(p, stack, build_labels(p, i, "a"), 1, 2, 3);
	}
	cr_assert_eq(pprof__write(file, p), 0);
	rewind(file);
	n = fread(bytes, 1, sizeof(bytes), file);
	cr_assert_eq(n, sizeof(bytes));
	cr_assert(window_head(bytes, n, &time, &duration));
	cr_expect_eq(time, p->time_ns);
	cr_expect_eq(duration, p->duration_ns);
	for (size_t cut = 0; cut < n; cut++)
		any |= window_head(bytes, cut, &time, &duration);
	cr_expect(any);
	cr_expect_not(window_head(bytes, 40, &time, &duration));
	memset(bytes + 12, 0x5a, 500);
	cr_expect_not(window_head(bytes, n, &time, &duration));
	cr_expect_not(window_head("", 0, &time, &duration));
	fclose(file);
	prof__free(p);
}

Test(prof_sum, one_more_label_of_all)
{
	struct prof *p = build_clock_and_misses();

	BUILD_SAMPLE(p, "f", build_labels(p, 1, "a"), 1, 2, 3);
	BUILD_SAMPLE(p, "g", build_labels(p, 1, "a"), 4, 5, 6);
	BUILD_SAMPLE(p, "f", prof__labels(p, NULL, 0), 7, 8, 9);
	prof__label_all(p, "host", "h1");
	prof__label_all(p, "host", "h2");
	for (size_t i = 0; i < 3; i++) {
		const struct prof_label *set;
		const struct prof_label *host = prof__label(p, p->samples[i].labels, "host");

		cr_assert_not_null(host);
		cr_expect_str_eq(prof__text(p, host->text), "h2");
		cr_expect_eq(prof__label_set(p, p->samples[i].labels, &set), i < 2 ? 3 : 1);
	}
	cr_expect_eq(p->samples[0].labels, p->samples[1].labels);
	prof__free(p);
}
