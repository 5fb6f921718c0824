// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How often: the options' rates and the presets, for events that name none. */
#include <criterion/criterion.h>
#include <errno.h>

#include "base/num.h"
#include "pmu/event.h"

static void parse(struct event_list *list, const char *text)
{
	cr_assert_eq(event_list__parse(list, text, NULL, NULL), 0);
}

Test(rate, rates_of_the_options)
{
	struct event_list list = {0};
	struct err err = {0};

	parse(&list, "cycles/period=5/,page-faults,mem:0x1000");
	cr_expect_eq(event_list__set_rates(&list, &(struct rate){0}, &err), 0);
	cr_expect_eq(list.events[0].attr.sample_period, 5);
	cr_expect_eq(list.events[1].attr.sample_period, 101);
	cr_expect_eq(list.events[2].attr.sample_period, 1);
	cr_expect_eq(event_list__set_rates(&list, &(struct rate){.period = 77}, &err), 0);
	cr_expect_eq(list.events[0].attr.sample_period, 5);
	cr_expect_eq(list.events[1].attr.sample_period, 77);
	cr_expect_eq(event_list__set_rates(&list, &(struct rate){.freq_hz = 99}, &err), 0);
	cr_expect(!list.events[0].attr.freq && list.events[0].attr.sample_period == 5);
	cr_expect(list.events[1].attr.freq && list.events[1].attr.sample_freq == 99);
	cr_expect_eq(event_list__set_rates(&list, &(struct rate){.freq_hz = 99, .period = 77},
					   &err),
		     -EINVAL);
	cr_expect_eq(err.exit_code, EXIT_USAGE);
	cr_expect_eq(event_list__set_rates(&list, &(struct rate){.period = 1ULL << 63}, &err),
		     -EINVAL);
	event_list__done(&list);
}

/* Of clocks nobody bounds what overflows take; who asks for a number gets it. */
Test(rate, the_most_of_a_clock_is_less)
{
	const struct rate most = {.freq_hz = 100000, .most = true}, few = {99, .most = true};
	struct event_list list = {0};

	parse(&list, "page-faults,cpu-clock,task-clock");
	cr_expect_eq(event_list__set_rates(&list, &most, NULL), 0);
	cr_expect_eq(list.events[0].attr.sample_freq, 100000);
	cr_expect_eq(list.events[1].attr.sample_freq, CLOCK_MOST_HZ);
	cr_expect_eq(list.events[2].attr.sample_freq, CLOCK_MOST_HZ);
	cr_expect_eq(event_list__set_rates(&list, &few, NULL), 0);
	cr_expect_eq(list.events[1].attr.sample_freq, 99);
	cr_expect_eq(event_list__set_rates(&list, &(struct rate){.freq_hz = 100000}, NULL), 0);
	cr_expect_eq(list.events[1].attr.sample_freq, 100000);
	event_list__done(&list);
}

Test(rate, presets_are_primes_a_decade_apart)
{
	struct event_list list = {0};
	struct err err = {0};
	enum rate_preset preset;

	parse(&list, "cycles/period=5/,page-faults,cpu-clock");
	cr_expect_eq(rate_preset__parse("lo", &preset), 0);
	cr_expect_eq(event_list__set_rates(&list, &(struct rate){.preset = preset}, &err), 0);
	cr_expect_eq(list.events[0].attr.sample_period, 5);
	cr_expect_eq(list.events[1].attr.sample_period, 10103);
	cr_expect(list.events[2].attr.sample_period >= 101300900 &&
		  list.events[2].attr.sample_period < 101301900);
	cr_expect(num__is_prime(list.events[2].attr.sample_period));
	cr_expect_eq(rate_preset__parse("hi", &preset), 0);
	cr_expect_eq(event_list__set_rates(&list, &(struct rate){.preset = preset}, &err), 0);
	cr_expect_eq(list.events[2].attr.sample_period, 1013009);
	cr_expect_eq(rate_preset__period(RATE_LO, INT64_MAX), 9223372036854775783u, "no wrap");
	cr_expect_eq(rate_preset__period(RATE_ON, INT64_MAX / 10), 9223372036854775783u);
	cr_expect_eq(period__prime(UINT64_MAX), 9223372036854775783u);
	cr_expect_neq(rate_preset__parse("high", &preset), 0);
	cr_expect_eq(event_list__set_rates(&list, &(struct rate){.preset = RATE_ON, .freq_hz = 9},
					   &err),
		     -EINVAL);
	event_list__done(&list);
}
