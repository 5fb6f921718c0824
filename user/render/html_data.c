// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Stacks are sorted by the names of their frames, root first. So each is the one before up to some
 * frame, and what it adds are new nodes of the tree in the order of a walk: the page gets its tree,
 * and the places of all its rectangles, from running sums.
 */
#include "render/html_data.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "render/json.h"
#include "render/report.h"
#include "render/tree.h"

enum { TOWER_PARTS = sizeof(struct tree_tower) / sizeof(uint32_t) };

struct encoder {
	const struct tree *tree;
	struct buf *out;
	size_t n_functions, n_towers, n_groups, n_stacks, n_rows;
	uint32_t *by_name;    /* functions, sorted */
	uint32_t *rank;       /* of each function: its place there */
	uint32_t *towers;     /* numbers, sorted */
	uint32_t *tower_rank; /* of each number */
	uint32_t *stacks;     /* numbers, sorted */
	uint32_t *stack_rank; /* of each number */
	uint32_t *rows;       /* numbers, sorted by stack */
};

static void encoder__done(struct encoder *e)
{
	free(e->by_name);
	free(e->rank);
	free(e->towers);
	free(e->tower_rank);
	free(e->stacks);
	free(e->stack_rank);
	free(e->rows);
}

static void put(struct encoder *e, uint64_t n)
{
	for (; n >= 0x80; n >>= 7)
		buf__putc(e->out, (char)(n | 0x80));
	buf__putc(e->out, (char)n);
}

/* ---------------------------------------------------------------- orders */

static int compare_functions(const void *pa, const void *pb, void *ctx)
{
	const struct tree *t = ctx;
	const struct tree_function *a = tree__function(t, *(const uint32_t *)pa);
	const struct tree_function *b = tree__function(t, *(const uint32_t *)pb);
	int c = strcmp(tree__text(t, a->name), tree__text(t, b->name));

	if (c == 0)
		c = strcmp(tree__text(t, a->module), tree__text(t, b->module));
	return c ? c : memcmp(a, b, sizeof(*a));
}

/* 0: there is no such frame. */
static uint32_t tower_part(const struct encoder *e, uint32_t number, size_t part)
{
	size_t size;
	const uint32_t *functions = intern__get(&e->tree->towers, number, &size);

	return functions[part] ? e->rank[functions[part] - 1] + 1 : 0;
}

static int compare_towers(const void *pa, const void *pb, void *ctx)
{
	const struct encoder *e = ctx;
	int c = 0;

	for (size_t i = 0; c == 0 && i < TOWER_PARTS; i++) {
		uint32_t a = tower_part(e, *(const uint32_t *)pa, i);
		uint32_t b = tower_part(e, *(const uint32_t *)pb, i);

		c = CMP3(a, b);
	}
	return c;
}

static size_t stack_frames(const struct tree *t, uint32_t stack, const uint32_t **ret)
{
	size_t size;

	*ret = intern__get(&t->stacks, stack, &size);
	return size / sizeof(**ret);
}

/* Where the two part, at most at the end of the shorter one. */
static size_t common_frames(const uint32_t *a, size_t n_a, const uint32_t *b, size_t n_b)
{
	size_t n = n_a < n_b ? n_a : n_b, i = 0;

	while (i < n && a[i] == b[i])
		i++;
	return i;
}

static uint32_t frame_rank(const struct encoder *e, uint32_t frame)
{
	return TREE_FRAME(e->rank[frame >> 1], frame & 1);
}

static int compare_stacks(const void *pa, const void *pb, void *ctx)
{
	const struct encoder *e = ctx;
	const uint32_t *a, *b;
	size_t n_a = stack_frames(e->tree, *(const uint32_t *)pa, &a);
	size_t n_b = stack_frames(e->tree, *(const uint32_t *)pb, &b);
	size_t i = common_frames(a, n_a, b, n_b);

	if (i == n_a || i == n_b)
		return CMP3(n_a, n_b);
	return CMP3(frame_rank(e, a[i]), frame_rank(e, b[i]));
}

static const struct tree_row *row_of(const struct tree *t, uint32_t number)
{
	size_t size;

	return intern__get(&t->rows, number, &size);
}

static int compare_rows(const void *pa, const void *pb, void *ctx)
{
	const struct encoder *e = ctx;
	const struct tree_row *a = row_of(e->tree, *(const uint32_t *)pa);
	const struct tree_row *b = row_of(e->tree, *(const uint32_t *)pb);

	if (a->stack != b->stack)
		return CMP3(e->stack_rank[a->stack], e->stack_rank[b->stack]);
	if (a->group != b->group)
		return CMP3(a->group, b->group);
	return a->tower != b->tower ? CMP3(e->tower_rank[a->tower], e->tower_rank[b->tower]) :
				      CMP3(a->moment, b->moment);
}

static uint32_t *numbers_from(uint32_t first, size_t n)
{
	uint32_t *numbers = xcalloc(n + 1, sizeof(*numbers));

	for (size_t i = 0; i < n; i++)
		numbers[i] = first + (uint32_t)i;
	return numbers;
}

static void sort_functions(struct encoder *e)
{
	const struct tree *t = e->tree;

	e->n_functions = intern__count(&t->functions) - 1;
	e->by_name = numbers_from(0, e->n_functions);
	qsort_r(e->by_name, e->n_functions, sizeof(*e->by_name), compare_functions, (void *)t);
	e->rank = xcalloc(e->n_functions + 1, sizeof(*e->rank));
	for (size_t i = 0; i < e->n_functions; i++)
		e->rank[e->by_name[i]] = (uint32_t)i;
}

static void sort_towers(struct encoder *e)
{
	e->n_towers = intern__count(&e->tree->towers) - 1;
	e->towers = numbers_from(1, e->n_towers);
	qsort_r(e->towers, e->n_towers, sizeof(*e->towers), compare_towers, e);
	e->tower_rank = xcalloc(e->n_towers + 1, sizeof(*e->tower_rank));
	for (size_t i = 0; i < e->n_towers; i++)
		e->tower_rank[e->towers[i]] = (uint32_t)i;
}

static void sort_stacks(struct encoder *e)
{
	e->n_stacks = intern__count(&e->tree->stacks); /* with the empty one */
	e->stacks = numbers_from(0, e->n_stacks);
	qsort_r(e->stacks, e->n_stacks, sizeof(*e->stacks), compare_stacks, e);
	e->stack_rank = xcalloc(e->n_stacks, sizeof(*e->stack_rank));
	for (size_t i = 0; i < e->n_stacks; i++)
		e->stack_rank[e->stacks[i]] = (uint32_t)i;
}

/* By function names first, which all others go by. */
static void encoder__sort(struct encoder *e)
{
	sort_functions(e);
	sort_towers(e);
	sort_stacks(e);
	e->n_rows = intern__count(&e->tree->rows) - 1;
	e->rows = numbers_from(1, e->n_rows);
	qsort_r(e->rows, e->n_rows, sizeof(*e->rows), compare_rows, e);
	e->n_groups = intern__count(&e->tree->groups) - 1;
}

/* ---------------------------------------------------------------- the head */

/* As the new profile has it; NULL: it doesn't. */
static const char *name_of_type(const struct tree *t, const struct tree_type *type)
{
	const struct prof *p = t->prof[TREE_NEW];
	size_t in = type->in[TREE_NEW];

	return in == PROF_NO_TYPE ? NULL : prof__text(p, p->types[in].name);
}

static void put_types(struct json *j, const struct tree *t)
{
	json__arr(j, "types");
	for (size_t i = 0; i < t->n_types; i++) {
		json__obj(j, NULL);
		json__str(j, "event", t->types[i].event);
		json__str(j, "part", t->types[i].part);
		json__str(j, "unit", t->types[i].unit);
		json__str(j, "name", name_of_type(t, &t->types[i]));
		json__end_obj(j);
	}
	json__end_arr(j);
}

/* The page's number of a type of the new profile; PROF_NO_TYPE, too. */
static void put_number(struct json *j, const char *key, const struct tree *t, size_t type)
{
	size_t i = 0;

	while (i < t->n_types && t->types[i].in[TREE_NEW] != type)
		i++;
	json__i64(j, key, type == PROF_NO_TYPE || i == t->n_types ? -1 : (int64_t)i);
}

static void put_ratio(struct json *j, const struct tree *t, const struct report *r,
		      const struct report_ratio *ratio)
{
	const struct prof_event *above, *below;

	report_ratio__parts(r, ratio, &above, &below);
	json__obj(j, NULL);
	json__str(j, "event", r->events[ratio->event].name);
	json__str(j, "kind", derived_keys[ratio->kind]);
	json__str(j, "words", derived_texts[ratio->kind]);
	json__str(j, "title", derived_titles[ratio->kind]);
	json__f64(j, "factor", ratio->factor, 9);
	json__bool(j, "more_is_better", derived__more_is_better(ratio->kind));
	json__bool(j, "doubtful", ratio->doubtful);
	put_number(j, "above", t, report_event__type(above));
	put_number(j, "below", t, report_event__type(below));
	put_number(j, "above_samples", t, above->samples);
	put_number(j, "below_samples", t, below->samples);
	json__end_obj(j);
}

static void put_ratios(struct json *j, const struct tree *t)
{
	struct report r = {.prof = t->prof[TREE_NEW]};

	report__settle(&r);
	json__arr(j, "ratios");
	for (size_t i = 0; i < r.n_ratios; i++)
		put_ratio(j, t, &r, &r.ratios[i]);
	json__end_arr(j);
	report__done(&r);
}

static void put_profile(struct json *j, const struct tree *t, int side)
{
	const struct prof *p = t->prof[side];

	if (!p) {
		json__null(j, NULL);
		return;
	}
	json__obj(j, NULL);
	json__i64(j, "time_ms", p->time_ns / 1000000);
	json__i64(j, "duration_ms", p->duration_ns / 1000000);
	json__str(j, "default_type", prof__text(p, p->default_type));
	json__u64(j, "negative", t->negative[side]);
	json__arr(j, "comments");
	for (size_t i = 0; i < p->n_comments; i++)
		json__str(j, NULL, prof__text(p, p->comments[i]));
	json__end_arr(j);
	json__end_obj(j);
}

static void put_head(struct encoder *e)
{
	const struct tree *t = e->tree;
	_cleanup_(buf__done) struct buf head = {0};
	struct json j = {.out = &head, .one_line = true};

	json__obj(&j, NULL);
	json__str(&j, "version", PMUBPF_VERSION);
	json__u64(&j, "functions", e->n_functions);
	json__u64(&j, "towers", e->n_towers);
	json__u64(&j, "groups", e->n_groups);
	json__u64(&j, "stacks", e->n_stacks);
	json__u64(&j, "rows", e->n_rows);
	json__u64(&j, "grid_ms", t->grid_ms);
	json__arr(&j, "steps");
	for (int side = 0; side < TREE_SIDES; side++)
		json__u64(&j, NULL, t->steps[side]);
	json__end_arr(&j);
	put_types(&j, t);
	put_ratios(&j, t);
	json__arr(&j, "profiles");
	for (int side = 0; side < TREE_SIDES; side++)
		put_profile(&j, t, side);
	json__end_arr(&j);
	json__arr(&j, "texts");
	for (uint32_t i = 0; i < intern__count(&t->texts); i++)
		json__str(&j, NULL, tree__text(t, i));
	json__end_arr(&j);
	json__end_obj(&j);
	put(e, head.len);
	buf__add(e->out, head.data, head.len);
}

/* ---------------------------------------------------------------- columns */

static void put_functions(struct encoder *e)
{
	static const size_t columns[] = {offsetof(struct tree_function, name),
					 offsetof(struct tree_function, module),
					 offsetof(struct tree_function, file),
					 offsetof(struct tree_function, line),
					 offsetof(struct tree_function, kind)};

	for (size_t c = 0; c < ARRAY_SIZE(columns); c++) {
		for (size_t i = 0; i < e->n_functions; i++) {
			const char *f = (void *)tree__function(e->tree, e->by_name[i]);
			uint32_t value;

			memcpy(&value, f + columns[c], sizeof(value));
			put(e, value);
		}
	}
}

static void put_towers(struct encoder *e)
{
	for (size_t part = 0; part < TOWER_PARTS; part++) {
		for (size_t i = 0; i < e->n_towers; i++)
			put(e, tower_part(e, e->towers[i], part));
	}
}

static const struct tree_group *group(const struct encoder *e, size_t i)
{
	size_t size;

	return intern__get(&e->tree->groups, (uint32_t)i + 1, &size);
}

/* The group in which nothing is known is all zeros, and no empty string. */
static void put_groups(struct encoder *e)
{
	for (size_t i = 0; i < e->n_groups; i++)
		put(e, group(e, i)->comm);
	for (size_t i = 0; i < e->n_groups; i++)
		put(e, group(e, i)->container);
	for (size_t i = 0; i < e->n_groups; i++)
		put(e, (uint64_t)group(e, i)->pid);
	for (size_t i = 0; i < e->n_groups; i++)
		put(e, (uint64_t)group(e, i)->tid);
	for (size_t i = 0; i < e->n_groups; i++)
		put(e, group(e, i)->window);
	for (size_t i = 0; i < e->n_groups; i++)
		put(e, group(e, i)->duration);
	for (size_t side = 0; side < (e->tree->prof[TREE_OLD] ? TREE_SIDES : 1); side++) {
		for (size_t i = 0; i < e->n_groups; i++)
			put(e, e->tree->windows[i * TREE_SIDES + side]);
	}
}

static void put_stacks(struct encoder *e)
{
	_cleanup_free_ size_t *keep = xcalloc(e->n_stacks, sizeof(*keep));
	const uint32_t *frames, *before = NULL;
	size_t n_before = 0, n;

	for (size_t i = 0; i < e->n_stacks; i++, before = frames, n_before = n) {
		n = stack_frames(e->tree, e->stacks[i], &frames);
		keep[i] = common_frames(before, n_before, frames, n);
		put(e, keep[i]);
	}
	for (size_t i = 0; i < e->n_stacks; i++)
		put(e, stack_frames(e->tree, e->stacks[i], &frames) - keep[i]);
	for (size_t i = 0; i < e->n_stacks; i++) {
		n = stack_frames(e->tree, e->stacks[i], &frames);
		for (size_t k = keep[i]; k < n; k++)
			put(e, frame_rank(e, frames[k]));
	}
}

/* Of one profile's stack they grow. */
static void put_moments(struct encoder *e)
{
	const struct tree_row *before = NULL;

	for (size_t i = 0; i < e->n_rows; i++) {
		const struct tree_row *row = row_of(e->tree, e->rows[i]);
		bool goes_on = before && before->stack == row->stack &&
			       before->group == row->group && before->tower == row->tower;

		put(e, row->moment - (goes_on ? before->moment : 0));
		before = row;
	}
}

static void put_rows(struct encoder *e)
{
	const struct tree *t = e->tree;
	_cleanup_free_ uint32_t *n = xcalloc(e->n_stacks, sizeof(*n));
	size_t width = TREE_SIDES * t->n_types;

	for (size_t i = 0; i < e->n_rows; i++)
		n[e->stack_rank[row_of(t, e->rows[i])->stack]]++;
	for (size_t i = 0; i < e->n_stacks; i++)
		put(e, n[i]);
	for (size_t i = 0; i < e->n_rows; i++)
		put(e, row_of(t, e->rows[i])->group - 1);
	for (size_t i = 0; e->n_towers && i < e->n_rows; i++)
		put(e, e->tower_rank[row_of(t, e->rows[i])->tower]);
	if (t->grid_ms)
		put_moments(e);
	for (size_t c = 0; c < (t->prof[TREE_OLD] ? width : t->n_types); c++) {
		for (size_t i = 0; i < e->n_rows; i++)
			put(e, (uint64_t)t->values[(e->rows[i] - 1) * width + c]);
	}
}

static void put_code(struct encoder *e, const struct buf *code)
{
	put(e, code ? code->len : 0);
	if (code && code->len)
		buf__add(e->out, code->data, code->len);
}

void html_data__encode(struct buf *out, const struct prof *prof, const struct prof *old,
		       const struct buf *code)
{
	struct tree *tree = tree__new(prof, old, true);
	_cleanup_(encoder__done) struct encoder e = {.tree = tree, .out = out};

	encoder__sort(&e);
	put_head(&e);
	put_functions(&e);
	put_towers(&e);
	put_groups(&e);
	put_stacks(&e);
	put_rows(&e);
	put_code(&e, code);
	tree__free(tree);
}
