// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How often an event overflows. The presets are the Sun Collector's: about 1, 10 and 100 ms of a
 * CPU that is busy with that very thing, which is what the default periods (1 ms) aim at.
 */
#include <inttypes.h>
#include <string.h>

#include "base/num.h"
#include "pmu/event.h"

/* ns; a shorter timer of a clock comes as often as this one, and would count less than it should
 * (kernel/events/core.c, perf_swevent_start_hrtimer()) */
#define CLOCK_SHORTEST 10000
#define LARGEST 9223372036854775783u /* the last prime below 2^63: the kernel takes no more */

static const uint64_t preset_factor[] = {[RATE_HI] = 1, [RATE_ON] = 10, [RATE_LO] = 100};

int rate_preset__parse(const char *text, enum rate_preset *ret)
{
	static const char *const names[] = {[RATE_LO] = "lo", [RATE_ON] = "on", [RATE_HI] = "hi"};

	for (int i = RATE_LO; i <= RATE_HI; i++) {
		if (strcmp(text, names[i]) == 0) {
			*ret = (enum rate_preset)i;
			return 0;
		}
	}
	return -1;
}

uint64_t period__prime(uint64_t about)
{
	return about < LARGEST ? num__next_prime(about) : LARGEST;
}

uint64_t rate_preset__period(enum rate_preset preset, uint64_t period)
{
	if (preset == RATE_DEFAULT || preset == RATE_HI)
		return period;
	return period > LARGEST / preset_factor[preset] ?
		       LARGEST :
		       period__prime(period * preset_factor[preset]);
}

int rate__check(const struct rate *rate, struct err *err)
{
	if (rate->freq_hz && rate->period)
		return err__usage(err, "-F and -c exclude each other: a rate is either a frequency "
				       "or a count");
	if (rate->preset && (rate->freq_hz || rate->period))
		return err__usage(err,
				  "--rate and -F or -c exclude each other: one of them says how "
				  "often");
	if (rate->period >> 63)
		return err__usage(err, "-c: the kernel takes counts up to 2^63 - 1");
	return 0;
}

static uint64_t freq_of(const struct event *event, const struct rate *rate)
{
	return rate->most && event__counts_all_code(event) && rate->freq_hz > CLOCK_MOST_HZ ?
		       CLOCK_MOST_HZ :
		       rate->freq_hz;
}

/* As its text says, else as the options do. */
static void set_rate(struct event *event, const struct rate *rate)
{
	if (event->rate_given)
		return;
	if (event->off_cpu) { /* each switch */
		event->attr.sample_period = event->period;
		return;
	}
	event->attr.freq = rate->freq_hz != 0;
	if (rate->freq_hz)
		event->attr.sample_freq = freq_of(event, rate);
	else if (rate->period && !event->added) /* -c counts what was asked for */
		event->attr.sample_period = rate->period;
	else
		event->attr.sample_period = rate_preset__period(rate->preset, event->period);
}

static int check_rate(const struct event *event, struct err *err)
{
	if (event__counts_all_code(event) && !event->attr.freq &&
	    event->attr.sample_period < CLOCK_SHORTEST)
		return err__usage(err,
				  "event '%s': a period of %" PRIu64 " ns is too short: the "
				  "kernel's timer comes at most every %d ns; say period=%d or more",
				  event->name, (uint64_t)event->attr.sample_period, CLOCK_SHORTEST,
				  CLOCK_SHORTEST);
	return 0;
}

int event_list__set_rates(struct event_list *list, const struct rate *rate, struct err *err)
{
	int r = rate__check(rate, err);

	for (size_t i = 0; r == 0 && i < list->n; i++) {
		struct event *event = &list->events[i];

		if (event->mode == EVENT_OVERFLOWS) {
			set_rate(event, rate);
			r = check_rate(event, err);
		} else if (event->rate_given) {
			r = err__usage(err,
				       "event '%s' has no overflow interrupt, so period= and "
				       "freq= mean nothing for it; -F sets how often it is read",
				       event->name);
		}
	}
	return r;
}
