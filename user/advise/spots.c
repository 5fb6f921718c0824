// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Where a finding's samples are. Texts are made of the heaviest places only: a profile may have
 * long names, and pair each with many others. Of each place the line is that of its heaviest stack.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "advise/advice.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/text.h"
#include "prof/site.h"

/* What makes it one place; 0: it has none of that. */
struct spot {
	uint32_t function, location; /* location: of a function without a name */
	uint32_t file;               /* text */
	uint32_t call;               /* function */
	uint32_t label, waker;       /* texts */
};

struct weight {
	struct prof_frame frame; /* of the heaviest stack; location 0: none */
	double value, heaviest;
};

struct spots {
	struct intern keys; /* struct spot */
	struct weight *list;
	size_t cap;
	double sum;
};

static uint32_t label_of(const struct prof *p, uint32_t labels, const char *key)
{
	const struct prof_label *label = prof__label(p, labels, key);

	return label ? label->text : 0;
}

/* The frame that a place is named after, or NULL. */
static const struct prof_frame *frame_of(struct traits *t, enum rule_place place)
{
	const struct prof_frames *f = &t->frames;
	size_t first = traits__first_of_program(t);

	switch (place) {
	case PLACE_LEAF:
	case PLACE_MODULE:
		return f->n ? &f->list[0] : NULL;
	case PLACE_SCRIPT:
		while (first < f->n && f->list[first].kind == PROF_USER)
			first++;
		return first < f->n ? &f->list[first] : NULL;
	case PLACE_WAKER:
		return prof_frames__site(f, t->prof, traits__first_behind_lock(t));
	case PLACE_NONE:
	case PLACE_COMMAND:
		return NULL;
	default:
		return prof_frames__site(f, t->prof, first);
	}
}

static struct spot spot_of(const struct traits *t, uint32_t labels, enum rule_place place,
			   const struct prof_frame *frame)
{
	const struct prof *p = t->prof;
	struct spot spot = {0};

	if (frame) {
		const struct prof_location *l = &p->locations[frame->location];

		spot.file = p->mappings[l->mapping].file;
		if (place != PLACE_MODULE && prof__function_name(p, frame->function))
			spot.function = frame->function;
		else if (place != PLACE_MODULE)
			spot.location = frame->location;
	}
	if (place == PLACE_CALL)
		spot.call = traits__call(t);
	if (place == PLACE_WAKER)
		spot.waker = label_of(p, labels, "waker");
	if (place == PLACE_OBJECT || place == PLACE_COMMAND)
		spot.label = label_of(p, labels, place == PLACE_OBJECT ? "data_object" : "comm");
	return spot;
}

/* Below 0: the first of two that weigh the same, in whatever order samples stand. */
static int compare_frames(const struct prof *p, const struct prof_frame *a,
			  const struct prof_frame *b)
{
	const struct prof_location *x = &p->locations[a->location], *y = &p->locations[b->location];
	int by_name = strcmp(prof__text(p, prof__function_name(p, a->function)),
			     prof__text(p, prof__function_name(p, b->function)));
	int by_file = strcmp(prof__text(p, p->mappings[x->mapping].file),
			     prof__text(p, p->mappings[y->mapping].file));

	if (by_name || by_file)
		return by_name ? by_name : by_file;
	return a->line != b->line ? (a->line > b->line) - (a->line < b->line) :
				    (x->address > y->address) - (x->address < y->address);
}

static void gather(struct advice *a, const struct weighing *w, enum rule_place place,
		   struct spots *spots)
{
	const struct prof *p = a->prof;

	for (size_t i = 0; i < p->n_samples; i++) {
		double value = (double)prof__values(p, i)[w->type];
		const struct prof_frame *frame;
		struct weight *weight;
		struct spot spot;
		uint32_t number;

		if (!(value > 0) || !advice__weighs(a, w, i))
			continue;
		traits__of(&a->traits, &p->samples[i]);
		frame = frame_of(&a->traits, place);
		spot = spot_of(&a->traits, p->samples[i].labels, place, frame);
		number = intern__add(&spots->keys, &spot, sizeof(spot));
		GROW_TO(spots->list, number, spots->cap);
		weight = &spots->list[number];
		weight->value += value;
		spots->sum += value;
		if (value < weight->heaviest ||
		    (value <= weight->heaviest &&
		     (!frame || compare_frames(p, frame, &weight->frame) >= 0)))
			continue;
		weight->heaviest = value;
		weight->frame = frame ? *frame : (struct prof_frame){0};
	}
}

static struct spot spot_at(const struct spots *spots, uint32_t number)
{
	struct spot spot;
	size_t size;

	memcpy(&spot, intern__get(&spots->keys, number, &size), sizeof(spot));
	return spot;
}

static int compare_spots(const struct prof *p, const struct spots *spots, uint32_t a, uint32_t b)
{
	const struct spot x = spot_at(spots, a), y = spot_at(spots, b);
	int by_label = strcmp(prof__text(p, x.label), prof__text(p, y.label));
	int by_waker = strcmp(prof__text(p, x.waker), prof__text(p, y.waker));
	int by_call = strcmp(prof__text(p, prof__function_name(p, x.call)),
			     prof__text(p, prof__function_name(p, y.call)));

	if (by_label || by_waker || by_call)
		return by_label ? by_label : by_waker ? by_waker : by_call;
	return compare_frames(p, &spots->list[a].frame, &spots->list[b].frame);
}

static uint32_t heaviest(const struct prof *p, const struct spots *spots)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < intern__count(&spots->keys); i++) {
		double value = spots->list[i].value, most = best ? spots->list[best].value : 0;

		if (value > most || (best && value >= most && compare_spots(p, spots, i, best) < 0))
			best = i;
	}
	return best;
}

static void put_frame(const struct prof *p, const struct prof_frame *frame, struct buf *out)
{
	const struct prof_function *f = &p->functions[frame->function];

	prof_frame__text(frame, p, false, out);
	if (!prof__function_name(p, frame->function))
		return;
	if (*prof_frame__module(frame, p)) {
		buf__putc(out, ' ');
		prof_frame__put_module(frame, p, out);
	}
	if (f->file && frame->line)
		buf__printf(out, ", %s:%" PRId64, base_name(prof__text(p, f->file)), frame->line);
}

/* "write, called by save [app], app.c:12, woken by owner" */
static void put_spot(const struct traits *t, const struct spot *spot, enum rule_place place,
		     const struct prof_frame *frame, struct buf *out)
{
	const struct prof *p = t->prof;

	buf__puts(out, "");
	if (spot->call)
		buf__printf(out, "%s, called by ", traits__call_name(t, spot->call));
	if (spot->label)
		buf__printf(out, place == PLACE_OBJECT ? "%s, in " : "%s",
			    prof__text(p, spot->label));
	if (place == PLACE_MODULE)
		buf__puts(out, spot->file ? prof__text(p, spot->file) : "[unknown]");
	else if (frame->location)
		put_frame(p, frame, out);
	else if (place != PLACE_COMMAND)
		buf__puts(out, "[the kernel]");
	if (spot->waker)
		buf__printf(out, ", woken by %s", prof__text(p, spot->waker));
}

static void take(const struct traits *t, struct spots *spots, uint32_t number,
		 enum rule_place place, struct place *ret)
{
	struct weight *weight = &spots->list[number];
	const struct spot spot = spot_at(spots, number);
	struct buf text = {0};

	put_spot(t, &spot, place, &weight->frame, &text);
	ret->text = buf__take(&text);
	ret->function = xstrdup(prof__text(t->prof, prof__function_name(t->prof, spot.function)));
	ret->percent = 100 * weight->value / spots->sum;
	weight->value = 0;
}

void spots__find(struct advice *a, const struct weighing *w, struct finding *finding)
{
	enum rule_place place = finding->rule->place;
	struct spots spots = {0};
	uint32_t best;

	gather(a, w, place, &spots);
	while (finding->n_places < MOST_PLACES && (best = heaviest(a->prof, &spots)))
		take(&a->traits, &spots, best, place, &finding->places[finding->n_places++]);
	free(spots.list);
	intern__done(&spots.keys);
}
