// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "prof/prof.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

struct prof *prof__new(void)
{
	struct prof *p = xcalloc(1, sizeof(*p));

	GROW(p->mappings, p->n_mappings, p->cap_mappings);
	p->mappings[p->n_mappings++] = (struct prof_mapping){0};
	GROW(p->functions, p->n_functions, p->cap_functions);
	p->functions[p->n_functions++] = (struct prof_function){0};
	GROW(p->locations, p->n_locations, p->cap_locations);
	p->locations[p->n_locations++] = (struct prof_location){0};
	return p;
}

struct prof *prof__free(struct prof *p)
{
	if (!p)
		return NULL;
	free(p->types);
	free(p->mappings);
	free(p->functions);
	free(p->locations);
	free(p->lines);
	free(p->samples);
	free(p->values);
	free(p->number_keys);
	free(p->comments);
	free(p->layouts);
	free(p->branches);
	intern__done(&p->branch_set);
	intern__done(&p->strings);
	intern__done(&p->stacks);
	intern__done(&p->label_sets);
	intern__done(&p->keys);
	intern__done(&p->function_set);
	intern__done(&p->location_set);
	free(p);
	return NULL;
}

uint32_t prof__string(struct prof *p, const char *text)
{
	return *text ? intern__add(&p->strings, text, strlen(text) + 1) : 0;
}

uint32_t prof__string_n(struct prof *p, const char *text, size_t len)
{
	_cleanup_free_ char *copy = xstrndup(text, len);

	return prof__string(p, copy);
}

size_t prof__type(struct prof *p, const char *name, const char *unit)
{
	GROW(p->types, p->n_types, p->cap_types);
	p->types[p->n_types] = (struct prof_type){prof__string(p, name), prof__string(p, unit)};
	return p->n_types++;
}

size_t prof__type_called(const struct prof *p, const char *name)
{
	size_t t = 0;

	while (t < p->n_types && strcmp(prof__text(p, p->types[t].name), name) != 0)
		t++;
	return t;
}

uint32_t prof__mapping(struct prof *p, const struct prof_mapping *mapping)
{
	GROW(p->mappings, p->n_mappings, p->cap_mappings);
	p->mappings[p->n_mappings] = *mapping;
	return (uint32_t)p->n_mappings++;
}

uint32_t prof__function(struct prof *p, const struct prof_function *function)
{
	uint32_t number = intern__add(&p->function_set, function, sizeof(*function));

	if (number == p->n_functions) {
		GROW(p->functions, p->n_functions, p->cap_functions);
		p->functions[p->n_functions++] = *function;
	}
	return number;
}

uint32_t prof__location(struct prof *p, uint32_t mapping, uint64_t address,
			const struct prof_line *lines, size_t n)
{
	size_t size = (2 + 2 * n) * sizeof(uint64_t);
	_cleanup_free_ uint64_t *location = xcalloc(2 + 2 * n, sizeof(*location));
	uint32_t number;

	location[0] = address;
	location[1] = mapping;
	for (size_t i = 0; i < n; i++) {
		location[2 + 2 * i] = lines[i].function;
		location[3 + 2 * i] = (uint64_t)lines[i].line;
	}
	number = intern__add(&p->location_set, location, size);
	if (number < p->n_locations)
		return number;
	GROW(p->locations, p->n_locations, p->cap_locations);
	p->locations[p->n_locations++] = (struct prof_location){
		.mapping = mapping,
		.address = address,
		.first_line = (uint32_t)p->n_lines,
		.n_lines = (uint32_t)n,
	};
	for (size_t i = 0; i < n; i++) {
		GROW(p->lines, p->n_lines, p->cap_lines);
		p->lines[p->n_lines++] = lines[i];
	}
	return number;
}

uint32_t prof__stack(struct prof *p, const uint32_t *locations, size_t n)
{
	return intern__add(&p->stacks, locations, n * sizeof(*locations));
}

static int compare_labels(const void *pa, const void *pb)
{
	const struct prof_label *a = pa, *b = pb;

	if (a->key != b->key)
		return CMP3(a->key, b->key);
	if (a->text != b->text)
		return CMP3(a->text, b->text);
	return CMP3(a->number, b->number);
}

static void note_number(struct prof *p, const struct prof_label *label)
{
	size_t old = p->n_number_keys, n = label->key + 1;

	if (label->text || (!label->number && !label->unit))
		return;
	if (n > old) {
		n = n < 2 * old ? 2 * old : n;
		p->number_keys = xrealloc(p->number_keys, n, sizeof(*p->number_keys));
		memset(p->number_keys + old, 0, (n - old) * sizeof(*p->number_keys));
		p->n_number_keys = n;
	}
	p->number_keys[label->key] = true;
}

uint32_t prof__labels(struct prof *p, struct prof_label *labels, size_t n)
{
	for (size_t i = 0; i < n; i++)
		note_number(p, &labels[i]);
	if (n)
		qsort(labels, n, sizeof(*labels), compare_labels);
	return intern__add(&p->label_sets, labels, n * sizeof(*labels));
}

static struct prof_label *add_label(struct prof *p, struct prof_label_list *to, const char *key)
{
	GROW(to->items, to->n, to->cap);
	to->items[to->n] = (struct prof_label){.key = prof__string(p, key)};
	return &to->items[to->n++];
}

void prof__add_text(struct prof *p, struct prof_label_list *to, const char *key, const char *text)
{
	add_label(p, to, key)->text = prof__string(p, text);
}

void prof__add_number(struct prof *p, struct prof_label_list *to, const char *key, int64_t number)
{
	add_label(p, to, key)->number = number;
}

void prof__add_quantity(struct prof *p, struct prof_label_list *to, const char *key, int64_t number,
			const char *unit)
{
	struct prof_label *label = add_label(p, to, key);

	label->number = number;
	label->unit = prof__string(p, unit);
}

void prof__reserve(struct prof *p, size_t samples, size_t locations)
{
	size_t n = p->n_samples + samples;

	intern__reserve(&p->stacks, samples, locations * sizeof(uint32_t));
	intern__reserve(&p->keys, samples, samples * sizeof(struct prof_sample));
	if (n > p->cap_samples) {
		p->cap_samples = n;
		p->samples = xrealloc(p->samples, n, sizeof(*p->samples));
	}
	if (n * p->n_types > p->cap_values) {
		p->cap_values = n * p->n_types;
		p->values = xrealloc(p->values, p->cap_values, sizeof(*p->values));
	}
}

int64_t *prof__sample(struct prof *p, uint32_t stack, uint32_t labels)
{
	const struct prof_sample key = {stack, labels};
	size_t i = intern__add(&p->keys, &key, sizeof(key)) - 1;

	if (i == p->n_samples) {
		GROW(p->samples, p->n_samples, p->cap_samples);
		p->samples[p->n_samples++] = key;
		for (size_t t = 0; t < p->n_types; t++) {
			GROW(p->values, p->n_values, p->cap_values);
			p->values[p->n_values++] = 0;
		}
	}
	return p->values + i * p->n_types;
}

/* Or no room for it. */
static bool has_text(const uint32_t *list, size_t n, uint32_t string)
{
	for (size_t i = 0; i < n; i++) {
		if (list[i] == string)
			return true;
	}
	return n == PROF_MAX_COMMENTS;
}

void prof__add_comment(struct prof *p, uint32_t string)
{
	if (has_text(p->comments, p->n_comments, string))
		return;
	GROW(p->comments, p->n_comments, p->cap_comments);
	p->comments[p->n_comments++] = string;
}

void prof__add_layout(struct prof *p, uint32_t string)
{
	if (has_text(p->layouts, p->n_layouts, string))
		return;
	GROW(p->layouts, p->n_layouts, p->cap_layouts);
	p->layouts[p->n_layouts++] = string;
}

void prof__comment(struct prof *p, const char *text)
{
	prof__add_comment(p, prof__string(p, text));
}

const char *prof__text(const struct prof *p, uint32_t string)
{
	size_t size;

	return string ? intern__get(&p->strings, string, &size) : "";
}

size_t prof__stack_locations(const struct prof *p, uint32_t stack, const uint32_t **ret)
{
	size_t size;

	*ret = intern__get(&p->stacks, stack, &size);
	return size / sizeof(**ret);
}

size_t prof__label_set(const struct prof *p, uint32_t labels, const struct prof_label **ret)
{
	size_t size;

	*ret = intern__get(&p->label_sets, labels, &size);
	return size / sizeof(**ret);
}

const int64_t *prof__values(const struct prof *p, size_t sample)
{
	return p->values + sample * p->n_types;
}

const struct prof_label *prof__label(const struct prof *p, uint32_t labels, const char *key)
{
	const struct prof_label *set;
	size_t n = prof__label_set(p, labels, &set);

	for (size_t i = 0; i < n; i++) {
		if (strcmp(prof__text(p, set[i].key), key) == 0)
			return &set[i];
	}
	return NULL;
}

const char *prof__label_text(const struct prof *p, uint32_t labels, const char *key)
{
	const struct prof_label *label = prof__label(p, labels, key);

	return label ? prof__text(p, label->text) : "";
}

/* The names that perf and its converters give to mappings without a file are known, too. */
uint32_t prof__function_name(const struct prof *p, uint32_t function)
{
	const struct prof_function *f = &p->functions[function];

	return f->name ? f->name : f->system_name;
}

enum prof_kind prof__kind(const struct prof *p, uint32_t location)
{
	const struct prof_location *l = &p->locations[location];
	const char *file = prof__text(p, p->mappings[l->mapping].file);

	if (starts_with(file, "[kernel") || starts_with(file, "[guest.kernel"))
		return PROF_KERNEL;
	if (starts_with(file, "[jit]") || starts_with(file, "/tmp/perf-") ||
	    starts_with(file, "//anon"))
		return PROF_JIT;
	if (strcmp(file, "[python]") == 0)
		return PROF_PYTHON;
	if (strcmp(file, "[javascript]") == 0)
		return PROF_SCRIPT;
	if (l->mapping || l->address)
		return PROF_USER;
	for (uint32_t i = 0; i < l->n_lines; i++) {
		uint32_t function = p->lines[l->first_line + i].function;

		if (prof__text(p, prof__function_name(p, function))[0] != '[')
			return PROF_USER; /* whoever made it kept no addresses */
	}
	return PROF_ARTIFICIAL;
}

bool prof__is_idle_place(const struct prof *p, uint32_t location)
{
	const struct prof_location *l = &p->locations[location];

	return l->n_lines && prof__kind(p, location) == PROF_ARTIFICIAL &&
	       strcmp(prof__text(p, prof__function_name(p, p->lines[l->first_line].function)),
		      artificial_names[ARTIFICIAL_IDLE]) == 0;
}

bool prof__is_idle(const struct prof *p, uint32_t stack)
{
	const uint32_t *locations;

	return prof__stack_locations(p, stack, &locations) && prof__is_idle_place(p, locations[0]);
}

const char *prof__remark(const struct prof *p, const char *key)
{
	size_t len = strlen(key);

	for (size_t i = 0; i < p->n_comments; i++) {
		const char *text = prof__text(p, p->comments[i]);

		if (strncmp(text, key, len) == 0 && strncmp(text + len, ": ", 2) == 0)
			return text + len + 2;
	}
	return NULL;
}
