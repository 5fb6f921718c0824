// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * From the text of -e to events. A name is looked for among the aliases, perf's generic names,
 * perf's cache events, rNNNN, and then, as perf does, among the events that the PMUs list in sysfs.
 * The order matters where one name stands in several places.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "pmu/nearest.h"
#include "pmu/parse.h"
#include "pmu/perf_names.h"

#define RAW_INTERVAL 1000003
#define CACHE_INTERVAL 1000003
#define CACHE_MISS_INTERVAL 100003

static void event__done(struct event *event)
{
	free(event->name);
	free(event->title);
	free(event->maps_to);
	free(event->counts);
	free(event->pmu);
	free(event->cpus);
	*event = (struct event){0};
}

static void event__from_perf_name(struct event *event, const struct perf_name *name)
{
	bool software = name->type == PERF_TYPE_SOFTWARE;

	event->attr.type = name->type;
	event->attr.config = name->config;
	event->title = xstrdup(name->title);
	event->counts = xstrdup(name->counts);
	event->pmu = xstrdup(software ? "software" : "cpu");
	event->maps_to = software ? xasprintf("software %s", name->name) : xstrdup(name->name);
	event->unit = name->unit;
	event->interval = name->interval;
	event->has_addr = name->has_addr;
}

static void event__from_cache(struct event *event, const struct cache_event *cache)
{
	event->attr.type = PERF_TYPE_HW_CACHE;
	event->attr.config = cache->config;
	event->title = xasprintf("cache event %s", cache->name);
	event->counts = xstrdup(cache->counts);
	event->pmu = xstrdup("cpu");
	event->maps_to = xstrdup(cache->name);
	event->interval = cache->miss ? CACHE_MISS_INTERVAL : CACHE_INTERVAL;
}

static void event__from_raw(struct event *event, uint64_t config)
{
	event->attr.type = PERF_TYPE_RAW;
	event->attr.config = config;
	event->title = xasprintf("raw event 0x%" PRIx64, config);
	event->counts = xstrdup("events");
	event->pmu = xstrdup("cpu");
	event->maps_to = xasprintf("cpu/config=0x%" PRIx64 "/", config);
	event->interval = RAW_INTERVAL;
}

/* The names that need no sysfs; -ENOENT if it is none of them. */
static int event__from_generic(struct event *event, const char *name, const struct spec *spec,
			       struct err *err)
{
	const struct perf_name *perf_name = perf_name__find(name);
	struct cache_event cache;
	uint64_t config;
	int r;

	if (perf_name) {
		event__from_perf_name(event, perf_name);
		return 0;
	}
	if (perf_name__never_overflows(name))
		return err__usage(err, "event '%s' never overflows, so there is nothing to record",
				  spec->shown);
	r = cache_event__parse(name, &cache);
	if (r == 0)
		event__from_cache(event, &cache);
	if (r == -EOPNOTSUPP)
		return err__usage(err,
				  "event '%s': that cache has no such access (the instruction "
				  "side and branches have only loads)",
				  spec->shown);
	if (r != -ENOENT)
		return r;
	/* perf takes rNNNN only; a longer number than 64 bits is a mistake, not another name */
	r = name[0] == 'r' ? num__parse_hex(name + 1, &config) : -ENOENT;
	if (r == -ERANGE)
		return err__usage(err, "event '%s': raw events have at most 64 bits", spec->shown);
	if (r < 0)
		return -ENOENT;
	event__from_raw(event, config);
	return 0;
}

static const struct event_alias *find_alias(const char *name)
{
	for (size_t i = 0; i < n_event_aliases; i++) {
		if (strcmp(event_aliases[i].name, name) == 0)
			return &event_aliases[i];
	}
	return NULL;
}

static int event__from_alias(struct event *event, const struct event_alias *alias,
			     const struct spec *spec, struct err *err)
{
	int r = event__from_generic(event, alias->maps_to, spec, err);

	if (r < 0)
		return r;
	free(event->title);
	free(event->counts);
	event->title = xstrdup(alias->title);
	event->counts = xstrdup(alias->counts);
	event->unit = alias->unit;
	event->interval = alias->interval;
	return 0;
}

/* A name of sysfs without its PMU: the core's is meant if it has one, else it must be the only. */
static int find_bare(const struct parser *parser, const struct spec *spec, const struct pmu **ret)
{
	const struct pmu *found = NULL, *core = pmus__core(parser->pmus);

	if (core && pmu__event(core, spec->base)) {
		*ret = core;
		return 0;
	}
	for (size_t i = 0; i < parser->pmus->n; i++) {
		const struct pmu *pmu = &parser->pmus->pmus[i];

		if (!pmu__event(pmu, spec->base))
			continue;
		if (found)
			return err__usage(parser->err,
					  "event '%s' is one of several PMUs; write "
					  "%s/%s/ or %s/%s/",
					  spec->shown, found->name, spec->base, pmu->name,
					  spec->base);
		found = pmu;
	}
	*ret = found;
	return found ? 0 : -ENOENT;
}

static int refuse_pmu(const struct pmu *pmu, const struct spec *spec, struct err *err)
{
	if (pmu->type == PERF_TYPE_TRACEPOINT || strcmp(pmu->name, "kprobe") == 0 ||
	    strcmp(pmu->name, "uprobe") == 0)
		return err__usage(err,
				  "event '%s': %ss are no counters that overflow, so pmubpf can't "
				  "sample them (perf record -e does)",
				  spec->shown, pmu->name);
	if (pmu->type == PERF_TYPE_BREAKPOINT)
		return err__usage(err, "event '%s': breakpoints are written mem:ADDR[/LEN][:rwx]",
				  spec->shown);
	return 0;
}

static int event__from_pmu(struct event *event, const struct parser *parser, const struct pmu *pmu,
			   struct terms *terms, const struct spec *spec)
{
	int r = refuse_pmu(pmu, spec, parser->err);

	if (r < 0)
		return r;
	r = event__apply_pmu_terms(event, pmu, terms, spec, parser->err);
	if (r == 0)
		terms->n = 0;
	return r;
}

static int event__resolve(struct event *event, const struct parser *parser, struct terms *terms,
			  struct spec *spec)
{
	const struct event_alias *alias = find_alias(spec->base);
	const struct pmu *pmu = pmus__find(parser->pmus, spec->base);
	struct terms bare = {.n = 1, .terms = &(struct term){.key = spec->base}};
	int r;

	if (strncmp(spec->base, "mem:", 4) == 0)
		return event__parse_mem(event, spec, parser->err);
	if (alias)
		return event__from_alias(event, alias, spec, parser->err);
	if (pmu && spec->terms)
		return event__from_pmu(event, parser, pmu, terms, spec);
	r = event__from_generic(event, spec->base, spec, parser->err);
	if (r != -ENOENT)
		return r;
	r = find_bare(parser, spec, &pmu);
	if (r == -ENOENT)
		return parser__unknown(parser, spec);
	return r < 0 ? r : event__from_pmu(event, parser, pmu, &bare, spec);
}

/* The user's text without the rate: what stands in the output must not change with -c. */
static char *display_name(const struct spec *spec, const struct terms *terms)
{
	_cleanup_(buf__done) struct buf out = {0};
	const char *mods = spec->mods ? spec->mods : "";

	buf__puts(&out, spec->base);
	for (size_t i = 0; i < terms->n; i++) {
		buf__printf(&out, "%c%s", i ? ',' : '/', terms->terms[i].key);
		if (terms->terms[i].val)
			buf__printf(&out, "=%s", terms->terms[i].val);
	}
	if (terms->n)
		buf__putc(&out, '/');
	/* mem: carries its modifiers in the base unless terms stood between */
	if (strncmp(spec->base, "mem:", 4) == 0 && !spec->terms)
		mods = "";
	buf__printf(&out, "%s%s", *mods && !terms->n ? ":" : "", mods);
	return buf__take(&out);
}

static bool guest_applies(const struct event *event, const struct parser *parser)
{
	const struct pmu *pmu;

	switch (event->attr.type) {
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
	case PERF_TYPE_RAW:
		return true;
	}
	pmu = pmus__find(parser->pmus, event->pmu);
	return pmu && pmu__is_core(pmu);
}

/* What follows the colon of a known event are modifiers, right or wrong; else it is "sys:name". */
static int split_mods(const struct parser *parser, struct spec *spec)
{
	size_t len = strcspn(spec->base, ":");
	_cleanup_free_ char *name = xstrndup(spec->base, len);
	struct cache_event cache;

	if (strncmp(spec->base, "mem:", 4) == 0)
		return 0;
	if (find_alias(name) || perf_name__find(name) || cache_event__parse(name, &cache) == 0)
		return spec__split_mods(spec, true, parser->err);
	return spec__split_mods(spec, false, parser->err);
}

static int parser__add_event(const struct parser *parser, struct event *event, struct spec *spec)
{
	_cleanup_(terms__done) struct terms terms = {0};
	_cleanup_free_ char *name = NULL;
	int r;

	event->attr.size = sizeof(event->attr);
	r = split_mods(parser, spec);
	if (r < 0)
		return r;
	r = terms__split(&terms, spec, parser->err);
	if (r < 0)
		return r;
	r = event__apply_common_terms(event, &terms, spec, parser->err);
	if (r < 0)
		return r;
	name = display_name(spec, &terms);
	r = event__resolve(event, parser, &terms, spec);
	if (r < 0)
		return r;
	r = terms__refuse_rest(&terms, spec, parser->err);
	if (r < 0)
		return r;
	if (!event->name)
		event->name = TAKE_PTR(name);
	return event__apply_mods(event, spec, guest_applies(event, parser), parser->err);
}

/* Returns 1 if another event follows. */
static int parser__next(const struct parser *parser, const char **p, struct event_list *list)
{
	_cleanup_(spec__done) struct spec spec = {0};
	_cleanup_(event__done) struct event event = {0};
	int r = spec__take(p, &spec, parser->err);

	if (r < 0)
		return r;
	r = parser__add_event(parser, &event, &spec);
	if (r < 0)
		return r;
	GROW(list->events, list->n, list->cap);
	event.lead = list->n;
	list->events[list->n++] = event;
	event = (struct event){0};
	if (**p != ',')
		return 0;
	++*p;
	return 1;
}

int event_list__parse(struct event_list *list, const char *text, const char *sysfs, struct err *err)
{
	_cleanup_(pmus__done) struct pmus pmus = {0};

	/* Without sysfs there are still the generic events; what needs a PMU says it is missing. */
	(void)pmus__read(&pmus, sysfs);
	return event_list__parse_with(list, text, &pmus, err);
}

int event_list__parse_with(struct event_list *list, const char *text, const struct pmus *pmus,
			   struct err *err)
{
	const struct parser parser = {.pmus = pmus, .err = err};
	size_t before = list->n;
	int r;

	if (!text[strspn(text, " \t\n")])
		return err__usage(err, "the text of -e is empty; `pmubpf list` shows the events");
	do {
		r = parser__next(&parser, &text, list);
	} while (r > 0);
	while (r < 0 && list->n > before)
		event__done(&list->events[--list->n]);
	return r;
}

void event_list__done(struct event_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		event__done(&list->events[i]);
	free(list->events);
	*list = (struct event_list){0};
}
