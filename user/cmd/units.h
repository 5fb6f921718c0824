/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* In which unit each event's numbers are. */
#ifndef PMUBPF_CMD_UNITS_H
#define PMUBPF_CMD_UNITS_H

#include "base/err.h"
#include "model/clockrate.h"
#include "model/ledger.h"
#include "model/measure.h"
#include "pmu/event.h"

/* For each event; given: for those that aren't ours; NULL: time for what is or becomes time, events
 * for the rest. Time for an event that isn't time is refused, so that it is before anything
 * runs. */
int units__choose(struct measure *measures, const struct event_list *events,
		  const enum number_unit *given, struct err *err);
/* After the recording, or a part of it: a cycles event without a rate falls back to events, or is
 * an error if time was asked for. */
int units__set_rates(struct measure *measures, const struct event_list *events,
		     const struct ledger *ledger, const struct clock_rate *rates,
		     const enum number_unit *given, struct err *err);

#endif
