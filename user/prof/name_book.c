// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The book is a profile itself, in which each file is mapped as a whole at 0 and each place is a
 * sample of one frame: so it is named as any profile is.
 */
#include "prof/name_book.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "prof/copy.h"

struct name_book {
	struct prof *prof;
	struct intern files;  /* build-ids; numbers are those of mappings */
	struct intern places; /* struct key; number - 1 is that of the place, and of its sample */
	uint32_t *locations;  /* by place */
	size_t n, cap;
};

struct key {
	uint64_t offset;
	uint32_t mapping, pad;
};

static void add_sample(struct name_book *b, uint32_t location)
{
	prof__sample(b->prof, prof__stack(b->prof, &location, 1), 0);
	GROW(b->locations, b->n, b->cap);
	b->locations[b->n++] = location;
}

struct name_book *name_book__new(void)
{
	struct name_book *b = xcalloc(1, sizeof(*b));

	b->prof = prof__new();
	prof__type(b->prof, "place", "count");
	return b;
}

void name_book__free(struct name_book *b)
{
	if (!b)
		return;
	prof__free(b->prof);
	intern__done(&b->files);
	intern__done(&b->places);
	free(b->locations);
	free(b);
}

void name_book__want(struct name_book *b, const char *file, const char *build_id, uint64_t offset)
{
	struct key key = {.offset = offset};
	struct prof_mapping m = {.limit = UINT64_MAX};

	key.mapping = intern__add(&b->files, build_id, strlen(build_id));
	if (key.mapping == b->prof->n_mappings) {
		m.file = prof__string(b->prof, file);
		m.build_id = prof__string(b->prof, build_id);
		prof__mapping(b->prof, &m);
	}
	if (intern__add(&b->places, &key, sizeof(key)) == b->n + 1)
		add_sample(b, prof__location(b->prof, key.mapping, offset, NULL, 0));
}

/* False: it has a name, or there's no telling which file it is of. */
static bool place_of(const struct prof *p, uint32_t location, uint64_t *ret_offset)
{
	const struct prof_location *l = &p->locations[location];
	const struct prof_mapping *m = &p->mappings[l->mapping];

	*ret_offset = l->address - m->start + m->offset;
	return l->mapping && !l->n_lines && l->address >= m->start &&
	       *prof__text(p, m->file) == '/' && m->build_id;
}

void name_book__want_all(struct name_book *b, const struct prof *p)
{
	uint64_t offset;

	for (uint32_t i = 1; i < p->n_locations; i++) {
		const struct prof_mapping *m = &p->mappings[p->locations[i].mapping];

		if (place_of(p, i, &offset))
			name_book__want(b, prof__text(p, m->file), prof__text(p, m->build_id),
					offset);
	}
}

size_t name_book__n(const struct name_book *b)
{
	return b->n;
}

const struct prof *name_book__prof(const struct name_book *b)
{
	return b->prof;
}

void name_book__get(const struct name_book *b, size_t i, struct name_place *ret)
{
	size_t size;
	const struct key *key = intern__get(&b->places, (uint32_t)i + 1, &size);
	const struct prof_location *l = &b->prof->locations[b->locations[i]];
	const struct prof_mapping *m = &b->prof->mappings[l->mapping];

	*ret = (struct name_place){
		.file = prof__text(b->prof, m->file),
		.build_id = prof__text(b->prof, m->build_id),
		.offset = key->offset,
		.location = b->locations[i],
	};
}

/* SIZE_MAX: nobody wants it. */
static size_t find_place(const struct name_book *b, const char *build_id, uint64_t offset)
{
	struct key key = {.offset = offset};

	key.mapping = intern__find(&b->files, build_id, strlen(build_id));
	return key.mapping ? (size_t)intern__find(&b->places, &key, sizeof(key)) - 1 : SIZE_MAX;
}

static struct prof_line line_of(struct prof *p, const struct name_line *line)
{
	struct prof_function f = {
		.name = prof__string(p, line->name),
		.file = prof__string(p, line->file),
		.start_line = line->start_line,
	};

	f.system_name = line->system ? prof__string(p, line->system) : f.name;
	return (struct prof_line){.function = prof__function(p, &f), .line = line->line};
}

static uint32_t named_location(struct prof *p, uint32_t mapping, uint64_t address,
			       const struct name_line *from, size_t n)
{
	struct prof_mapping *m = &p->mappings[mapping];
	struct prof_line lines[NAME_LINES_MAX];

	m->has_functions = true;
	m->has_inlined |= n > 1;
	for (size_t i = 0; i < n; i++) {
		lines[i] = line_of(p, &from[i]);
		m->has_filenames |= *from[i].file != '\0';
		m->has_lines |= from[i].line != 0;
	}
	return prof__location(p, mapping, address, lines, n);
}

void name_book__put(struct name_book *b, const char *build_id, uint64_t offset,
		    const struct name_line *lines, size_t n)
{
	size_t i = find_place(b, build_id, offset);
	const struct prof_location *l;

	if (i >= b->n || !n || n > NAME_LINES_MAX)
		return;
	l = &b->prof->locations[b->locations[i]];
	if (!l->n_lines)
		b->locations[i] = named_location(b->prof, l->mapping, offset, lines, n);
}

struct prof *name_book__exchange(struct name_book *b, struct prof *named)
{
	struct prof *was = b->prof;

	b->prof = named;
	/* its numbers are others; samples are in their order */
	for (size_t i = 0; named && i < b->n; i++) {
		const uint32_t *location;

		if (prof__stack_locations(named, named->samples[i].stack, &location) == 1)
			b->locations[i] = *location;
	}
	return was;
}

/* The location's lines, innermost first; 0: it has no name. */
static size_t lines_of(const struct name_book *b, size_t place,
		       struct name_line lines[NAME_LINES_MAX])
{
	const struct prof *p = b->prof;
	const struct prof_location *l = &p->locations[b->locations[place]];
	size_t n = l->n_lines < NAME_LINES_MAX ? l->n_lines : NAME_LINES_MAX;

	for (size_t i = 0; i < n; i++) {
		const struct prof_line *line = &p->lines[l->first_line + i];
		const struct prof_function *f = &p->functions[line->function];

		lines[i] = (struct name_line){
			.name = prof__text(p, f->name),
			.system = prof__text(p, f->system_name),
			.file = prof__text(p, f->file),
			.start_line = f->start_line,
			.line = line->line,
		};
	}
	return n;
}

/* As a location of the copier's profile; the copier finds it copied. */
static bool apply_one(const struct name_book *b, struct prof_copier *c, uint32_t location)
{
	const struct prof_location *l = &c->from->locations[location];
	const struct prof_mapping *m = &c->from->mappings[l->mapping];
	struct name_line lines[NAME_LINES_MAX];
	uint64_t offset;
	size_t i, n;

	if (!place_of(c->from, location, &offset))
		return false;
	i = find_place(b, prof__text(c->from, m->build_id), offset);
	n = i < b->n ? lines_of(b, i, lines) : 0;
	if (!n)
		return false;
	c->locations[location] =
		named_location(c->to, prof_copier__mapping(c, l->mapping), l->address, lines, n);
	return true;
}

size_t name_book__apply(const struct name_book *b, struct prof **p)
{
	struct prof *named = prof__new();
	struct prof_copier c;
	size_t n = 0;

	prof_copier__init(&c, named);
	prof_copier__from(&c, *p);
	for (uint32_t i = 1; i < (*p)->n_locations; i++)
		n += apply_one(b, &c, i);
	if (n)
		prof_copier__rest(&c);
	prof_copier__done(&c);
	prof__free(n ? *p : named);
	if (n)
		*p = named;
	return n;
}
