// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What stands between the slashes. Terms of a PMU come from its driver's files in sysfs: a field of
 * the format, or the name of an event, which is itself a text of terms. Named events are applied
 * first, so that cpu/ldlat=30,mem-loads/ keeps the user's latency and not the event's.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "base/num.h"
#include "base/text.h"
#include "pmu/parse.h"

#define DEFAULT_PERIOD 1000003
#define CYCLES_PERIOD 2000003
#define MISS_PERIOD 100003

static int parse_number(const struct term *term, const struct spec *spec, uint64_t *ret,
			struct err *err)
{
	int r;

	if (!term->val) {
		*ret = 1;
		return 0;
	}
	r = num__parse_u64(term->val, ret);
	if (r == -ERANGE)
		return err__usage(err, "event '%s': %s=%.40s does not fit into 64 bits",
				  spec->shown, term->key, term->val);
	if (r < 0)
		return err__usage(err,
				  "event '%s': '%.40s' is not a number for '%s' (decimal or 0x…)",
				  spec->shown, term->val, term->key);
	return 0;
}

static int parse_rate(const struct term *term, const struct spec *spec, uint64_t *ret,
		      struct err *err)
{
	int r;

	if (!term->val)
		return err__usage(err, "event '%s': %s needs a value: %s=N", spec->shown, term->key,
				  term->key);
	r = parse_number(term, spec, ret, err);
	if (r < 0)
		return r;
	if (*ret == 0)
		return err__usage(err, "event '%s': %s must be at least 1", spec->shown, term->key);
	if (*ret >> 63)
		return err__usage(err, "event '%s': %s=%.40s is too large (63 bits)", spec->shown,
				  term->key, term->val);
	return 0;
}

static int set_rate(struct event *event, uint64_t period, uint64_t freq, const struct spec *spec,
		    struct err *err)
{
	if (period && freq)
		return err__usage(err, "event '%s': period and freq exclude each other",
				  spec->shown);
	if (!period && !freq)
		return 0;
	event->rate_given = true;
	event->attr.freq = freq != 0;
	if (freq)
		event->attr.sample_freq = freq;
	else
		event->attr.sample_period = period;
	return 0;
}

/* perf writes name='loads that missed'. */
static char *without_quotes(const char *text)
{
	size_t len = strlen(text);

	return len > 2 && *text == '\'' && text[len - 1] == '\'' ? xstrndup(text + 1, len - 2) :
								   xstrdup(text);
}

int event__apply_common_terms(struct event *event, struct terms *terms, const struct spec *spec,
			      struct err *err)
{
	uint64_t period = 0, freq = 0;
	size_t kept = 0;
	int r = 0;

	for (size_t i = 0; i < terms->n; i++) {
		const struct term *term = &terms->terms[i];

		if (strcmp(term->key, "period") == 0) {
			r = parse_rate(term, spec, &period, err);
		} else if (strcmp(term->key, "freq") == 0) {
			r = parse_rate(term, spec, &freq, err);
		} else if (strcmp(term->key, "at-clock") == 0 && !term->val) {
			event->at_clock = true;
		} else if (strcmp(term->key, "sliced") == 0 && !term->val &&
			   starts_with(spec->base, "mem:")) {
			event->sliced = true;
		} else if (strcmp(term->key, "name") == 0) {
			if (!term->val)
				return err__usage(err, "event '%s': name needs a value: name=TEXT",
						  spec->shown);
			free(event->name);
			event->name = without_quotes(term->val);
		} else {
			terms->terms[kept++] = *term;
		}
		if (r < 0)
			return r;
	}
	terms->n = kept;
	return set_rate(event, period, freq, spec, err);
}

int terms__refuse_rest(const struct terms *terms, const struct spec *spec, struct err *err)
{
	if (!terms->n)
		return 0;
	return err__usage(err,
			  "event '%s': '%s' takes no term '%.40s'; period=, freq=, name= and "
			  "at-clock are allowed, and others only in the form pmu/term=value/",
			  spec->shown, spec->base, terms->terms[0].key);
}

/* The config word of that index, NULL if the kernel headers of this build lack it. */
static __u64 *config_word(struct perf_event_attr *attr, unsigned i)
{
	switch (i) {
	case 0:
		return &attr->config;
	case 1:
		return &attr->config1;
	case 2:
		return &attr->config2;
	case 3: /* since Linux 6.3; older headers end before it */
#ifdef PERF_ATTR_SIZE_VER8
		return &attr->config3;
#else
		return NULL;
#endif
	}
	return NULL;
}

/* What was known of the event was known of its own words. */
static void become_another(struct event *event, const struct spec *spec)
{
	free(event->maps_to);
	free(event->title);
	free(event->counts);
	event->maps_to = event__format_config(event);
	event->title = xasprintf("%s with other config words", spec->base);
	event->counts = xstrdup("events");
	event->unit = UNIT_EVENTS;
	event->is_clock = event->has_addr = false;
}

int event__apply_config_terms(struct event *event, struct terms *terms, const struct spec *spec,
			      struct err *err)
{
	static const char *const keys[] = {"config", "config1", "config2"};
	size_t kept = 0;

	for (size_t i = 0; i < terms->n; i++) {
		const struct term *term = &terms->terms[i];
		size_t k = 0;
		uint64_t value;
		int r;

		while (k < ARRAY_SIZE(keys) && strcmp(term->key, keys[k]) != 0)
			k++;
		if (k == ARRAY_SIZE(keys)) {
			terms->terms[kept++] = *term;
			continue;
		}
		r = parse_number(term, spec, &value, err);
		if (r < 0)
			return r;
		*config_word(&event->attr, (unsigned)k) = value;
	}
	if (kept < terms->n)
		become_another(event, spec);
	terms->n = kept;
	return 0;
}

static int put_word(struct event *event, unsigned i, const struct pmu_field *field, uint64_t value,
		    const struct term *term, const struct spec *spec, struct err *err)
{
	__u64 *word = config_word(&event->attr, i);
	uint64_t bits;
	unsigned width;

	if (!word)
		return err__cannot(err,
				   "event '%s': term '%s' needs config%u, which the kernel "
				   "headers that pmubpf was built with lack (Linux 6.3 has it)",
				   spec->shown, term->key, i);
	if (!field) {
		*word = value;
		return 0;
	}
	bits = *word;
	if (pmu_field__put(field, value, &bits) == 0) {
		*word = bits;
		return 0;
	}
	width = pmu_field__width(field);
	return err__usage(err,
			  "event '%s': %s=%s is too large; it has %u bit%s, at most 0x%" PRIx64,
			  spec->shown, term->key, term->val, width, width == 1 ? "" : "s",
			  (UINT64_C(1) << width) - 1);
}

/* "config", "config1"… as an index, else -1 */
static int generic_config(const char *key)
{
	static const char *const names[PMU_CONFIGS] = {"config", "config1", "config2", "config3"};

	for (int i = 0; i < PMU_CONFIGS; i++) {
		if (strcmp(names[i], key) == 0)
			return i;
	}
	return -1;
}

/* "r1a2" among the terms: the whole config word in hexadecimal. */
static bool parse_raw(const struct term *term, uint64_t *ret)
{
	return !term->val && term->key[0] == 'r' && num__parse_hex(term->key + 1, ret) == 0;
}

static int refuse_term(const struct pmu *pmu, const struct term *term, const struct spec *spec,
		       struct err *err)
{
	_cleanup_(nearest__done) struct nearest nearest;
	_cleanup_(buf__done) struct buf near = {0}, fields = {0};

	nearest__init(&nearest, term->key);
	for (size_t i = 0; i < pmu->n_events && !term->val; i++)
		nearest__offer(&nearest, pmu->events[i].name, NULL);
	for (size_t i = 0; i < pmu->n_fields; i++) {
		nearest__offer(&nearest, pmu->fields[i].name, NULL);
		buf__printf(&fields, "%s, ", pmu->fields[i].name);
	}
	nearest__format(&nearest, &near);
	return err__usage(err,
			  "event '%s': PMU %s has no %s '%.40s'%s%s; terms: %.400sconfig, "
			  "config1, config2, config3, period, freq, name",
			  spec->shown, pmu->name, term->val ? "term" : "event or term", term->key,
			  near.len ? "; nearest: " : "", near.len ? near.data : "",
			  fields.len ? fields.data : "");
}

static int apply_field(struct event *event, const struct pmu *pmu, const struct term *term,
		       const struct spec *spec, struct err *err)
{
	const struct pmu_field *field = pmu__field(pmu, term->key);
	int word = generic_config(term->key);
	uint64_t value;
	int r;

	if (!field && word < 0) {
		if (!parse_raw(term, &value))
			return refuse_term(pmu, term, spec, err);
		event->attr.config = value;
		return 0;
	}
	if (!field && !term->val)
		return err__usage(err, "event '%s': %s needs a value", spec->shown, term->key);
	r = parse_number(term, spec, &value, err);
	if (r < 0)
		return r;
	return put_word(event, field ? field->config : (unsigned)word, field, value, term, spec,
			err);
}

/* The text of an event in sysfs. It was written by a driver: an error in it is not the user's. */
static int apply_event(struct event *event, const struct pmu *pmu, const struct pmu_event *named,
		       const struct spec *spec, struct err *err)
{
	_cleanup_(terms__done) struct terms terms = {0};
	const struct spec inner = {.shown = named->name, .terms = named->text};
	struct err detail = {0};
	int r = terms__split(&terms, &inner, &detail);

	for (size_t i = 0; i < terms.n && r == 0; i++) {
		/* perf's own business: how to scale or print the count */
		if (strcmp(terms.terms[i].key, "period") == 0)
			continue;
		if (terms.terms[i].val && strcmp(terms.terms[i].val, "?") == 0)
			return err__usage(err,
					  "event '%s': event %s of PMU %s needs a value for '%s'; "
					  "write it out: %s/%s/",
					  spec->shown, named->name, pmu->name, terms.terms[i].key,
					  pmu->name, named->text);
		r = apply_field(event, pmu, &terms.terms[i], &inner, &detail);
	}
	if (r < 0)
		return err__set(err, r, "event '%s': what sysfs says of it can't be used: %.400s",
				spec->shown, detail.text);
	return 0;
}

/* Type, words and guesses for an event that only the PMU defines; event_name may be NULL. */
static void describe(struct event *event, const struct pmu *pmu, const char *event_name)
{
	event->period = DEFAULT_PERIOD;
	event->counts = xstrdup("events");
	event->pmu = xstrdup(pmu->name);
	event->attr.type = pmu->type;
	if (pmu->cpumask && !pmu__is_core(pmu)) {
		event->mode = EVENT_SYSTEM;
		event->cpus = xstrdup(pmu->cpumask);
	}
	if (!event_name) {
		event->title = xasprintf("raw event of PMU %s", pmu->name);
		return;
	}
	event->title = xasprintf("%s, as PMU %s defines it", event_name, pmu->name);
	if (strstr(event_name, "miss"))
		event->period = MISS_PERIOD;
}

void event__recognise_cycles(struct event *event, const struct pmu *pmu)
{
	static const char *const names[] = {"cpu-cycles", "cycles", "cpu_cycles"};
	const struct pmu_event *named = NULL;
	struct event cycles = {0};
	struct spec spec = {0};

	for (size_t i = 0; i < ARRAY_SIZE(names) && !named && pmu__is_core(pmu); i++)
		named = pmu__event(pmu, names[i]);
	spec.shown = named ? named->name : NULL;
	if (!named || apply_event(&cycles, pmu, named, &spec, NULL) < 0)
		return;
	for (unsigned i = 0; i < PMU_CONFIGS; i++) {
		if (event__config(event, i) != event__config(&cycles, i))
			return;
	}
	event->unit = UNIT_CYCLES;
	event->is_clock = true;
	event->period = CYCLES_PERIOD;
	free(event->counts);
	event->counts = xstrdup("cycles");
}

uint64_t event__config(const struct event *event, unsigned i)
{
	struct perf_event_attr attr = event->attr;
	const __u64 *word = config_word(&attr, i);

	return word ? *word : 0;
}

char *event__format_config(const struct event *event)
{
	_cleanup_(buf__done) struct buf out = {0};

	buf__printf(&out, "%s/config=0x%" PRIx64, event->pmu, event__config(event, 0));
	for (unsigned i = 1; i < PMU_CONFIGS; i++) {
		if (event__config(event, i))
			buf__printf(&out, ",config%u=0x%" PRIx64, i, event__config(event, i));
	}
	buf__putc(&out, '/');
	return buf__take(&out);
}

int event__apply_pmu_terms(struct event *event, const struct pmu *pmu, const struct terms *terms,
			   const struct spec *spec, struct err *err)
{
	const struct pmu_event *named = NULL, *found;
	size_t n_named = 0;
	int r;

	if (!terms->n)
		return err__usage(err,
				  "event '%s' names none of PMU %s's events; write %s/event/ or "
				  "%s/term=value/",
				  spec->shown, pmu->name, pmu->name, pmu->name);
	for (size_t i = 0; i < terms->n; i++) {
		found = terms->terms[i].val ? NULL : pmu__event(pmu, terms->terms[i].key);
		if (!found || pmu__field(pmu, terms->terms[i].key))
			continue;
		if (n_named++)
			return err__usage(err, "event '%s' names two events, %s and %s",
					  spec->shown, named->name, found->name);
		named = found;
		r = apply_event(event, pmu, named, spec, err);
		if (r < 0)
			return r;
	}
	for (size_t i = 0; i < terms->n; i++) {
		if (named && !terms->terms[i].val &&
		    strcasecmp(terms->terms[i].key, named->name) == 0)
			continue;
		r = apply_field(event, pmu, &terms->terms[i], spec, err);
		if (r < 0)
			return r;
	}
	/* With further terms it is no longer the event that the name promises. */
	describe(event, pmu, terms->n == 1 && named ? named->name : NULL);
	event->maps_to = event__format_config(event);
	event__recognise_cycles(event, pmu);
	if (named && named->scale > 0 && named->unit && *named->unit) {
		event->scale = named->scale;
		event->scale_unit = xstrdup(named->unit);
	}
	return 0;
}
