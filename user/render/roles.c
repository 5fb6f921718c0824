// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/roles.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/num.h"
#include "sys/tsc.h"

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

/* The same on each x86: arch/x86/events/msr.c. */
static void clock_role(uint64_t config, struct derive_event *ret)
{
	enum { APERF = 1, MPERF = 2 };

	if (config == APERF) {
		ret->role = ROLE_CORE_CLOCK;
	} else if (config == MPERF) {
		ret->role = ROLE_BASE_CLOCK;
		ret->khz = (uint32_t)(tsc_hz() / 1000);
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

struct derive_event event_role(const struct event *event)
{
	enum { GENERIC_CACHE = UINT16_MAX };
	const struct perf_event_attr *attr = &event->attr;
	struct derive_event ret = {.set = set_of(event)};

	ret.all_code = !attr->exclude_user && !attr->exclude_kernel;
	if (event->off_cpu)
		return ret;
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
		if (event->pmu && strcmp(event->pmu, "msr") == 0)
			clock_role(attr->config, &ret);
		else if (event->unit == UNIT_CYCLES)
			ret.role = ROLE_CYCLES;
		else if (strcasestr(event->name, "miss"))
			ret.role = ROLE_OTHER_MISSES;
	}
	return ret;
}

struct derive_event *event_roles(const struct event_list *events)
{
	struct derive_event *roles = xcalloc(events->n, sizeof(*roles));

	for (size_t i = 0; i < events->n; i++)
		roles[i] = event_role(&events->events[i]);
	return roles;
}

void role__put(const struct derive_event *role, struct buf *out)
{
	buf__printf(out, "%s cache=%u set=%u all=%s", derive_role_keys[role->role], role->cache,
		    role->set, role->all_code ? "yes" : "no");
	if (role->khz)
		buf__printf(out, " khz=%u", role->khz);
}

/* " KEY=" of *p, and a number of 32 bits. */
static bool take_number(const char **p, const char *key, uint32_t *ret)
{
	size_t len = strlen(key);
	uint64_t number;

	if (strncmp(*p, key, len) != 0)
		return false;
	*p += len;
	if (!num__take_u64(p, &number) || number > UINT32_MAX)
		return false;
	*ret = (uint32_t)number;
	return true;
}

bool role__parse(const char *text, struct derive_event *ret)
{
	size_t len = strcspn(text, " ");
	const char *p = text + len;
	struct derive_event role = {0};
	int i = 0;

	while (i < N_ROLES &&
	       (strlen(derive_role_keys[i]) != len || strncmp(derive_role_keys[i], text, len) != 0))
		i++;
	if (i == N_ROLES || !take_number(&p, " cache=", &role.cache) ||
	    !take_number(&p, " set=", &role.set))
		return false;
	role.role = (enum derive_role)i;
	role.all_code = strncmp(p, " all=yes", 8) == 0;
	if (!role.all_code && strncmp(p, " all=no", 7) != 0)
		return false;
	p += strlen(role.all_code ? " all=yes" : " all=no");
	if (strncmp(p, " khz=", 5) == 0 && !take_number(&p, " khz=", &role.khz))
		return false;
	*ret = role;
	return true;
}
