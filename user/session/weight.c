// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How the overflow program knows what an overflow of an event stands for. */
#include "session/internal.h"

static enum pmb_weight counter_weight(const struct event *e, bool per_task)
{
	if (per_task) /* an inherited counter can't be read from its own overflow */
		return PMB_WEIGHT_PERIOD;
	if (e->attr.freq)
		return PMB_WEIGHT_COUNT;
	/* where others overflow, they have gone on counting for a while */
	return e->attr.type == PERF_TYPE_SOFTWARE && e->mode == EVENT_OVERFLOWS ? PMB_WEIGHT_GRID :
										  PMB_WEIGHT_PERIOD;
}

enum pmb_weight event_weight(const struct session *s, size_t event)
{
	const struct event *e = &s->opts->events->events[event];
	bool per_task = s->result->scopes[event] == SCOPE_PER_TASK;

	if (e->off_cpu)
		return PMB_WEIGHT_PERIOD;
	if (e->unit != UNIT_NS)
		return counter_weight(e, per_task);
	/* with :u or :k the timer also skips expirations in the code that is left out */
	if (e->attr.exclude_user || e->attr.exclude_kernel)
		return PMB_WEIGHT_PERIOD;
	return per_task ? PMB_WEIGHT_CLOCK_TASK : PMB_WEIGHT_CLOCK_CPU;
}
