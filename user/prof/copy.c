// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "prof/copy.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"

void prof_copier__init(struct prof_copier *c, struct prof *to)
{
	*c = (struct prof_copier){.to = to};
}

static void forget(struct prof_copier *c)
{
	free(c->strings);
	free(c->mappings);
	free(c->functions);
	free(c->locations);
	free(c->stacks);
	free(c->label_sets);
}

void prof_copier__from(struct prof_copier *c, const struct prof *from)
{
	forget(c);
	c->from = from;
	c->strings = xcalloc(intern__count(&from->strings), sizeof(*c->strings));
	c->mappings = xcalloc(from->n_mappings, sizeof(*c->mappings));
	c->functions = xcalloc(from->n_functions, sizeof(*c->functions));
	c->locations = xcalloc(from->n_locations, sizeof(*c->locations));
	c->stacks = xcalloc(intern__count(&from->stacks), sizeof(*c->stacks));
	c->label_sets = xcalloc(intern__count(&from->label_sets), sizeof(*c->label_sets));
	if (from->n_mappings > 1) /* by pprof's convention the first is the program itself */
		prof_copier__mapping(c, 1);
}

void prof_copier__done(struct prof_copier *c)
{
	forget(c);
	intern__done(&c->mapping_set);
	*c = (struct prof_copier){0};
}

uint32_t prof_copier__string(struct prof_copier *c, uint32_t string)
{
	if (string && !c->strings[string])
		c->strings[string] = prof__string(c->to, prof__text(c->from, string));
	return c->strings[string];
}

uint32_t prof_copier__mapping(struct prof_copier *c, uint32_t mapping)
{
	struct prof_mapping copy;
	const struct prof_mapping *m = &c->from->mappings[mapping];
	uint32_t number;

	if (!mapping || c->mappings[mapping])
		return c->mappings[mapping];
	memset(&copy, 0, sizeof(copy)); /* it is compared as bytes */
	copy.start = m->start;
	copy.limit = m->limit;
	copy.offset = m->offset;
	copy.file = prof_copier__string(c, m->file);
	copy.build_id = prof_copier__string(c, m->build_id);
	copy.has_functions = m->has_functions;
	copy.has_filenames = m->has_filenames;
	copy.has_lines = m->has_lines;
	copy.has_inlined = m->has_inlined;
	number = intern__add(&c->mapping_set, &copy, sizeof(copy));
	if (number == c->to->n_mappings)
		prof__mapping(c->to, &copy);
	return c->mappings[mapping] = number;
}

static uint32_t copy_function(struct prof_copier *c, uint32_t function)
{
	const struct prof_function *f = &c->from->functions[function];
	struct prof_function copy = {0};

	if (!function || c->functions[function])
		return c->functions[function];
	copy.name = prof_copier__string(c, f->name);
	copy.system_name = prof_copier__string(c, f->system_name);
	copy.file = prof_copier__string(c, f->file);
	copy.start_line = f->start_line;
	return c->functions[function] = prof__function(c->to, &copy);
}

uint32_t prof_copier__location(struct prof_copier *c, uint32_t location, uint32_t skip, uint32_t n)
{
	const struct prof_location *l = &c->from->locations[location];
	bool whole = skip == 0 && n >= l->n_lines;
	_cleanup_free_ struct prof_line *lines = NULL;
	uint32_t number;

	if (!location || (whole && c->locations[location]))
		return c->locations[location];
	if (skip > l->n_lines)
		skip = l->n_lines;
	if (n > l->n_lines - skip)
		n = l->n_lines - skip;
	lines = xcalloc(n, sizeof(*lines));
	for (uint32_t i = 0; i < n; i++) {
		const struct prof_line *line = &c->from->lines[l->first_line + skip + i];

		lines[i].function = copy_function(c, line->function);
		lines[i].line = line->line;
	}
	number = prof__location(c->to, prof_copier__mapping(c, l->mapping), l->address, lines, n);
	if (whole)
		c->locations[location] = number;
	return number;
}

uint32_t prof_copier__stack(struct prof_copier *c, uint32_t stack)
{
	_cleanup_free_ uint32_t *copy = NULL;
	const uint32_t *locations;
	size_t n;

	if (!stack || c->stacks[stack])
		return c->stacks[stack];
	n = prof__stack_locations(c->from, stack, &locations);
	copy = xcalloc(n, sizeof(*copy));
	for (size_t i = 0; i < n; i++)
		copy[i] = prof_copier__location(c, locations[i], 0, UINT32_MAX);
	return c->stacks[stack] = prof__stack(c->to, copy, n);
}

uint32_t prof_copier__labels(struct prof_copier *c, uint32_t labels)
{
	_cleanup_free_ struct prof_label *copy = NULL;
	const struct prof_label *set;
	size_t n;

	if (!labels || c->label_sets[labels])
		return c->label_sets[labels];
	n = prof__label_set(c->from, labels, &set);
	copy = xcalloc(n, sizeof(*copy));
	for (size_t i = 0; i < n; i++) {
		copy[i].key = prof_copier__string(c, set[i].key);
		copy[i].text = prof_copier__string(c, set[i].text);
		copy[i].unit = prof_copier__string(c, set[i].unit);
		copy[i].number = set[i].number;
	}
	return c->label_sets[labels] = prof__labels(c->to, copy, n);
}

void prof_copier__types(struct prof_copier *c)
{
	for (size_t t = 0; t < c->from->n_types; t++)
		prof__type(c->to, prof__text(c->from, c->from->types[t].name),
			   prof__text(c->from, c->from->types[t].unit));
}

void prof_copier__sample(struct prof_copier *c, size_t sample, uint32_t stack, uint32_t labels)
{
	const int64_t *from = prof__values(c->from, sample);
	int64_t *values = prof__sample(c->to, stack, labels);

	for (size_t t = 0; t < c->from->n_types; t++)
		values[t] += from[t];
}

void prof_copier__branches(struct prof_copier *c)
{
	for (size_t i = 0; i < c->from->n_branches; i++) {
		struct prof_branch copy = c->from->branches[i];

		copy.from = prof_copier__location(c, copy.from, 0, UINT32_MAX);
		copy.to = prof_copier__location(c, copy.to, 0, UINT32_MAX);
		prof__add_branch(c->to, &copy);
	}
}

void prof_copier__head(struct prof_copier *c)
{
	const struct prof *from = c->from;

	for (size_t i = 0; i < from->n_comments; i++)
		prof__comment(c->to, prof__text(from, from->comments[i]));
	for (size_t i = 0; i < from->n_layouts; i++)
		prof__add_layout(c->to, prof_copier__string(c, from->layouts[i]));
	prof_copier__branches(c);
	c->to->time_ns = from->time_ns;
	c->to->duration_ns = from->duration_ns;
	c->to->period_type.name = prof_copier__string(c, from->period_type.name);
	c->to->period_type.unit = prof_copier__string(c, from->period_type.unit);
	c->to->period = from->period;
	c->to->default_type = prof_copier__string(c, from->default_type);
	c->to->drop_frames = prof_copier__string(c, from->drop_frames);
	c->to->keep_frames = prof_copier__string(c, from->keep_frames);
}

void prof_copier__rest(struct prof_copier *c)
{
	prof_copier__types(c);
	for (size_t i = 0; i < c->from->n_samples; i++) {
		const struct prof_sample *s = &c->from->samples[i];

		prof_copier__sample(c, i, prof_copier__stack(c, s->stack),
				    prof_copier__labels(c, s->labels));
	}
	prof_copier__head(c);
}
