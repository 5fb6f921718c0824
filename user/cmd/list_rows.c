// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The rows of `pmubpf list`: which events there are. */
#include "cmd/list.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "pmu/event_db.h"
#include "pmu/perf_names.h"

void rows__done(struct rows *rows)
{
	for (size_t i = 0; i < rows->n; i++) {
		free(rows->rows[i].name);
		event_list__done(&rows->rows[i].parsed);
	}
	free(rows->rows);
}

/* Of the events of one text, for several core PMUs, one that can be had is enough. */
static void row__probe(struct row *row)
{
	for (size_t i = 0; i < row->parsed.n && !row->probe.ok; i++)
		event__probe(&row->parsed.events[i], &row->probe);
}

/* text is what is tried, shown what the user would type (NULL: the same). */
static struct row *rows__add(struct rows *rows, enum group group, const char *text,
			     const char *shown)
{
	struct row row = {.group = group, .name = xstrdup(shown ? shown : text)};
	struct err err = {0};

	if (event_names__parse(rows->names, &row.parsed, text, &err) == 0) {
		row__probe(&row);
	} else {
		snprintf(row.probe.brief, sizeof(row.probe.brief), "%s",
			 group == YOURS              ? "its definition is wrong" :
			 err.exit_code == EXIT_USAGE ? "needs terms" :
						       "sysfs is unclear");
		snprintf(row.probe.reason, sizeof(row.probe.reason), "%.*s",
			 (int)sizeof(row.probe.reason) - 1, err.text);
	}
	GROW(rows->rows, rows->n, rows->cap);
	rows->rows[rows->n] = row;
	return &rows->rows[rows->n++];
}

const struct event *row__event(const struct row *row)
{
	return row->parsed.n ? &row->parsed.events[0] : NULL;
}

/* Whether a well-known event is the same by another name. */
static bool is_aliased(const struct rows *rows, uint32_t type, uint64_t config)
{
	for (size_t i = 0; i < rows->n; i++) {
		const struct event *event = row__event(&rows->rows[i]);

		if (event && event->attr.type == type && event->attr.config == config)
			return true;
	}
	return false;
}

/* The kernel's generic events that no alias names. */
static void rows__add_generic(struct rows *rows)
{
	struct cache_event cache;

	for (size_t i = 0; i < n_perf_names; i++) {
		if (!is_aliased(rows, perf_names[i].type, perf_names[i].config))
			rows__add(rows, FROM_PMUS, perf_names[i].name, NULL);
	}
	for (size_t i = 0; cache_event__nth(i, &cache); i++) {
		if (!is_aliased(rows, PERF_TYPE_HW_CACHE, cache.config))
			rows__add(rows, FROM_PMUS, cache.name, NULL)->if_here = true;
	}
}

static void rows__add_pmu(struct rows *rows, const struct pmu *pmu)
{
	for (size_t i = 0; i < pmu->n_events; i++) {
		_cleanup_free_ char *text = xasprintf("%s/%s/", pmu->name, pmu->events[i].name);

		rows__add(rows, FROM_PMUS, text, NULL);
	}
	/* AMD's instruction sampling names no events: any configuration of it is one. */
	if (!pmu->n_events && strncmp(pmu->name, "ibs_", 4) == 0) {
		_cleanup_free_ char *text = xasprintf("%s/config=0/", pmu->name);

		rows__add(rows, FROM_PMUS, text, NULL);
	}
}

/* Tried on a word of our own: any readable address is as good. */
static void rows__add_breakpoint(struct rows *rows)
{
	static long word;
	_cleanup_free_ char *text = xasprintf("mem:0x%" PRIxPTR ":w", (uintptr_t)&word);
	struct row *row = rows__add(rows, FROM_PMUS, text, "mem:ADDR[/LEN][:rwx]");
	struct event *event = row->parsed.n ? &row->parsed.events[0] : NULL;

	if (!event)
		return;
	free(event->title);
	free(event->maps_to);
	event->title = xstrdup("accesses to an address, or executions of it");
	event->maps_to = xstrdup("hardware breakpoint");
}

static bool contains(const char *text, const char *pattern)
{
	if (strpbrk(pattern, "*?["))
		return fnmatch(pattern, text, FNM_CASEFOLD) == 0;
	return strcasestr(text, pattern);
}

static bool row__wanted(const struct row *row, const struct list_options *options)
{
	const struct event *event = row__event(row);

	if (options->pattern)
		return contains(row->name, options->pattern) ||
		       (event && (contains(event->maps_to, options->pattern) ||
				  contains(event->title, options->pattern)));
	return !row->if_here || row->probe.ok || options->verbose || options->json;
}

/* Removes what is not wanted, so that the columns are as wide as what is shown. */
static void rows__filter(struct rows *rows, const struct list_options *options)
{
	size_t kept = 0;

	for (size_t i = 0; i < rows->n; i++) {
		if (row__wanted(&rows->rows[i], options)) {
			rows->rows[kept++] = rows->rows[i];
			continue;
		}
		free(rows->rows[i].name);
		event_list__done(&rows->rows[i].parsed);
	}
	rows->n = kept;
}

/* Hundreds: opened only if they are to be shown. */
static void rows__add_db(struct rows *rows)
{
	const struct event_db *db = rows->names->db;

	for (size_t i = 0; db && i < db->n; i++) {
		if (!db->entries[i].deprecated)
			rows__add(rows, FROM_DB, db->entries[i].name, NULL);
	}
}

void rows__collect(struct rows *rows, const struct list_options *options)
{
	for (size_t i = 0; i < rows->names->user.n; i++)
		rows__add(rows, YOURS, rows->names->user.events[i].name, NULL);
	for (size_t i = 0; i < n_event_aliases; i++) {
		/* a name that the user defines anew stands there only, with that meaning */
		if (!user_events__find(&rows->names->user, event_aliases[i].name))
			rows__add(rows, WELL_KNOWN, event_aliases[i].name, NULL);
	}
	rows__add_generic(rows);
	for (size_t i = 0; i < rows->names->pmus.n; i++)
		rows__add_pmu(rows, &rows->names->pmus.pmus[i]);
	rows__add_breakpoint(rows);
	if (options->pattern || options->verbose || options->json)
		rows__add_db(rows);
	rows__filter(rows, options);
}
