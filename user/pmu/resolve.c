// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* From a name to what it counts: what its form says already, and the names of perf and of sysfs. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "pmu/cores.h"
#include "pmu/parse.h"
#include "pmu/perf_names.h"

#define RAW_PERIOD 1000003
#define CACHE_PERIOD 1000003
#define CACHE_MISS_PERIOD 100003

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
	event->period = name->period;
	event->has_addr = name->has_addr;
	event->is_clock = name->type == PERF_TYPE_HARDWARE &&
			  (name->config == PERF_COUNT_HW_CPU_CYCLES ||
			   name->config == PERF_COUNT_HW_REF_CPU_CYCLES);
}

static void event__from_cache(struct event *event, const struct cache_event *cache)
{
	event->attr.type = PERF_TYPE_HW_CACHE;
	event->attr.config = cache->config;
	event->title = xasprintf("cache event %s", cache->name);
	event->counts = xstrdup(cache->counts);
	event->pmu = xstrdup("cpu");
	event->maps_to = xstrdup(cache->name);
	event->period = cache->miss ? CACHE_MISS_PERIOD : CACHE_PERIOD;
}

static void event__from_raw(struct event *event, uint64_t config)
{
	event->attr.type = PERF_TYPE_RAW;
	event->attr.config = config;
	event->title = xasprintf("raw event 0x%" PRIx64, config);
	event->counts = xstrdup("events");
	event->pmu = xstrdup("cpu");
	event->maps_to = event__format_config(event);
	event->period = RAW_PERIOD;
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
	if (perf_name__why_none(name))
		return err__usage(err, "event '%s' %s", spec->shown, perf_name__why_none(name));
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

/* "TYPE:CONFIG", as perf takes them: the kernel's numbers. */
static int event__from_numbers(struct event *event, const struct parser *parser, const char *text,
			       const struct spec *spec)
{
	_cleanup_free_ char *word = xstrndup(text, strcspn(text, ":"));
	uint64_t type, config;

	if (num__parse_u64(word, &type) < 0 || num__parse_u64(text + strlen(word) + 1, &config) < 0)
		return err__usage(parser->err, "event '%s': it does not fit into 64 bits",
				  spec->shown);
	if (type == PERF_TYPE_TRACEPOINT && parser->counting) {
		event__set_tracepoint(event, config);
		event->title = xasprintf("tracepoint %" PRIu64, config);
		return 0;
	}
	if (type == PERF_TYPE_TRACEPOINT)
		return err__usage(parser->err,
				  "event '%s': tracepoints (type 2) are not counters that overflow",
				  spec->shown);
	if (type == PERF_TYPE_RAW) {
		event__from_raw(event, config);
		return 0;
	}
	if (type <= UINT32_MAX && event__from_perf_attr(event, parser, (uint32_t)type, config) == 0)
		return 0;
	return err__usage(
		parser->err,
		"event '%s': the kernel defines no event %s of type %s that overflows (types: 0 "
		"hardware, 1 software, 3 cache, 4 raw; PMUs by their names: cpu/config=N/)",
		spec->shown, text + strlen(word) + 1, word);
}

bool parser__is_numbers(const char *base)
{
	static const char digits[] = "0123456789abcdefABCDEFx";
	size_t type = strspn(base, "0123456789"), config;

	if (!type || base[type] != ':' || base[type + 1] < '0' || base[type + 1] > '9')
		return false;
	config = strspn(base + type + 1, digits);
	return !base[type + 1 + config] || base[type + 1 + config] == ':';
}

const struct event_alias *event_alias__find(const char *name)
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
	event->period = alias->period;
	event->off_cpu = strcmp(alias->name, "off-cpu") == 0;
	return 0;
}

/* An alias or one of perf's names, of the parser's core PMU if the machine has several. */
int event__from_known(struct event *event, const struct parser *parser, struct terms *terms,
		      const struct spec *spec)
{
	const struct event_alias *alias = event_alias__find(spec->base);
	int r = alias ? event__from_alias(event, alias, spec, parser->err) :
			event__from_generic(event, spec->base, spec, parser->err);

	if (r == 0 && event->off_cpu)
		return event__settle_off_cpu(event, parser, terms, spec);
	if (r == 0 && parser->core && attr__is_generic(&event->attr))
		event__of_core(event, parser->core);
	return r == 0 ? event__apply_config_terms(event, terms, spec, parser->err) : r;
}

int event__from_perf_attr(struct event *event, const struct parser *parser, uint32_t type,
			  uint64_t config)
{
	struct cache_event cache;
	size_t i = 0;

	while (i < n_perf_names && (perf_names[i].type != type || perf_names[i].config != config))
		i++;
	if (i < n_perf_names) {
		event__from_perf_name(event, &perf_names[i]);
	} else {
		i = 0;
		while (cache_event__nth(i, &cache) && cache.config != config)
			i++;
		if (type != PERF_TYPE_HW_CACHE || !cache_event__nth(i, &cache))
			return -ENOENT;
		event__from_cache(event, &cache);
	}
	if (parser->core && attr__is_generic(&event->attr))
		event__of_core(event, parser->core);
	return 0;
}

/* A name of sysfs without its PMU: the core's is meant if it has one, else it must be the only. */
static int find_bare(const struct parser *parser, const struct spec *spec, const struct pmu **ret)
{
	const struct pmu *found = NULL;
	const struct pmu *core = parser->core ? parser->core : pmus__core(parser->pmus);

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
				  "event '%s': %ss are not counters that overflow, so pmubpf can't "
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
	if (r < 0)
		return r;
	terms->n = 0;
	if (pmu__is_core(pmu) && pmu->cpus && pmus__are_mixed(parser->pmus))
		event->cpus = xstrdup(pmu->cpus);
	return 0;
}

int event__from_sysfs_name(struct event *event, const struct parser *parser, struct terms *terms,
			   const struct spec *spec)
{
	struct terms bare = {.n = 1, .terms = &(struct term){.key = spec->base}};
	const struct pmu *pmu = NULL;
	int r = find_bare(parser, spec, &pmu);

	(void)terms;
	return r == 0 ? event__from_pmu(event, parser, pmu, &bare, spec) : r;
}

int event__resolve(struct event *event, const struct parser *parser, struct terms *terms,
		   struct spec *spec)
{
	const struct pmu *pmu = parser->one ? parser->one : pmus__find(parser->pmus, spec->base);
	int r;

	if (spec->mem)
		return event__parse_mem(event, spec, parser->err);
	if (spec->tracepoint)
		return event__from_tracepoint(event, spec, parser->err);
	if (parser__is_numbers(spec->base))
		return event__from_numbers(event, parser, spec->base, spec);
	if (pmu && spec->terms && !event_alias__find(spec->base))
		return event__from_pmu(event, parser, pmu, terms, spec);
	r = parser__find(parser, terms, spec, event);
	return r == -ENOENT ? parser__unknown(parser, spec) : r;
}
