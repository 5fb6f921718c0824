// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Which types of a profile count the same thing. Ours say it in their names; so do those of perf's
 * converters (without a time). Samples of any other maker, "samples/count", go with the first type
 * that has none of its own.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "prof/prof.h"

enum part { PART_SAMPLES, PART_EVENTS, PART_TIME, N_PARTS };

static const char *const suffixes[N_PARTS] = {"_sample", "_event", "_time"};

/* Which part of an event the type is, and how long the event's name is. */
static enum part part_of(const struct prof *p, size_t type, size_t *ret_len)
{
	const char *name = prof__text(p, p->types[type].name);
	const char *unit = prof__text(p, p->types[type].unit);
	size_t len = strlen(name);

	for (int part = 0; part < N_PARTS; part++) {
		size_t n = strlen(suffixes[part]);

		if (len > n && strcmp(name + len - n, suffixes[part]) == 0) {
			*ret_len = len - n;
			return (enum part)part;
		}
	}
	*ret_len = len;
	return strcmp(unit, "nanoseconds") == 0 ? PART_TIME : PART_EVENTS;
}

static size_t *slot_of(struct prof_event *event, enum part part)
{
	return part == PART_SAMPLES ? &event->samples :
	       part == PART_EVENTS  ? &event->events :
				      &event->time;
}

static bool shares_name(const struct prof *p, size_t type)
{
	for (size_t i = 0; i < p->n_types; i++) {
		if (i != type && p->types[i].name == p->types[type].name)
			return true;
	}
	return false;
}

static char *with_unit(const struct prof *p, size_t type)
{
	return xasprintf("%s/%s", prof__text(p, p->types[type].name),
			 prof__text(p, p->types[type].unit));
}

struct events {
	struct prof_event *list;
	size_t n, cap;
};

static struct prof_event *event_named(struct events *events, const char *name, size_t len)
{
	for (size_t i = 0; i < events->n; i++) {
		const char *other = events->list[i].name;

		if (strlen(other) == len && memcmp(other, name, len) == 0)
			return &events->list[i];
	}
	return NULL;
}

/* The event that a type belongs to. Two types may share a name and differ in their units,
 * alloc/count and alloc/bytes; a maker may even write the same one twice: each is an event of its
 * own. */
static struct prof_event *event_of(struct events *events, const struct prof *p, size_t type,
				   enum part part, size_t len)
{
	const char *name = prof__text(p, p->types[type].name);
	_cleanup_free_ char *own = shares_name(p, type) ? with_unit(p, type) : xstrndup(name, len);
	struct prof_event *event = event_named(events, own, strlen(own));

	for (unsigned k = 2; event && *slot_of(event, part) != PROF_NO_TYPE; k++) {
		_cleanup_free_ char *numbered = xasprintf("%s#%u", own, k);

		event = event_named(events, numbered, strlen(numbered));
		if (!event) {
			free(own);
			own = TAKE_PTR(numbered);
		}
	}
	if (event)
		return event;
	GROW(events->list, events->n, events->cap);
	events->list[events->n] =
		(struct prof_event){TAKE_PTR(own), PROF_NO_TYPE, PROF_NO_TYPE, PROF_NO_TYPE};
	return &events->list[events->n++];
}

static bool counts_samples(const struct prof *p, size_t type)
{
	return strcmp(prof__text(p, p->types[type].name), "samples") == 0 &&
	       strcmp(prof__text(p, p->types[type].unit), "count") == 0;
}

size_t prof__events(const struct prof *p, struct prof_event **ret)
{
	struct events events = {0};
	size_t samples = PROF_NO_TYPE, len;

	for (size_t i = 0; i < p->n_types; i++) {
		enum part part = part_of(p, i, &len);

		if (counts_samples(p, i) && p->n_types > 1) {
			samples = i;
			continue;
		}
		*slot_of(event_of(&events, p, i, part, len), part) = i;
	}
	for (size_t i = 0; i < events.n && samples != PROF_NO_TYPE; i++) {
		if (events.list[i].samples == PROF_NO_TYPE) {
			events.list[i].samples = samples;
			samples = PROF_NO_TYPE;
		}
	}
	*ret = events.list;
	return events.n;
}

bool prof_events__is_latency(const struct prof *p, const struct prof_event *events, size_t n,
			     size_t i)
{
	size_t len = strlen(events[i].name), suffix = strlen(PROF_LATENCY);
	size_t type = events[i].events;

	if (len <= suffix || strcmp(events[i].name + len - suffix, PROF_LATENCY) != 0 ||
	    events[i].samples != PROF_NO_TYPE || type == PROF_NO_TYPE ||
	    strcmp(prof__text(p, p->types[type].unit), "cycles") != 0)
		return false;
	for (size_t k = 0; k < n; k++) {
		if (strlen(events[k].name) == len - suffix &&
		    memcmp(events[k].name, events[i].name, len - suffix) == 0)
			return true;
	}
	return false;
}

size_t prof__counted_events(const struct prof *p, struct prof_event **ret)
{
	size_t n = prof__events(p, ret), left = n;

	/* they stand behind those that they are of, which stay as long as they are looked at */
	for (size_t i = n; i-- > 0;) {
		if (!prof_events__is_latency(p, *ret, left, i))
			continue;
		free((*ret)[i].name);
		memmove(*ret + i, *ret + i + 1, (left - i - 1) * sizeof(**ret));
		left--;
	}
	return left;
}

void prof_events__free(struct prof_event *events, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(events[i].name);
	free(events);
}
