// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "pmu/window_event.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "pmu/probe.h"
#include "pmu/skid.h"

static int check_rate(const struct event *event, const struct window_probe *probe,
		      const struct window_spec *spec, struct err *err)
{
	if (!event->attr.freq && (event->rate_given || event->is_breakpoint))
		return 0;
	return err__usage(err,
			  "%s %s: event '%s' needs a period: say how many of it open or close a "
			  "window, as in page-faults/period=1/",
			  spec->option, spec->name, probe->name);
}

int window_event__parse(struct event **ret, const struct window_probe *probe,
			const struct window_spec *spec, const struct event_names *names,
			struct err *err)
{
	_cleanup_(event_list__done) struct event_list list = {0};
	struct event_names sampling = *names; /* for stat, too */
	int r;

	sampling.counting = false;
	r = event_names__parse(&sampling, &list, probe->name, err);
	if (r == 0 && list.n != 1)
		r = err__usage(err,
			       "%s %s: '%s' stands for %zu events, and one opens or closes "
			       "windows: name it with its PMU, as in cpu_core/cycles,period=1000/",
			       spec->option, spec->name, probe->name, list.n);
	if (r == 0)
		r = check_rate(&list.events[0], probe, spec, err);
	if (r < 0)
		return r;
	*ret = xcalloc(1, sizeof(**ret));
	**ret = list.events[0];
	list.n = 0;
	(*ret)->db = NULL;
	(*ret)->group = 0;
	if (!(*ret)->rate_given)
		(*ret)->attr.sample_period = 1;
	return 0;
}

int window_event__check(const struct event *event, const struct window_spec *spec, struct err *err)
{
	struct probe_result probe;

	/* which may be hit where a lock is held that windows need */
	if (event->attr.type == PERF_TYPE_TRACEPOINT)
		return err__usage(err, "%s %s: '%s' is a tracepoint: as one it is t:%s",
				  spec->option, spec->name, event->name, event->name);
	if (event->off_cpu)
		return err__usage(err, "%s %s: '%s' is time, not an event: context-switches is one",
				  spec->option, spec->name, event->name);
	event__probe(event, &probe);
	if (probe.ok && probe.mode == EVENT_OVERFLOWS)
		return 0;
	return err__cannot(err, "%s %s: event '%s' can't open or close windows: %s%s%s",
			   spec->option, spec->name, event->name,
			   probe.ok ? "it has no overflow interrupt here" : probe.reason,
			   !probe.ok && *probe.next ? "; " : "", probe.ok ? "" : probe.next);
}

bool window_event__in_nmi(const struct event *event)
{
	return event->attr.type != PERF_TYPE_SOFTWARE && event->attr.type != PERF_TYPE_BREAKPOINT;
}

static const char *pmu_skid(const struct event *event)
{
	switch (event->attr.precise_ip) {
	case 0:
		return "where the counter interrupts, some instructions behind its last event "
		       "(skid: up to a hundred or so)";
	case 1:
		return "where the counter interrupts, always as many instructions behind its last "
		       "event";
	default:
		return "where the counter interrupts, which is a few instructions behind its last "
		       "event, however precise what it reports is";
	}
}

const char *window_event__skid(const struct event *event)
{
	switch (event->attr.type) {
	case PERF_TYPE_SOFTWARE:
		return event->unit == UNIT_NS ? "when its timer interrupts" :
						"at the event itself (no skid)";
	case PERF_TYPE_BREAKPOINT:
		return event_skid(event) == PMB_SKID_AFTER ? "right behind the access (no skid)" :
							     "at the instruction (no skid)";
	default:
		return pmu_skid(event);
	}
}
