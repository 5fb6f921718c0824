// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A frame of a profile becomes one of the tree once, not in each stack that it is in: stacks have a
 * hundred times as many frames as a profile has places.
 */
#include "render/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "prof/frames.h"
#include "prof/moments.h"
#include "render/lasting.h"
#include "render/towers.h"

const char *tree__text(const struct tree *t, uint32_t number)
{
	size_t size;

	return number ? intern__get(&t->texts, number, &size) : "";
}

const struct tree_function *tree__function(const struct tree *t, uint32_t function)
{
	size_t size;

	return intern__get(&t->functions, function + 1, &size);
}

uint32_t tree__add_text(struct tree *t, const char *text)
{
	return *text ? intern__add(&t->texts, text, strlen(text) + 1) : 0;
}

/* ---------------------------------------------------------------- types */

static struct tree_type *type_of(struct tree *t, const char *event, const char *part,
				 const char *unit)
{
	for (size_t i = 0; i < t->n_types; i++) {
		struct tree_type *type = &t->types[i];

		if (strcmp(type->event, event) == 0 && strcmp(type->part, part) == 0 &&
		    strcmp(type->unit, unit) == 0)
			return type;
	}
	GROW(t->types, t->n_types, t->cap_types);
	t->types[t->n_types] = (struct tree_type){xstrdup(event),
						  part,
						  xstrdup(unit),
						  {PROF_NO_TYPE, PROF_NO_TYPE}};
	return &t->types[t->n_types++];
}

static void add_type(struct tree *t, int side, const char *event, const char *part, size_t in)
{
	const struct prof *p = t->prof[side];

	if (in != PROF_NO_TYPE)
		type_of(t, event, part, prof__text(p, p->types[in].unit))->in[side] = in;
}

static void add_types(struct tree *t, int side)
{
	struct prof_event *events;
	size_t n = prof__events(t->prof[side], &events);

	for (size_t i = 0; i < n; i++) {
		add_type(t, side, events[i].name, "time", events[i].time);
		add_type(t, side, events[i].name, "events", events[i].events);
		add_type(t, side, events[i].name, "samples", events[i].samples);
	}
	prof_events__free(events, n);
}

/* ---------------------------------------------------------------- frames */

/* A profile on its way into the tree. */
struct adder {
	struct tree *tree;
	const struct prof *prof;
	struct prof_frames frames; /* of the stack at hand */
	uint32_t *known;       /* by number of a frame of the profile: that of the tree + 1, or 0 */
	uint32_t *towers;      /* by set of labels: their number, or 0; NULL: nobody asks */
	struct intern windows; /* that have been counted */
	struct buf name;
};

static void adder__done(struct adder *a)
{
	prof_frames__done(&a->frames);
	free(a->known);
	free(a->towers);
	intern__done(&a->windows);
	buf__done(&a->name);
}

static uint32_t function_frame(struct tree *t, const struct tree_function *f, bool inlined)
{
	return TREE_FRAME(intern__add(&t->functions, f, sizeof(*f)) - 1, inlined);
}

static uint32_t make_frame(struct adder *a, const struct prof_frame *frame)
{
	const struct prof_function *function = &a->prof->functions[frame->function];
	struct tree_function f = {.kind = frame->kind};

	buf__clear(&a->name);
	prof_frame__text(frame, a->prof, false, &a->name);
	f.name = tree__add_text(a->tree, a->name.data);
	buf__clear(&a->name);
	prof_frame__put_module_name(frame, a->prof, &a->name);
	f.module = tree__add_text(a->tree, a->name.len ? a->name.data : "");
	f.file = tree__add_text(a->tree, prof__text(a->prof, function->file));
	if (function->start_line > 0 && function->start_line <= UINT32_MAX)
		f.line = (uint32_t)function->start_line;
	return function_frame(a->tree, &f, frame->inlined);
}

static uint32_t frame_of(struct adder *a, const struct prof_frame *frame)
{
	uint32_t *known = &a->known[frame->number];

	if (!*known)
		*known = make_frame(a, frame) + 1;
	return *known - 1;
}

/* ---------------------------------------------------------------- rows */

static void add_part(struct tree *t, uint32_t frame)
{
	GROW(t->parts, t->n_parts, t->cap_parts);
	t->parts[t->n_parts++] = frame;
}

/* Root first: the process, if there is a name of it, then the frames. */
static uint32_t stack_number(struct adder *a, uint32_t stack, uint32_t comm)
{
	struct tree *t = a->tree;

	prof_frames__expand(&a->frames, a->prof, stack, true);
	t->n_parts = 0;
	if (comm) {
		const struct tree_function process = {.name = comm, .kind = TREE_PROCESS};

		add_part(t, function_frame(t, &process, false));
	}
	for (size_t i = a->frames.n; i-- > 0;)
		add_part(t, frame_of(a, &a->frames.list[i]));
	return intern__add(&t->stacks, t->parts, t->n_parts * sizeof(*t->parts));
}

static int64_t label_number(const struct prof *p, uint32_t labels, const char *key)
{
	const struct prof_label *label = prof__label(p, labels, key);

	return label && !label->text && label->number > 0 ? label->number : 0;
}

static uint32_t label_text(struct tree *t, const struct prof *p, uint32_t labels, const char *key)
{
	const struct prof_label *label = prof__label(p, labels, key);

	return label && label->text ? tree__add_text(t, prof__text(p, label->text)) : 0;
}

static uint32_t tower_number(struct adder *a, uint32_t labels)
{
	struct tree_tower tower;

	if (!a->towers)
		return 0;
	if (!a->towers[labels]) {
		tower = tower__of_labels(a->tree, a->prof, labels);
		a->towers[labels] = intern__add(&a->tree->towers, &tower, sizeof(tower));
	}
	return a->towers[labels];
}

/* The last step of that grid in which anything was; 0: there is no timeline. */
static uint32_t last_step(const struct prof *p, uint32_t grid_ms)
{
	uint32_t last = 0;

	for (size_t i = 0; p && moments__grid_ms(p) && i < p->n_samples; i++) {
		uint32_t step = moments__step(p, grid_ms, p->samples[i].labels);

		last = step > last ? step : last;
	}
	return last;
}

/* One grid for both: the coarser one, and so coarse that there are not too many steps. */
static void settle_moments(struct tree *t)
{
	uint32_t grid_ms = 0, last = 0, factor;

	for (int side = 0; side < TREE_SIDES; side++) {
		uint32_t own = t->prof[side] ? moments__grid_ms(t->prof[side]) : 0;

		grid_ms = own > grid_ms ? own : grid_ms;
	}
	for (int side = 0; side < TREE_SIDES; side++) {
		t->steps[side] = last_step(t->prof[side], grid_ms);
		last = t->steps[side] > last ? t->steps[side] : last;
	}
	if (!last)
		return;
	factor = (last - 1) / TREE_STEPS_MOST + 1;
	t->grid_ms = grid_ms * factor;
	for (int side = 0; side < TREE_SIDES; side++)
		t->steps[side] = t->steps[side] ? (t->steps[side] - 1) / factor + 1 : 0;
}

static struct tree_group group_of(struct tree *t, const struct prof *p, uint32_t labels)
{
	return (struct tree_group){
		.comm = label_text(t, p, labels, "comm"),
		.container = label_text(t, p, labels, "container"),
		.pid = label_number(p, labels, "pid"),
		.tid = label_number(p, labels, "tid"),
		.window = label_text(t, p, labels, "window"),
		.duration = lasting__of_labels(p, labels),
	};
}

static uint32_t group_number(struct tree *t, const struct tree_group *group)
{
	uint32_t number = intern__add(&t->groups, group, sizeof(*group));

	while (t->n_windows < (size_t)number * TREE_SIDES) {
		GROW(t->windows, t->n_windows, t->cap_windows);
		t->windows[t->n_windows++] = 0;
	}
	return number;
}

/* Once, however many samples it has: it is its first one's, should its command change its name. */
static void count_window(struct adder *a, int side, uint32_t labels, const struct tree_group *group,
			 uint32_t group_number)
{
	const struct {
		int64_t number, pid, tid;
		uint32_t window, duration;
	} key = {label_number(a->prof, labels, "window_number"), group->pid, group->tid,
		 group->window, group->duration};
	size_t before = intern__count(&a->windows);

	if (key.number && intern__add(&a->windows, &key, sizeof(key)) == before)
		a->tree->windows[(size_t)(group_number - 1) * TREE_SIDES + (size_t)side]++;
}

static int64_t *row_values(struct tree *t, const struct tree_row *row)
{
	size_t number = intern__add(&t->rows, row, sizeof(*row)) - 1;
	size_t width = TREE_SIDES * t->n_types;

	while (t->n_values < (number + 1) * width) {
		GROW(t->values, t->n_values, t->cap_values);
		t->values[t->n_values++] = 0;
	}
	return t->values + number * width;
}

static void add_samples(struct tree *t, int side, bool towers)
{
	const struct prof *p = t->prof[side];
	_cleanup_(adder__done) struct adder a = {.tree = t, .prof = p};

	a.known = xcalloc(p->n_lines + p->n_locations, sizeof(*a.known));
	if (towers)
		a.towers = xcalloc(intern__count(&p->label_sets), sizeof(*a.towers));
	for (size_t i = 0; i < p->n_samples; i++) {
		const struct prof_sample *s = &p->samples[i];
		const struct tree_group group = group_of(t, p, s->labels);
		const struct tree_row row = {
			.stack = stack_number(&a, s->stack, group.comm),
			.group = group_number(t, &group),
			.tower = tower_number(&a, s->labels),
			.moment = t->steps[side] ? moments__step(p, t->grid_ms, s->labels) : 0,
		};
		int64_t *values = row_values(t, &row) + (size_t)side * t->n_types;

		for (size_t k = 0; k < t->n_types; k++) {
			size_t in = t->types[k].in[side];
			int64_t value = in == PROF_NO_TYPE ? 0 : prof__values(p, i)[in];

			if (value < 0)
				t->negative[side]++;
			else
				values[k] += value;
		}
		count_window(&a, side, s->labels, &group, row.group);
	}
}

struct tree *tree__new(const struct prof *prof, const struct prof *old, bool apart)
{
	struct tree *t = xcalloc(1, sizeof(*t));
	bool towers;

	t->prof[TREE_NEW] = prof;
	t->prof[TREE_OLD] = old;
	for (int side = 0; side < TREE_SIDES; side++) {
		if (t->prof[side])
			add_types(t, side);
	}
	if (apart)
		settle_moments(t);
	towers = apart && (tower__is_of_profile(prof) || (old && tower__is_of_profile(old)));
	for (int side = 0; side < TREE_SIDES; side++) {
		if (t->prof[side])
			add_samples(t, side, towers);
	}
	return t;
}

struct tree *tree__free(struct tree *t)
{
	if (!t)
		return NULL;
	for (size_t i = 0; i < t->n_types; i++) {
		free(t->types[i].event);
		free(t->types[i].unit);
	}
	free(t->types);
	intern__done(&t->texts);
	intern__done(&t->functions);
	intern__done(&t->groups);
	intern__done(&t->towers);
	intern__done(&t->stacks);
	intern__done(&t->rows);
	free(t->windows);
	free(t->values);
	free(t->parts);
	free(t);
	return NULL;
}
