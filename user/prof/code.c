// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is what "the function" is: a location has the calls that were inlined there and,
 * as its last line, the function whose instruction it is. That one is meant, where there are
 * instructions.
 */
#include "prof/code.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "model/intern.h"
#include "prof/frames.h"

/* Those of interpreters' functions aren't theirs; a JIT's are in its dump, if anywhere. */
static bool kind__has_instructions(enum prof_kind kind)
{
	return kind == PROF_USER || kind == PROF_KERNEL;
}

bool code_function__has_instructions(const struct code_function *f)
{
	return kind__has_instructions(f->kind) || f->dumped;
}

/* The line of a location whose function its samples are of; NULL: it has none. */
static const struct prof_line *line_of(const struct prof *p, uint32_t location)
{
	const struct prof_location *l = &p->locations[location];

	if (!l->n_lines)
		return NULL;
	if (kind__has_instructions(prof__kind(p, location)))
		return &p->lines[l->first_line + l->n_lines - 1];
	return &p->lines[l->first_line];
}

/* 2: it is the name, or the linker's (where that is another one: but for what a compiler put behind
 * it); 1: parameters or template arguments are behind one of the two. */
static int fit(const struct prof *p, uint32_t function, const char *name)
{
	const char *text = prof__text(p, prof__function_name(p, function));
	const char *system = prof__text(p, p->functions[function].system_name);
	size_t len = strlen(name), text_len = strlen(text);

	if (strcmp(text, name) == 0 || strcmp(system, name) == 0)
		return 2;
	if (len && strcmp(text, system) != 0 && strncmp(system, name, len) == 0 &&
	    system[len] == '.')
		return 2;
	if (text_len < len)
		return text_len && strncmp(text, name, text_len) == 0 && name[text_len] == '(';
	return strncmp(text, name, len) == 0 && (text[len] == '(' || text[len] == '<');
}

/* Code of a file that nothing names. */
static bool is_nameless(const struct prof *p, uint32_t location)
{
	const struct prof_line *line = line_of(p, location);

	return (!line || !prof__function_name(p, line->function)) &&
	       prof__kind(p, location) == PROF_USER;
}

static uint64_t file_offset(const struct prof *p, uint32_t location)
{
	const struct prof_location *l = &p->locations[location];
	const struct prof_mapping *m = &p->mappings[l->mapping];

	return l->address >= m->start ? l->address - m->start + m->offset : 0;
}

/* How well each function fits, by number. */
static uint8_t *fits_of(const struct prof *p, const char *name, int *ret_best)
{
	uint8_t *fits = xcalloc(p->n_functions, sizeof(*fits));
	_cleanup_free_ uint8_t *leaf = xcalloc(p->n_functions, sizeof(*leaf));

	*ret_best = 0;
	for (size_t i = 0; i < p->n_samples; i++) {
		const uint32_t *locations;
		size_t n = prof__stack_locations(p, p->samples[i].stack, &locations);
		const struct prof_line *line = n ? line_of(p, locations[0]) : NULL;

		if (line)
			leaf[line->function] = 1;
	}
	for (uint32_t i = 1; i < p->n_functions; i++) {
		fits[i] = (uint8_t)fit(p, i, name);
		if (leaf[i] && fits[i] > *ret_best)
			*ret_best = fits[i];
	}
	return fits;
}

/* Parts of one function have what a compiler put behind its name: ".cold", ".part.0". */
static bool same_symbol(const struct prof *p, uint32_t a, uint32_t b)
{
	const char *x = prof__text(p, a), *y = prof__text(p, b);
	size_t n = strcspn(x, ".");

	return a == b || (n && n == strcspn(y, ".") && strncmp(x, y, n) == 0);
}

static bool is_of(const struct prof *p, const struct code_function *f, uint32_t location)
{
	const struct prof_location *l = &p->locations[location];
	const struct prof_mapping *m = &p->mappings[l->mapping];
	const struct prof_line *line = line_of(p, location);
	uint32_t source = line ? p->functions[line->function].file : 0;

	if (f->called)
		return m->file == f->file && m->build_id == f->build_id && is_nameless(p, location);
	return line && m->file == f->file && m->build_id == f->build_id &&
	       prof__function_name(p, line->function) == f->name &&
	       same_symbol(p, p->functions[line->function].system_name, f->system) &&
	       (source == f->source || (!source && f->first)) && prof__kind(p, location) == f->kind;
}

static struct code_function *add_function(struct code_functions *ret, const struct prof *p,
					  uint32_t location)
{
	const struct prof_mapping *m = &p->mappings[p->locations[location].mapping];
	const struct prof_line *line = line_of(p, location);

	GROW(ret->list, ret->n, ret->cap);
	ret->list[ret->n] = (struct code_function){
		.name = prof__function_name(p, line->function),
		.system = p->functions[line->function].system_name,
		.file = m->file,
		.build_id = m->build_id,
		.source = p->functions[line->function].file,
		.kind = prof__kind(p, location),
		.values = xcalloc(p->n_types, sizeof(int64_t)),
	};
	return &ret->list[ret->n++];
}

/* What tells functions apart, as is_of() does; behind it stands the linker's name, without what a
 * compiler put there. */
struct function_key {
	uint32_t name, file, build_id;
	uint32_t source; /* 0: of the first function that differs in that alone */
	uint32_t kind;
};

struct finder {
	struct code_functions *to;
	const struct prof *p;
	struct intern keys;
	uint32_t *of_key; /* function + 1 */
	size_t n_keys, cap_keys;
};

static void finder__done(struct finder *f)
{
	intern__done(&f->keys);
	free(f->of_key);
}

/* Function + 1; 0: there is none yet. */
static uint32_t *function_of_key(struct finder *f, uint32_t location, uint32_t source)
{
	const struct prof *p = f->p;
	const struct prof_mapping *m = &p->mappings[p->locations[location].mapping];
	const struct prof_line *line = line_of(p, location);
	const char *system = prof__text(p, p->functions[line->function].system_name);
	const struct function_key key = {
		.name = prof__function_name(p, line->function),
		.file = m->file,
		.build_id = m->build_id,
		.source = source,
		.kind = prof__kind(p, location),
	};
	_cleanup_(buf__done) struct buf bytes = {0};
	uint32_t number;

	buf__add(&bytes, &key, sizeof(key));
	buf__add(&bytes, system, strcspn(system, "."));
	number = intern__add(&f->keys, bytes.data, bytes.len);
	while (f->n_keys <= number) {
		GROW(f->of_key, f->n_keys, f->cap_keys);
		f->of_key[f->n_keys++] = 0;
	}
	return &f->of_key[number];
}

static uint32_t make_function(struct finder *f, uint32_t location, bool first)
{
	add_function(f->to, f->p, location)->first = first;
	return (uint32_t)f->to->n;
}

/* Its number + 1. The source isn't known of each instruction: what has none is of the first. */
static uint32_t find(struct finder *f, uint32_t location)
{
	uint32_t source = f->p->functions[line_of(f->p, location)->function].file;
	uint32_t *number = function_of_key(f, location, 0);
	struct code_function *first;

	if (!*number)
		return *number = make_function(f, location, true);
	first = &f->to->list[*number - 1];
	if (!first->source)
		first->source = source;
	if (!source || first->source == source)
		return *number;
	number = function_of_key(f, location, source);
	if (!*number)
		*number = make_function(f, location, false);
	return *number;
}

static void add_values(const struct prof *p, size_t sample, int64_t *to)
{
	const int64_t *values = prof__values(p, sample);

	for (size_t t = 0; t < p->n_types; t++)
		to[t] += values[t];
}

static void add_sample(const struct prof *p, size_t sample, struct code_function *f)
{
	f->n_samples++;
	f->in_container |= prof__label(p, p->samples[sample].labels, "container") != NULL;
	add_values(p, sample, f->values);
}

/* The functions whose instructions it was inlined into. */
static void note_host(struct code_functions *ret, const struct prof *p, const uint8_t *fits,
		      uint32_t location)
{
	const struct prof_location *l = &p->locations[location];
	uint32_t host;
	bool inlined = false;

	for (uint32_t k = 0; k + 1 < l->n_lines; k++)
		inlined |= fits[p->lines[l->first_line + k].function] > 0;
	if (!inlined)
		return;
	host = prof__function_name(p, p->lines[l->first_line + l->n_lines - 1].function);
	for (size_t i = 0; i < ret->n_hosts && i < ARRAY_SIZE(ret->hosts); i++) {
		if (ret->hosts[i] == host)
			return;
	}
	if (ret->n_hosts < ARRAY_SIZE(ret->hosts))
		ret->hosts[ret->n_hosts] = host;
	ret->n_hosts++;
}

static struct code_function *nameless_of(struct code_functions *ret, const struct prof *p,
					 const char *name, uint32_t location)
{
	const struct prof_mapping *m = &p->mappings[p->locations[location].mapping];

	for (size_t i = 0; i < ret->n; i++) {
		if (ret->list[i].file == m->file && ret->list[i].build_id == m->build_id)
			return &ret->list[i];
	}
	GROW(ret->list, ret->n, ret->cap);
	ret->list[ret->n] = (struct code_function){
		.called = name,
		.file = m->file,
		.build_id = m->build_id,
		.kind = PROF_USER,
		.values = xcalloc(p->n_types, sizeof(int64_t)),
	};
	return &ret->list[ret->n++];
}

/* Whether it is "[file]" or "[file]+0x…" of that location. */
static bool is_called(const struct prof *p, const char *name, uint32_t location, bool *ret_one)
{
	const struct prof_frame frame = {.location = location};
	_cleanup_(buf__done) struct buf text = {0};

	*ret_one = false;
	prof_frame__put_module(&frame, p, &text);
	if (text.len && strcmp(text.data, name) == 0)
		return true;
	buf__clear(&text);
	prof_frame__text(&frame, p, false, &text);
	*ret_one = strcmp(text.data, name) == 0;
	return *ret_one;
}

static void find_nameless(struct code_functions *ret, const struct prof *p, const char *name)
{
	for (size_t i = 0; i < p->n_samples && *name == '['; i++) {
		const uint32_t *locations;
		size_t n = prof__stack_locations(p, p->samples[i].stack, &locations);
		struct code_function *f;
		bool one;

		if (!n || !is_nameless(p, locations[0]) || !is_called(p, name, locations[0], &one))
			continue;
		f = nameless_of(ret, p, name, locations[0]);
		f->one = one;
		f->near = file_offset(p, locations[0]);
		add_sample(p, i, f);
	}
}

static int by_value(const void *a, const void *b, void *ctx)
{
	const struct code_function *x = a, *y = b;
	size_t type = *(const size_t *)ctx;

	return CMP3(y->values[type], x->values[type]);
}

void code_functions__find(struct code_functions *ret, const struct prof *p, const char *name,
			  size_t type)
{
	int best;
	_cleanup_free_ uint8_t *fits = fits_of(p, name, &best);
	_cleanup_(finder__done) struct finder finder = {.to = ret, .p = p};

	*ret = (struct code_functions){0};
	for (size_t i = 0; i < p->n_samples; i++) {
		const uint32_t *locations;
		size_t n = prof__stack_locations(p, p->samples[i].stack, &locations);
		const struct prof_line *line = n ? line_of(p, locations[0]) : NULL;
		uint32_t number;

		if (!line)
			continue;
		if (!best)
			note_host(ret, p, fits, locations[0]);
		if (!best || fits[line->function] != best)
			continue;
		number = find(&finder, locations[0]);
		add_sample(p, i, &ret->list[number - 1]);
	}
	if (!best)
		find_nameless(ret, p, name);
	if (ret->n)
		qsort_r(ret->list, ret->n, sizeof(*ret->list), by_value, &type);
}

const char *code_function__text(const struct code_function *f, const struct prof *p)
{
	return f->called ? f->called : prof__text(p, f->name);
}

/* ---- the hottest */

struct collector {
	struct finder finder;
	const struct prof *p;
	uint32_t *of_location; /* function + 1; 0: not asked yet */
	int64_t *sums;         /* of all samples, whatever they are of */
};

static bool is_named_code(const struct prof *p, uint32_t location, const struct prof_line *line)
{
	return line && prof__function_name(p, line->function) &&
	       prof__kind(p, location) != PROF_ARTIFICIAL;
}

static struct code_function *collect(struct collector *c, uint32_t location)
{
	uint32_t *number = &c->of_location[location];

	if (!*number && !is_named_code(c->p, location, line_of(c->p, location)))
		return NULL;
	if (!*number)
		*number = find(&c->finder, location);
	return &c->finder.to->list[*number - 1];
}

static double largest_share(const struct collector *c, const struct code_function *f)
{
	double most = 0;

	for (size_t t = 0; t < c->p->n_types; t++) {
		double share = c->sums[t] > 0 ? (double)f->values[t] / (double)c->sums[t] : 0;

		most = share > most ? share : most;
	}
	return most;
}

static int by_share(const void *a, const void *b, void *ctx)
{
	double x = largest_share(ctx, a), y = largest_share(ctx, b);

	return x != y ? CMP3(y, x) :
			CMP3(((const struct code_function *)a)->name,
			     ((const struct code_function *)b)->name);
}

void code_functions__hottest(struct code_functions *ret, const struct prof *p, size_t n)
{
	struct collector c = {.finder = {.to = ret, .p = p}, .p = p};

	*ret = (struct code_functions){0};
	c.of_location = xcalloc(p->n_locations, sizeof(*c.of_location));
	c.sums = xcalloc(p->n_types, sizeof(*c.sums));
	for (size_t i = 0; i < p->n_samples; i++) {
		const uint32_t *locations;
		struct code_function *f =
			prof__stack_locations(p, p->samples[i].stack, &locations) ?
				collect(&c, locations[0]) :
				NULL;

		add_values(p, i, c.sums);
		if (f)
			add_sample(p, i, f);
	}
	if (ret->n)
		qsort_r(ret->list, ret->n, sizeof(*ret->list), by_share, &c);
	while (ret->n > n)
		free(ret->list[--ret->n].values);
	finder__done(&c.finder);
	free(c.of_location);
	free(c.sums);
}

void code_functions__done(struct code_functions *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->list[i].values);
	free(f->list);
	*f = (struct code_functions){0};
}

/* ---- places */

static int by_place(const void *a, const void *b)
{
	const struct code_point *x = a, *y = b;
	int r = CMP3(x->file_off, y->file_off);

	if (r == 0)
		r = CMP3(x->source, y->source);
	if (r == 0)
		r = CMP3(x->line, y->line);
	return r ? r : CMP3(x->address, y->address);
}

static struct code_point new_point(const struct prof *p, const struct code_function *f,
				   uint32_t location)
{
	const struct prof_location *l = &p->locations[location];
	const struct prof_line *innermost = l->n_lines ? &p->lines[l->first_line] : NULL;
	struct code_point point = {
		.location = location,
		.mapping = l->mapping,
		.source = innermost ? p->functions[innermost->function].file : 0,
		.line = innermost ? innermost->line : 0,
		.values = xcalloc(p->n_types, sizeof(int64_t)),
	};

	if (!code_function__has_instructions(f))
		return point;
	point.address = l->address;
	point.file_off = file_offset(p, location);
	if (f->kind != PROF_USER) /* it is no file's, but a distance, or a JIT's address */
		point.file_off = l->address;
	return point;
}

static bool same_place(const struct code_point *a, const struct code_point *b)
{
	return a->file_off == b->file_off && a->address == b->address && a->source == b->source &&
	       a->line == b->line;
}

/* Locations of one place become one. */
static void merge(struct code_points *c, size_t n_types)
{
	size_t n = 0;

	qsort(c->list, c->n, sizeof(*c->list), by_place);
	for (size_t i = 0; i < c->n; i++) {
		if (!n || !same_place(&c->list[n - 1], &c->list[i])) {
			c->list[n++] = c->list[i];
			continue;
		}
		for (size_t t = 0; t < n_types; t++)
			c->list[n - 1].values[t] += c->list[i].values[t];
		free(c->list[i].values);
	}
	c->n = n;
}

void code_points__find(struct code_points *ret, const struct prof *p, const struct code_function *f)
{
	_cleanup_free_ uint32_t *of_location = xcalloc(p->n_locations, sizeof(*of_location));
	size_t cap = 0;

	*ret = (struct code_points){0};
	ret->sums = xcalloc(p->n_types, sizeof(int64_t));
	ret->inlined = xcalloc(p->n_types, sizeof(int64_t));
	for (size_t i = 0; i < p->n_samples; i++) {
		const uint32_t *locations;
		size_t n = prof__stack_locations(p, p->samples[i].stack, &locations);

		if (!n || !is_of(p, f, locations[0]))
			continue;
		if (!of_location[locations[0]]) {
			GROW(ret->list, ret->n, cap);
			ret->list[ret->n++] = new_point(p, f, locations[0]);
			of_location[locations[0]] = (uint32_t)ret->n;
		}
		add_values(p, i, ret->list[of_location[locations[0]] - 1].values);
		add_values(p, i, ret->sums);
		if (kind__has_instructions(f->kind) && p->locations[locations[0]].n_lines > 1)
			add_values(p, i, ret->inlined);
	}
	merge(ret, p->n_types);
}

void code_points__keep(struct code_points *c, const struct prof *p, uint64_t from, uint64_t to)
{
	size_t n = 0;

	memset(c->sums, 0, p->n_types * sizeof(*c->sums));
	for (size_t i = 0; i < c->n; i++) {
		if (c->list[i].file_off < from || c->list[i].file_off >= to) {
			free(c->list[i].values);
			continue;
		}
		for (size_t t = 0; t < p->n_types; t++)
			c->sums[t] += c->list[i].values[t];
		c->list[n++] = c->list[i];
	}
	c->n = n;
}

void code_points__done(struct code_points *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->list[i].values);
	free(c->list);
	free(c->sums);
	free(c->inlined);
	*c = (struct code_points){0};
}
