// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Which types of a profile count the same thing. Ours say it in their names; so do those of perf's
 * converters (without a time). Samples of any other maker, "samples/count", go with the first type
 * that has none of its own.
 */
#include <stdlib.h>
#include <string.h>

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

static struct prof_event *event_named(struct prof_event **events, size_t *n, size_t *cap,
				      const char *name, size_t len)
{
	for (size_t i = 0; i < *n; i++) {
		if (strlen((*events)[i].name) == len && memcmp((*events)[i].name, name, len) == 0)
			return &(*events)[i];
	}
	GROW(*events, *n, *cap);
	(*events)[*n] =
		(struct prof_event){xstrndup(name, len), PROF_NO_TYPE, PROF_NO_TYPE, PROF_NO_TYPE};
	return &(*events)[(*n)++];
}

static bool counts_samples(const struct prof *p, size_t type)
{
	return strcmp(prof__text(p, p->types[type].name), "samples") == 0 &&
	       strcmp(prof__text(p, p->types[type].unit), "count") == 0;
}

size_t prof__events(const struct prof *p, struct prof_event **ret)
{
	struct prof_event *events = NULL;
	size_t n = 0, cap = 0, samples = PROF_NO_TYPE, len;

	for (size_t i = 0; i < p->n_types; i++) {
		enum part part = part_of(p, i, &len);
		struct prof_event *event;

		if (counts_samples(p, i) && p->n_types > 1) {
			samples = i;
			continue;
		}
		event = event_named(&events, &n, &cap, prof__text(p, p->types[i].name), len);
		*(part == PART_SAMPLES ? &event->samples :
		  part == PART_EVENTS  ? &event->events :
					 &event->time) = i;
	}
	for (size_t i = 0; i < n && samples != PROF_NO_TYPE; i++) {
		if (events[i].samples == PROF_NO_TYPE) {
			events[i].samples = samples;
			samples = PROF_NO_TYPE;
		}
	}
	*ret = events;
	return n;
}

void prof_events__free(struct prof_event *events, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(events[i].name);
	free(events);
}
