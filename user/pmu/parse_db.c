// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Where the parser meets the event database: its names are events, and it knows more about
 * others. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "pmu/cores.h"
#include "pmu/event_db.h"
#include "pmu/parse.h"
#include "pmu/perf_names.h"

/* On the core PMU that is meant, else the one that this machine has, else the one it is told
 * for. */
int event__from_db_name(struct event *event, const struct parser *parser, struct terms *terms,
			const struct spec *spec)
{
	const struct event_db *db = parser->db;
	const char *name = spec->base;
	const struct event_db_entry *entry = NULL;
	const struct pmu *pmu = parser->core;

	(void)terms;
	if (pmu)
		entry = event_db__find(db, name, pmu->name);
	for (size_t i = 0; i < parser->pmus->n && !entry; i++) {
		pmu = &parser->pmus->pmus[i];
		entry = event_db__find(db, name, pmu->name);
	}
	if (!entry) {
		entry = event_db__find(db, name, NULL);
		pmu = NULL;
	}
	if (!entry)
		return -ENOENT;
	event__from_db(event, entry, pmu ? pmu->type : PERF_TYPE_RAW);
	if (pmu && pmu->cpus && pmus__are_mixed(parser->pmus))
		event->cpus = xstrdup(pmu->cpus);
	return 0;
}

/* What the PMU programs for one of the kernel's own events: its namesake in sysfs tells. */
static int find_namesake(struct event *ret, const struct event *event, const struct parser *parser)
{
	const struct pmu *core = parser->core ? parser->core : pmus__core(parser->pmus);
	size_t i = 0;

	while (i < n_perf_names && (perf_names[i].type != PERF_TYPE_HARDWARE ||
				    perf_names[i].config != attr__generic_id(&event->attr)))
		i++;
	if (i == n_perf_names || !core || !pmu__event(core, perf_names[i].name))
		return -ENOENT;
	return event__apply_pmu_terms(
		ret, core,
		&(struct terms){.n = 1, .terms = &(struct term){.key = perf_names[i].name}},
		&(struct spec){.shown = event->name}, NULL);
}

void event__find_in_db(struct event *event, const struct parser *parser)
{
	_cleanup_(event__done) struct event namesake = {0};
	const struct event *words = event;
	const struct event_db_entry *entry;

	if (!parser->db || event->attr.type == PERF_TYPE_HW_CACHE ||
	    event->attr.type == PERF_TYPE_SOFTWARE)
		return;
	if (event->attr.type == PERF_TYPE_HARDWARE) {
		if (find_namesake(&namesake, event, parser) < 0)
			return;
		words = &namesake;
	}
	entry = event_db__match(parser->db, words->pmu, words->attr.config, words->attr.config1);
	if (entry)
		event__enrich(event, entry);
}
