/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Events whose overflows open and close windows. */
#ifndef PMUBPF_PMU_WINDOW_EVENT_H
#define PMUBPF_PMU_WINDOW_EVENT_H

#include <stdbool.h>

#include "pmu/event.h"
#include "pmu/event_names.h"
#include "pmu/window_spec.h"

/* The one event of the probe's text, with its period; of mem: it is 1. *ret is the caller's.
 * -EINVAL with the sentence. names may be given up before the event. */
int window_event__parse(struct event **ret, const struct window_probe *probe,
			const struct window_spec *spec, const struct event_names *names,
			struct err *err);
/* Whether its overflows interrupt on this machine. -errno with the sentence. */
int window_event__check(const struct event *event, const struct window_spec *spec, struct err *err);
/* Whether its overflows may be NMIs. */
bool window_event__in_nmi(const struct event *event);
/* Where its overflow interrupts, for people: "at the event itself". */
const char *window_event__skid(const struct event *event);

#endif
