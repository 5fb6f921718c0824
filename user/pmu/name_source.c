// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Where names of events come from, in the order in which they are looked up: it matters where one
 * name stands in several places. The user's own names come first, the vendors' last: they are many,
 * and asking for one takes long.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "pmu/cores.h"
#include "pmu/event_db.h"
#include "pmu/libpfm.h"
#include "pmu/parse.h"
#include "pmu/perf_names.h"
#include "pmu/user_events.h"

static int find_users(struct event *event, const struct parser *parser, struct terms *terms,
		      const struct spec *spec)
{
	(void)event, (void)terms;
	return parser->user && user_events__find(parser->user, spec->base) ? NAME_IS_TEXT : -ENOENT;
}

static void offer_users(struct nearest *nearest, const struct parser *parser)
{
	for (size_t i = 0; parser->user && i < parser->user->n; i++)
		nearest__offer(nearest, parser->user->events[i].name, NULL);
}

static void offer_known(struct nearest *nearest, const struct parser *parser)
{
	struct cache_event cache;

	(void)parser;
	for (size_t i = 0; i < n_event_aliases; i++)
		nearest__offer(nearest, event_aliases[i].name, NULL);
	for (size_t i = 0; i < n_perf_names; i++) {
		nearest__offer(nearest, perf_names[i].name, NULL);
		if (perf_names[i].synonym)
			nearest__offer(nearest, perf_names[i].synonym, NULL);
	}
	for (size_t i = 0; cache_event__nth(i, &cache); i++)
		nearest__offer(nearest, cache.name, NULL);
}

static void offer_db(struct nearest *nearest, const struct parser *parser)
{
	event_db__offer(parser->db, nearest);
}

static void offer_pmus(struct nearest *nearest, const struct parser *parser)
{
	for (size_t i = 0; i < parser->pmus->n; i++) {
		const struct pmu *pmu = &parser->pmus->pmus[i];

		for (size_t k = 0; k < pmu->n_events; k++) {
			_cleanup_(buf__done) struct buf shown = {0};

			buf__printf(&shown, "%s/%s/", pmu->name, pmu->events[k].name);
			nearest__offer(nearest, pmu->events[k].name, shown.data);
		}
	}
}

static void offer_vendors(struct nearest *nearest, const struct parser *parser)
{
	if (is_vendor_style(nearest->wanted) && !parser->pmus->recorded)
		libpfm__offer(nearest, nearest->wanted);
}

static const struct name_source {
	/* 0; NAME_IS_TEXT; -ENOENT: it has no such name; else why the name can't be had. */
	int (*find)(struct event *event, const struct parser *parser, struct terms *terms,
		    const struct spec *spec);
	void (*offer)(struct nearest *nearest, const struct parser *parser);
	bool has_colons; /* in its names: what follows one needn't be modifiers */
} sources[] = {
	{find_users, offer_users, false},
	{event__from_known, offer_known, false}, /* aliases, perf's names, rNNNN */
	{event__from_db_name, offer_db, false},
	{event__from_sysfs_name, offer_pmus, false},
	{event__from_vendor, offer_vendors, true},
};

int parser__find(const struct parser *parser, struct terms *terms, const struct spec *spec,
		 struct event *ret)
{
	int r = -ENOENT;

	for (size_t i = 0; r == -ENOENT && i < ARRAY_SIZE(sources); i++)
		r = sources[i].find(ret, parser, terms, spec);
	return r;
}

void parser__offer(const struct parser *parser, struct nearest *nearest)
{
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++)
		sources[i].offer(nearest, parser);
}

bool parser__knows(const struct parser *parser, const char *name)
{
	const struct parser quiet = {.pmus = parser->pmus, .db = parser->db, .user = parser->user};
	_cleanup_free_ char *base = xstrdup(name);
	const struct spec spec = {.shown = base, .base = base};
	int r = -ENOENT;

	for (size_t i = 0; r == -ENOENT && i < ARRAY_SIZE(sources); i++) {
		_cleanup_(event__done) struct event event = {0};
		struct terms none = {0};

		if (!sources[i].has_colons)
			r = sources[i].find(&event, &quiet, &none, &spec);
	}
	return r != -ENOENT;
}

bool parser__is_of_core(const struct parser *parser, const struct spec *spec,
			const struct pmu *core)
{
	_cleanup_(event__done) struct event event = {0};
	const struct parser quiet = {.pmus = parser->pmus, .db = parser->db, .core = core};
	struct terms none = {0};

	if (spec->mem || spec->tracepoint || (pmus__find(parser->pmus, spec->base) && spec->terms))
		return false;
	return parser__find(&quiet, &none, spec, &event) == 0 && strcmp(event.pmu, core->name) == 0;
}
