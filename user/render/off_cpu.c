// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <linux/types.h>

#include "base/num.h"
#include "render/off_cpu.h"

enum { DOUBT_PERCENT = 5 };

static double s(uint64_t ns)
{
	return (double)ns / 1e9;
}

static bool in_budget(const struct event_list *events)
{
	for (size_t i = 0; i < events->n; i++) {
		if (events->events[i].off_cpu && events->events[i].adaptive)
			return true;
	}
	return false;
}

bool off_cpu__doubt(const struct pmb_off_stats *off, const struct event_list *events,
		    struct buf *out)
{
	const double percent = num__percent(s(off->unseen_ns), s(off->wall_ns));

	if (percent < DOUBT_PERCENT)
		return false;
	buf__printf(out,
		    "of %.0f %% of threads' time it isn't known whether they had a CPU, so what is "
		    "without one is an estimate%s",
		    percent, in_budget(events) ? " (--budget 0 looks at each switch)" : "");
	return true;
}

void off_cpu__text(const struct pmb_off_stats *off, struct buf *out)
{
	if (!off->departures && !off->hooks)
		return;
	buf__printf(out, "  threads: %.6f s = %.6f s with a CPU + %.6f s without", s(off->wall_ns),
		    s(off->on_ns), s(off->off_ns));
	if (off->outside_ns)
		buf__printf(out, " + %.6f s without, in no window (waiting for work)",
			    s(off->outside_ns));
	buf__printf(out, " + %.6f s not known (%llu switches not seen, or not recorded%s)\n",
		    s(off->unseen_ns), off->unseen,
		    off->unseen ? "; the event's sum is an estimate with these" : "");
	if (off->brief)
		buf__printf(out, "    %llu times without a CPU, %.6f s, were too short (min=)\n",
			    off->brief, s(off->brief_ns));
}

void off_cpu__json(const struct pmb_off_stats *off, struct json *j)
{
	if (!off->departures && !off->hooks) {
		json__null(j, "off_cpu");
		return;
	}
	json__obj(j, "off_cpu");
	json__u64(j, "switches", off->departures);
	json__u64(j, "recorded", off->recorded);
	json__u64(j, "thread_ns", off->wall_ns);
	json__u64(j, "on_ns", off->on_ns);
	json__u64(j, "off_ns", off->off_ns);
	json__u64(j, "waiting_for_work_ns", off->outside_ns);
	json__u64(j, "not_known_ns", off->unseen_ns);
	json__u64(j, "not_seen", off->unseen);
	json__u64(j, "brief", off->brief);
	json__u64(j, "brief_ns", off->brief_ns);
	json__u64(j, "hooks", off->hooks);
	json__end_obj(j);
}
