// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "out/stat.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

/* Which cache, and what is done to it: a miss and an access differ in the third byte only. */
static void cache_role(uint64_t config, struct derive_event *ret)
{
	ret->cache = (uint32_t)config & 0xffff;
	switch (config >> 16 & 0xff) {
	case PERF_COUNT_HW_CACHE_RESULT_ACCESS:
		ret->role = ROLE_ACCESSES;
		break;
	case PERF_COUNT_HW_CACHE_RESULT_MISS:
		ret->role = ROLE_MISSES;
		break;
	}
}

static enum derive_role hardware_role(uint64_t config)
{
	switch (config & UINT32_MAX) { /* above it: which PMU, on hybrid CPUs */
	case PERF_COUNT_HW_CPU_CYCLES:
		return ROLE_CYCLES;
	case PERF_COUNT_HW_INSTRUCTIONS:
		return ROLE_INSTRUCTIONS;
	case PERF_COUNT_HW_BRANCH_INSTRUCTIONS:
		return ROLE_BRANCHES;
	case PERF_COUNT_HW_BRANCH_MISSES:
		return ROLE_BRANCH_MISSES;
	case PERF_COUNT_HW_CACHE_REFERENCES:
		return ROLE_ACCESSES;
	case PERF_COUNT_HW_CACHE_MISSES:
		return ROLE_MISSES;
	case PERF_COUNT_HW_STALLED_CYCLES_FRONTEND:
	case PERF_COUNT_HW_STALLED_CYCLES_BACKEND:
		return ROLE_STALLS;
	default:
		return ROLE_OTHER;
	}
}

static enum derive_role software_role(uint64_t config)
{
	switch (config) {
	case PERF_COUNT_SW_TASK_CLOCK:
		return ROLE_TASK_CLOCK;
	case PERF_COUNT_SW_CPU_CLOCK:
	case PERF_COUNT_SW_DUMMY:
		return ROLE_OTHER;
	default:
		return ROLE_OCCURRENCES;
	}
}

static uint32_t set_of(const struct event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	uint32_t set = attr->exclude_user | attr->exclude_kernel << 1 | attr->exclude_hv << 2 |
		       attr->exclude_host << 3 | attr->exclude_guest << 4;

	/* one of several core PMUs */
	if (event->cpus && event->pmu)
		set |= (uint32_t)hash_bytes(event->pmu, strlen(event->pmu)) << 5;
	return set;
}

static struct derive_event role_of(const struct event *event)
{
	enum { GENERIC_CACHE = UINT16_MAX };
	const struct perf_event_attr *attr = &event->attr;
	struct derive_event ret = {.set = set_of(event)};

	ret.all_code = !attr->exclude_user && !attr->exclude_kernel;
	switch (attr->type) {
	case PERF_TYPE_HARDWARE:
		ret.role = hardware_role(attr->config);
		ret.cache = GENERIC_CACHE;
		break;
	case PERF_TYPE_SOFTWARE:
		ret.role = software_role(attr->config);
		break;
	case PERF_TYPE_HW_CACHE:
		cache_role(attr->config, &ret);
		break;
	case PERF_TYPE_BREAKPOINT:
		ret.role = ROLE_OCCURRENCES;
		break;
	default:
		if (event->unit == UNIT_CYCLES)
			ret.role = ROLE_CYCLES;
		else if (strcasestr(event->name, "miss"))
			ret.role = ROLE_OTHER_MISSES;
	}
	return ret;
}

struct derive_event *stat__roles(const struct event_list *events)
{
	struct derive_event *roles = xcalloc(events->n, sizeof(*roles));

	for (size_t i = 0; i < events->n; i++)
		roles[i] = role_of(&events->events[i]);
	return roles;
}

size_t stat__figures(const struct stat_report *r, size_t row, struct derived **ret)
{
	struct derive_event *roles = stat__roles(r->events);
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
	struct derive_event role = role_of(&r->events->events[event]);
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
