// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/units.h"

#include <errno.h>

static enum number_unit default_unit(const struct event *event)
{
	return event->unit == UNIT_EVENTS ? NUMBER_EVENTS : NUMBER_TIME;
}

int units__choose(struct measure *measures, const struct event_list *events,
		  const enum number_unit *given, struct err *err)
{
	for (size_t i = 0; i < events->n; i++) {
		const struct event *event = &events->events[i];

		if (given && *given == NUMBER_TIME && event->unit == UNIT_EVENTS)
			return err__usage(
				err,
				"--unit time: '%s' counts %s, which no clock rate turns into "
				"time; use --unit events, or leave --unit out",
				event->name, event->counts);
		measures[i] = (struct measure){
			.unit = given && !event->added ? *given : default_unit(event),
			.hidden = event->added,
			.is_time = event->unit == UNIT_NS,
			.lead = event->lead == i ? NULL : &measures[event->lead],
		};
	}
	return 0;
}

/* Events that share their lines are time together, or not at all. */
static void without_rate(const struct event_list *events, size_t event, struct measure *measures)
{
	for (size_t k = 0; k < events->n; k++) {
		if (events->events[k].lead != events->events[event].lead)
			continue;
		measures[k].rate = (struct clock_rate){0};
		if (measures[k].unit == NUMBER_TIME)
			measures[k].unit = NUMBER_EVENTS;
	}
}

int units__set_rates(struct measure *measures, const struct event_list *events,
		     const struct ledger *ledger, const struct clock_rate *rates,
		     const enum number_unit *given, struct err *err)
{
	for (size_t i = 0; i < events->n; i++) {
		measures[i].scale = ledger_event__scale(&ledger->events[i]);
		if (events->events[i].unit == UNIT_CYCLES)
			measures[i].rate = rates[i];
	}
	for (size_t i = 0; i < events->n; i++) {
		if (events->events[i].unit != UNIT_CYCLES || rates[i].n ||
		    !ledger->events[i].aggregated)
			continue;
		if (given && *given == NUMBER_TIME)
			return err__set(
				err, -ENODATA,
				"--unit time: the clock rate of '%s' could neither be measured nor "
				"read; use --unit events",
				events->events[i].name);
		without_rate(events, i, measures);
	}
	return 0;
}
