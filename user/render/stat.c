// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/stat.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "render/escape.h"
#include "render/json.h"
#include "render/roles.h"

size_t stat__figures(const struct stat_report *r, size_t row, struct derived **ret)
{
	struct derive_event *roles = event_roles(r->events);
	const struct counts *c = r->counts;
	size_t n;

	*ret = xcalloc(DERIVE_MAX * c->n_events, sizeof(**ret));
	n = derive(roles, &c->cells[row * c->n_events], c->n_events, c->to_ns - c->from_ns, c->idle,
		   *ret);
	free(roles);
	return n;
}

static const char *why_not_counted(const struct perf_count *count)
{
	return count->enabled_ns ? "no counter was free for it" : "nothing of the target ran";
}

struct stat_cell stat__cell(const struct stat_report *r, size_t row, size_t event)
{
	size_t at = row * r->counts->n_events + event;
	const struct perf_count *count = &r->counts->cells[at];
	struct derive_event role = event_role(&r->events->events[event]);
	struct stat_cell cell = {
		.here = true,
		.count = count,
		.mean = count__scaled(count) / r->runs,
		.false_zero = derive__zero_is_false(&role, count),
	};

	if (r->spreads)
		cell.spread_percent = spread__percent(&r->spreads[at]);
	if (!r->tried[event].ok) {
		cell.status = STAT_NOT_SUPPORTED;
		cell.why = r->tried[event].brief;
	} else if (!r->counts->placed[at]) {
		cell.here = false;
	} else if (!count->running_ns) {
		cell.status = STAT_NOT_COUNTED;
		cell.why = why_not_counted(count);
	}
	return cell;
}

bool stat__series(const struct stat_report *r, size_t index, struct stat_series *ret)
{
	static const struct {
		const char *name, *key;
	} times[] = {
		[PMB_SERIES_DURATION] = {"duration", "duration"},
		[PMB_SERIES_CPU] = {"on a CPU", "on_cpu"},
		[PMB_SERIES_WAIT] = {"ready, without a CPU", "run_queue"},
		[PMB_SERIES_OFF] = {"blocked", "blocked"},
		[PMB_SERIES_IO] = {"of that for I/O", "io"},
		[PMB_SERIES_AWAY] = {"of that without a thread", "no_thread"},
	};
	size_t counter = index - ARRAY_SIZE(times);
	size_t series = index < ARRAY_SIZE(times) ? index : PMB_SERIES_COUNTERS + counter;

	*ret = (struct stat_series){0};
	if (index >= ARRAY_SIZE(times) && counter >= r->work->n_counters)
		return false;
	ret->real = &r->work->of[PMB_UNITS_REAL][series];
	ret->empty = &r->work->of[PMB_UNITS_EMPTY][series];
	ret->n = distribution__n(ret->real);
	if (index < ARRAY_SIZE(times)) {
		ret->name = times[index].name;
		ret->key = times[index].key;
		ret->ns = true;
		return true;
	}
	ret->event = &r->events->events[r->work->event[counter]];
	ret->name = ret->key = ret->event->name;
	ret->ns = ret->event->unit == UNIT_NS;
	ret->apart = r->work->stats.apart[counter];
	return true;
}

void stat__event_name(const struct event_list *events, size_t event, struct buf *out)
{
	const struct event *e = &events->events[event];
	bool led = false;

	for (size_t i = 0; i < events->n; i++)
		led |= i != event && events->events[i].lead == e->lead;
	if (led)
		buf__printf(out, "%s [%s]", e->name, e->pmu);
	else
		buf__puts(out, e->name);
}

void stat__line_begins(const struct stat_report *r, struct buf *out)
{
	if (r->interval)
		buf__printf(out, "%12.6f ", (double)r->counts->to_ns / 1e9);
	else
		buf__puts(out, "  ");
}

void stat__apart_refused(const struct stat_report *r, const struct probe_result *tried,
			 const char *how, const char *what, struct buf *out)
{
	for (size_t i = 0; i < r->events->n; i++) {
		if (!r->tried[i].ok || tried[i].ok)
			continue;
		buf__puts(out, "  ");
		escape_name(out, r->events->events[i].name);
		buf__printf(out, " %s ", how);
		escape_name(out, what);
		buf__printf(out, ": %s\n", tried[i].reason);
	}
}

void stat__apart_not_counted(const struct stat_report *r, const struct probe_result *tried,
			     struct json *j)
{
	json__arr(j, "not_counted");
	for (size_t i = 0; i < r->events->n; i++) {
		if (tried[i].ok)
			continue;
		json__obj(j, NULL);
		json__str(j, "name", r->events->events[i].name);
		json__str(j, "why", tried[i].reason);
		json__end_obj(j);
	}
	json__end_arr(j);
}
