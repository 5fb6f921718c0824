// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is the order, and settle() has all of it: a clock of ours has to go with events
 * that were found to be read only, and gets a rate as they do; only what has a mode and a rate has
 * a period that may become longer; and only when all are there it is known which fit together.
 */
#include "pmu/settle.h"

#include <string.h>

#include "base/mem.h"
#include "pmu/breakpoints.h"
#include "pmu/probe.h"
#include "pmu/collection_mode.h"

/* Lines begin with the event's name: two of one name could not be told apart. (Those of one text,
 * for several core PMUs, share their lines.) */
static int check_names(const struct event_list *list, struct err *err)
{
	for (size_t i = 0; i < list->n; i++) {
		for (size_t k = 0; k < i; k++) {
			if (list->events[i].lead != list->events[k].lead &&
			    strcmp(list->events[i].name, list->events[k].name) == 0)
				return err__usage(err, "-e: '%s' is given twice",
						  list->events[i].name);
		}
	}
	return 0;
}

/* How each event is counted; with a clock to read those at that don't overflow. */
static int find_modes(struct event_list *list, const struct settle_opts *opts, struct err *err)
{
	event_list__find_modes(list);
	for (size_t i = 0; i < list->n; i++) {
		if (list->events[i].at_clock && list->events[i].mode != EVENT_READ)
			return err__cannot(err,
					   "event '%s': at-clock is for counters of the CPU that "
					   "count here, and this is none",
					   list->events[i].name);
	}
	return opts->needs_clock(opts->ctx, list) ? event_list__add_clock(list, err) : 0;
}

/* Switches come when they come. */
static int check_freq(const struct event_list *list, const struct settle_opts *opts,
		      struct buf *notes, struct err *err)
{
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++)
		n += list->events[i].off_cpu;
	if (!n || !opts->rate.freq_hz || opts->rate.own)
		return 0;
	if (n == list->n)
		return err__usage(err, "-F: switches come when they come, so it means nothing to "
				       "off-cpu; -c N or off-cpu/period=N/ takes each N-th");
	buf__puts(notes, "-F is for the other events: off-cpu takes each switch, or each N-th\n");
	return 0;
}

/* Whose periods may become longer: of those that nobody has given a rate. One that overflows each
 * time is exact, which is worth more than its cost, unless that was limited on purpose; but of
 * switches there may be any number. */
static void settle_budget(struct event_list *list, const struct settle_opts *opts)
{
	bool all_given = opts->rate.freq_hz || opts->rate.period;

	for (size_t i = 0; i < list->n; i++) {
		struct event *event = &list->events[i];

		event->adaptive =
			event->mode == EVENT_OVERFLOWS && !event->rate_given &&
			(event->off_cpu ||
			 (!all_given && (event->attr.sample_period > 1 || opts->budget_given)));
	}
}

int settle(struct event_list *ret, struct plan *plan, const struct event_list *parsed,
	   const struct settle_opts *opts, struct buf *notes, struct err *err)
{
	int r = check_names(parsed, err);

	if (r < 0)
		return r;
	event_list__copy(ret, parsed);
	event_list__drop_missing(ret, notes);
	r = event_list__check_breakpoints(ret, err);
	if (r == 0)
		r = find_modes(ret, opts, err);
	if (r == 0)
		r = check_freq(ret, opts, notes, err);
	if (r == 0)
		r = event_list__set_rates(ret, &opts->rate, err);
	if (r < 0)
		return r;
	settle_budget(ret, opts);
	event_list__settle_precise(ret);
	plan__ask(plan, ret);
	return 0;
}
