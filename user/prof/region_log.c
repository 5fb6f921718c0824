// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The hard thing is to take in nothing at all for what finds no room: its texts neither. */
#include "prof/region_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "model/intern.h"

/* Of a sample's address the first of these that it has. */
static const char *const addresses[] = {"cache_line", "data_page", "data_addr"};
static const char *const others[] = {
	"pid", "data_segment", "data_access", "data_source", "alloc_site", "map_site",
};
enum { MOST_LABELS = ARRAY_SIZE(others) + 1 };

static void region_log__begin(struct region_log *log, const struct prof *part)
{
	struct prof_event *events;
	size_t n = prof__events(part, &events);

	log->so_far = prof__new();
	for (size_t i = 0; i < n; i++) {
		if (events[i].samples != PROF_NO_TYPE)
			prof__type(log->so_far,
				   prof__text(part, part->types[events[i].samples].name), "count");
	}
	prof_events__free(events, n);
	log->no_room = xcalloc(log->so_far->n_types, sizeof(*log->no_room));
}

size_t region_log__bytes(const struct region_log *log)
{
	const struct prof *p = log->so_far;

	if (!p)
		return 0;
	return intern__bytes(&p->strings) + intern__bytes(&p->label_sets) +
	       intern__bytes(&p->keys) + p->n_samples * sizeof(*p->samples) +
	       p->n_values * sizeof(*p->values);
}

static uint32_t text_of(struct prof *p, const char *text, bool is_full)
{
	return is_full ? intern__find(&p->strings, text, strlen(text) + 1) : prof__string(p, text);
}

/* False: of a text that isn't known, and there is no room. */
static bool take_label(struct prof *to, const struct prof *from, const struct prof_label *label,
		       bool is_full, struct prof_label *ret)
{
	*ret = (struct prof_label){
		.key = text_of(to, prof__text(from, label->key), is_full),
		.number = label->number,
	};
	if (label->text)
		ret->text = text_of(to, prof__text(from, label->text), is_full);
	return ret->key && (!label->text || ret->text);
}

static const struct prof_label *address_of(const struct prof *p, uint32_t labels)
{
	const struct prof_label *found = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(addresses) && !found; i++)
		found = prof__label(p, labels, addresses[i]);
	return found;
}

static int by_key(const void *pa, const void *pb)
{
	const struct prof_label *a = pa, *b = pb;

	return CMP3(a->key, b->key);
}

/* Its number among those of `to`; 0: it says no address, or there is no room. */
static uint32_t labels_of(struct prof *to, const struct prof *from, uint32_t labels, bool is_full,
			  bool *ret_refused)
{
	struct prof_label list[MOST_LABELS];
	const struct prof_label *label = address_of(from, labels);
	bool fits;
	size_t n = 0;

	*ret_refused = false;
	if (!label)
		return 0;
	fits = take_label(to, from, label, is_full, &list[n++]);
	for (size_t i = 0; i < ARRAY_SIZE(others) && fits; i++) {
		label = prof__label(from, labels, others[i]);
		if (label)
			fits = take_label(to, from, label, is_full, &list[n++]);
	}
	if (!is_full)
		return prof__labels(to, list, n);
	qsort(list, n, sizeof(*list), by_key); /* as prof__labels() has them */
	n = fits ? intern__find(&to->label_sets, list, n * sizeof(*list)) : 0;
	*ret_refused = !n;
	return (uint32_t)n;
}

void region_log__add(struct region_log *log, const struct prof *part)
{
	_cleanup_free_ size_t *types = NULL;
	bool refused;

	if (!log->so_far)
		region_log__begin(log, part);
	types = xcalloc(part->n_types, sizeof(*types));
	for (size_t t = 0; t < part->n_types; t++)
		types[t] = prof__type_called(log->so_far, prof__text(part, part->types[t].name));
	for (size_t i = 0; i < part->n_samples; i++) {
		bool is_full = log->limit && region_log__bytes(log) > log->limit;
		uint32_t labels =
			labels_of(log->so_far, part, part->samples[i].labels, is_full, &refused);
		int64_t *values = prof__sample(log->so_far, 0, labels);

		for (size_t t = 0; t < part->n_types; t++) {
			int64_t n = prof__values(part, i)[t];

			if (types[t] == log->so_far->n_types)
				continue;
			values[types[t]] += n;
			log->no_room[types[t]] += refused ? n : 0;
		}
	}
}

void region_log__done(struct region_log *log)
{
	prof__free(log->so_far);
	free(log->no_room);
	*log = (struct region_log){0};
}
