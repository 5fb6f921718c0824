// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "pmu/cores.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "pmu/parse.h"

enum { PMU_TYPE_SHIFT = 32 }; /* PERF_PMU_TYPE_SHIFT, since 5.13 */

#define CACHE(cache, result)                                                                 \
	PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_READ << 8 | \
				    PERF_COUNT_HW_CACHE_RESULT_##result << 16
#define HW(id) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id

/* What the drivers of Arm's PMUs (and Apple's) call the generic events that they have. */
static const struct {
	uint32_t type;
	uint64_t config;
	const char *name;
} counterparts[] = {
	{HW(CPU_CYCLES), "cpu_cycles"},
	{HW(CPU_CYCLES), "cycles"},
	{HW(INSTRUCTIONS), "inst_retired"},
	{HW(INSTRUCTIONS), "instructions"},
	{HW(CACHE_REFERENCES), "l1d_cache"},
	{HW(CACHE_MISSES), "l1d_cache_refill"},
	{HW(BRANCH_INSTRUCTIONS), "br_retired"},
	{HW(BRANCH_INSTRUCTIONS), "pc_write_retired"},
	{HW(BRANCH_MISSES), "br_mis_pred"},
	{HW(BUS_CYCLES), "bus_cycles"},
	{HW(STALLED_CYCLES_FRONTEND), "stall_frontend"},
	{HW(STALLED_CYCLES_BACKEND), "stall_backend"},
	{CACHE(L1D, ACCESS), "l1d_cache"},
	{CACHE(L1D, MISS), "l1d_cache_refill"},
	{CACHE(L1I, ACCESS), "l1i_cache"},
	{CACHE(L1I, MISS), "l1i_cache_refill"},
	{CACHE(DTLB, ACCESS), "l1d_tlb"},
	{CACHE(DTLB, MISS), "l1d_tlb_refill"},
	{CACHE(ITLB, ACCESS), "l1i_tlb"},
	{CACHE(ITLB, MISS), "l1i_tlb_refill"},
	{CACHE(LL, ACCESS), "ll_cache_rd"},
	{CACHE(LL, MISS), "ll_cache_miss_rd"},
	{CACHE(BPU, ACCESS), "br_pred"},
	{CACHE(BPU, MISS), "br_mis_pred"},
};

bool pmus__are_mixed(const struct pmus *pmus)
{
	size_t n = 0;

	for (size_t i = 0; i < pmus->n; i++)
		n += pmu__is_core(&pmus->pmus[i]);
	return n > 1;
}

/* "event=0x0011" as the whole config word; these drivers know no other terms. */
static bool parse_event(const char *text, uint64_t *ret)
{
	static const char term[] = "event=";

	return strncmp(text, term, strlen(term)) == 0 &&
	       num__parse_u64(text + strlen(term), ret) == 0;
}

static bool use_counterpart(struct event *event, const struct pmu *core)
{
	for (size_t i = 0; i < ARRAY_SIZE(counterparts); i++) {
		const struct pmu_event *own;
		uint64_t config;

		if (counterparts[i].type != event->attr.type ||
		    counterparts[i].config != event->attr.config)
			continue;
		own = pmu__event(core, counterparts[i].name);
		if (!own || !parse_event(own->text, &config))
			continue;
		event->attr.type = core->type;
		event->attr.config = config;
		return true;
	}
	return false;
}

void event__of_core(struct event *event, const struct pmu *core)
{
	bool x86 = strncmp(core->name, "cpu_", 4) == 0;

	free(event->pmu);
	free(event->cpus);
	event->pmu = xstrdup(core->name);
	event->cpus = core->cpus ? xstrdup(core->cpus) : NULL;
	if (event->attr.type == PERF_TYPE_RAW) {
		event->attr.type = core->type;
		free(event->maps_to);
		event->maps_to = event__format_config(event);
		return;
	}
	if (x86 || !use_counterpart(event, core))
		event->attr.config |= (uint64_t)core->type << PMU_TYPE_SHIFT;
}

bool event__same_cpus(const struct event *a, const struct event *b)
{
	return strcmp(a->cpus ? a->cpus : "", b->cpus ? b->cpus : "") == 0;
}

size_t event_list__family_end(const struct event_list *list, size_t lead)
{
	size_t end = lead + 1;

	while (end < list->n && list->events[end].lead == lead)
		end++;
	return end;
}
