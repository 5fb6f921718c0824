// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A whole profile unpacked by protobuf-c is a tree of messages, many times as large as the file; of
 * two bytes of file each, if somebody means it. So the fields of the outermost message are walked
 * here, and each sample, location and so on is unpacked alone, by an allocator that has a limit.
 * Fields come in any order: one walk for each kind, texts first.
 */
#include "prof/pprof_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/cursor.h"
#include "base/mem.h"
#include "base/proto.h"
#include "prof/branch_records.h"
#include "prof/foreign.h"
#include "prof/frame_count.h"
#include "prof/ids.h"
#include "prof/inflate.h"
#include "prof/profile.pb-c.h"

enum {
	MAX_DEPTH = 1 << 16,  /* locations of a sample */
	MAX_LINES = 1 << 16,  /* functions of a location */
	MAX_LABELS = 1 << 20, /* of a sample */
	MAX_TYPES = 1 << 12,
	MEMORY_FACTOR = 4,
	CHECK_MEMORY_EACH = 1024,
	NUL_TEXT_MAX = 4096, /* bytes of a text with zeros that are kept */
};

enum field { F_SAMPLE = 2, F_MAPPING, F_LOCATION, F_FUNCTION, F_STRING };

struct reader {
	struct prof *prof;
	const char *name;
	struct err *err;
	const uint8_t *data;
	size_t len;
	uint64_t max_bytes;

	const char *what; /* of the walk that is on: "sample" */
	size_t index;     /* which one */

	uint64_t *sums;    /* of the magnitudes of each type's values */
	int *branch_types; /* of each type in the file, enum of prof/branch_records.h; -1: none */
	size_t n_types;    /* in the file */
	int64_t *values;   /* room for those of one sample that are no branches' */
	uint32_t *strings;
	size_t n_strings, cap_strings;
	struct ids mappings, functions, locations;
	ProtobufCAllocator allocator;
	uint64_t used; /* of this message's memory */
	uint64_t frames;
};

static void reader__done(struct reader *r)
{
	prof__free(r->prof);
	free(r->sums);
	free(r->branch_types);
	free(r->values);
	free(r->strings);
	ids__done(&r->mappings);
	ids__done(&r->functions);
	ids__done(&r->locations);
}

/* ---- errors */

#define BAD(r, fmt, ...)                                                                 \
	err__set((r)->err, -EBADMSG, "%s is damaged: %s %zu " fmt, (r)->name, (r)->what, \
		 (r)->index __VA_OPT__(, ) __VA_ARGS__)

static int bad_field(const struct reader *r, size_t at)
{
	const char *foreign = foreign_format(r->data, r->len);

	if (foreign)
		return err__set(r->err, -EBADMSG, "%s is %s", r->name, foreign);
	return err__set(r->err, -EBADMSG,
			"%s is not a pprof profile, or is damaged: byte %zu of %zu (uncompressed) "
			"begins no field",
			r->name, at, r->len);
}

static int too_large(const struct reader *r)
{
	return err__set(
		r->err, -EFBIG,
		"%s would take more than %llu MB of memory; --max-size raises the limit (to "
		"four times its bytes)",
		r->name, (unsigned long long)(MEMORY_FACTOR * r->max_bytes) >> 20);
}

static uint64_t memory_of(const struct reader *r)
{
	const struct prof *p = r->prof;

	return r->len + r->cap_strings * sizeof(*r->strings) +
	       (r->mappings.cap + r->functions.cap + r->locations.cap) * sizeof(struct id_entry) +
	       p->cap_mappings * sizeof(*p->mappings) + p->cap_functions * sizeof(*p->functions) +
	       p->cap_locations * sizeof(*p->locations) + p->cap_lines * sizeof(*p->lines) +
	       p->cap_branches * sizeof(*p->branches) + intern__bytes(&p->branch_set) +
	       p->cap_samples * sizeof(*p->samples) + p->cap_values * sizeof(*p->values) +
	       intern__bytes(&p->strings) + intern__bytes(&p->stacks) +
	       intern__bytes(&p->label_sets) + intern__bytes(&p->keys) +
	       intern__bytes(&p->function_set) + intern__bytes(&p->location_set);
}

/* ---- the outermost message */

static void *limited_alloc(void *ctx, size_t size)
{
	enum { OVERHEAD = 16 };
	struct reader *r = ctx;

	if (size > r->max_bytes || r->used + size + OVERHEAD > r->max_bytes)
		return NULL;
	r->used += size + OVERHEAD;
	return malloc(size);
}

static void limited_free(void *ctx, void *data)
{
	(void)ctx;
	free(data);
}

/* The next field of the message. */
static bool next_field(struct cursor *c, struct proto_field *ret)
{
	return proto__next(c, ret) && ret->number && ret->number < 1u << 29;
}

typedef int (*take_fn)(struct reader *r, const uint8_t *data, size_t len);

static int walk(struct reader *r, enum field wanted, const char *what, take_fn take)
{
	struct cursor c = cursor__over(r->data, r->len);
	int ret = 0;

	r->what = what;
	r->index = 0;
	while (ret == 0 && cursor__left(&c)) {
		size_t at = r->len - cursor__left(&c);
		struct proto_field field;

		if (!next_field(&c, &field))
			return bad_field(r, at);
		if (field.number != wanted)
			continue;
		if (!field.bytes)
			return bad_field(r, at);
		if (r->index >= UINT32_MAX - 1 || (r->index % CHECK_MEMORY_EACH == 0 &&
						   memory_of(r) > MEMORY_FACTOR * r->max_bytes))
			return too_large(r);
		r->used = 0;
		ret = take(r, field.bytes, field.len);
		r->index++;
	}
	return ret;
}

#define UNPACK(r, kind, data, len) \
	((r)->used = 0, pmb__pprof__##kind##__unpack(&(r)->allocator, len, data))

/* Why unpacking failed. */
static int not_unpacked(struct reader *r)
{
	return r->used + 4096 > r->max_bytes ? too_large(r) : BAD(r, "isn't one");
}

/* ---- texts */

/* Texts end at a zero here, and names may have some, or begin with one: they are shown by
 * Unicode's sign for it. */
static uint32_t text_with_zeros(struct reader *r, const uint8_t *data, size_t len)
{
	static const char sign[] = "\u2400";
	_cleanup_(buf__done) struct buf text = {0};

	for (size_t i = 0; i < len && text.len < NUL_TEXT_MAX; i++) {
		if (data[i])
			buf__putc(&text, (char)data[i]);
		else
			buf__puts(&text, sign);
	}
	return prof__string_n(r->prof, text.data, text.len);
}

static int take_string(struct reader *r, const uint8_t *data, size_t len)
{
	if (len >= UINT32_MAX / 2)
		return too_large(r);
	GROW(r->strings, r->n_strings, r->cap_strings);
	r->strings[r->n_strings++] = len && memchr(data, 0, len) ?
					     text_with_zeros(r, data, len) :
					     prof__string_n(r->prof, (const char *)data, len);
	if (r->index == 0 && r->strings[0])
		return BAD(r, "isn't empty, as the first must be");
	return 0;
}

/* 0 stands for no text, even where there are no texts. */
static int string_at(struct reader *r, int64_t index, uint32_t *ret)
{
	*ret = 0;
	if (index == 0)
		return 0;
	if (index < 0 || (uint64_t)index >= r->n_strings)
		return BAD(r, "names string %lld of %zu", (long long)index, r->n_strings);
	*ret = r->strings[index];
	return 0;
}

/* ---- what is neither text nor in a table */

static int take_type(struct reader *r, const Pmb__Pprof__ValueType *type, struct prof_type *ret)
{
	int e = string_at(r, type->type, &ret->name);

	return e < 0 ? e : string_at(r, type->unit, &ret->unit);
}

static int take_types(struct reader *r, const Pmb__Pprof__Profile *head)
{
	struct prof *p = r->prof;
	int e = 0;

	r->what = "sample type";
	if (!head->n_sample_type || head->n_sample_type > MAX_TYPES)
		return err__set(r->err, -EBADMSG,
				"%s is damaged or no profile: it has %zu sample types", r->name,
				head->n_sample_type);
	for (r->index = 0; e == 0 && r->index < head->n_sample_type; r->index++) {
		GROW(p->types, p->n_types, p->cap_types);
		e = take_type(r, head->sample_type[r->index], &p->types[p->n_types++]);
	}
	r->sums = xcalloc(p->n_types, sizeof(*r->sums));
	r->values = xcalloc(p->n_types, sizeof(*r->values));
	r->n_types = p->n_types;
	r->branch_types = prof__take_branch_types(p);
	return e;
}

static int take_texts(struct reader *r, const char *what, const int64_t *list, size_t n,
		      void (*add)(struct prof *p, uint32_t string))
{
	uint32_t string;
	int e = 0;

	r->what = what;
	for (r->index = 0; e == 0 && r->index < n; r->index++) {
		if (r->index == PROF_MAX_COMMENTS)
			return BAD(r, "is one too many");
		if ((e = string_at(r, list[r->index], &string)) == 0)
			add(r->prof, string);
	}
	return e;
}

static int take_head(struct reader *r, const Pmb__Pprof__Profile *head)
{
	struct prof *p = r->prof;
	int e = take_types(r, head);

	if (e == 0)
		e = take_texts(r, "comment", head->comment, head->n_comment, prof__add_comment);
	if (e == 0)
		e = take_texts(r, "data layout", head->data_layout, head->n_data_layout,
			       prof__add_layout);
	r->what = "period type";
	r->index = 0;
	if (e == 0 && head->period_type)
		e = take_type(r, head->period_type, &p->period_type);
	r->what = "default sample type";
	if (e == 0)
		e = string_at(r, head->default_sample_type, &p->default_type);
	r->what = "drop_frames and keep_frames";
	if (e == 0)
		e = string_at(r, head->drop_frames, &p->drop_frames);
	if (e == 0)
		e = string_at(r, head->keep_frames, &p->keep_frames);
	p->period = head->period;
	p->time_ns = head->time_nanos;
	p->duration_ns = head->duration_nanos;
	return e;
}

/* A profile without its tables. */
static int read_head(struct reader *r)
{
	struct cursor c = cursor__over(r->data, r->len);
	_cleanup_(buf__done) struct buf bytes = {0};
	Pmb__Pprof__Profile *head;
	int e;

	while (cursor__left(&c)) {
		const uint8_t *start = c.pos;
		struct proto_field field;

		if (!next_field(&c, &field))
			return bad_field(r, (size_t)(start - r->data));
		if (field.number < F_SAMPLE || field.number > F_STRING)
			buf__add(&bytes, start, (size_t)(c.pos - start));
	}
	r->what = "head";
	r->index = 0;
	head = UNPACK(r, profile, (const uint8_t *)bytes.data, bytes.len);
	if (!head)
		return not_unpacked(r);
	e = take_head(r, head);
	pmb__pprof__profile__free_unpacked(head, &r->allocator);
	return e;
}

/* ---- tables */

static int add_id(struct reader *r, struct ids *ids, uint64_t id, uint32_t number)
{
	if (!id)
		return BAD(r, "has the id 0");
	ids__add(ids, id, number);
	return 0;
}

static int settle(struct reader *r, struct ids *ids)
{
	uint64_t id;

	if (ids__settle(ids, &id))
		return 0;
	return err__set(r->err, -EBADMSG, "%s is damaged: two %ss have the id %llu", r->name,
			r->what, (unsigned long long)id);
}

static int take_mapping(struct reader *r, const uint8_t *data, size_t len)
{
	Pmb__Pprof__Mapping *m = UNPACK(r, mapping, data, len);
	struct prof_mapping mapping;
	int e;

	if (!m)
		return not_unpacked(r);
	mapping = (struct prof_mapping){
		.start = m->memory_start,
		.limit = m->memory_limit,
		.offset = m->file_offset,
		.has_functions = m->has_functions,
		.has_filenames = m->has_filenames,
		.has_lines = m->has_line_numbers,
		.has_inlined = m->has_inline_frames,
	};
	e = string_at(r, m->filename, &mapping.file);
	if (e == 0)
		e = string_at(r, m->build_id, &mapping.build_id);
	if (e == 0)
		e = add_id(r, &r->mappings, m->id, prof__mapping(r->prof, &mapping));
	pmb__pprof__mapping__free_unpacked(m, &r->allocator);
	return e;
}

static int take_function(struct reader *r, const uint8_t *data, size_t len)
{
	Pmb__Pprof__Function *f = UNPACK(r, function, data, len);
	struct prof_function function = {0};
	int e;

	if (!f)
		return not_unpacked(r);
	function.start_line = f->start_line;
	e = string_at(r, f->name, &function.name);
	if (e == 0)
		e = string_at(r, f->system_name, &function.system_name);
	if (e == 0)
		e = string_at(r, f->filename, &function.file);
	if (e == 0)
		e = add_id(r, &r->functions, f->id, prof__function(r->prof, &function));
	pmb__pprof__function__free_unpacked(f, &r->allocator);
	return e;
}

static int find_id(struct reader *r, const char *what, const struct ids *ids, uint64_t id,
		   uint32_t *ret)
{
	if (ids__find(ids, id, ret))
		return 0;
	return BAD(r, "has the %s %llu, which isn't there", what, (unsigned long long)id);
}

static int add_location(struct reader *r, const Pmb__Pprof__Location *l)
{
	_cleanup_free_ struct prof_line *lines = NULL;
	uint32_t mapping = 0;
	int e = 0;

	if (l->n_line > MAX_LINES)
		return BAD(r, "has %zu lines; %d are the most", l->n_line, MAX_LINES);
	lines = xcalloc(l->n_line, sizeof(*lines));
	if (l->mapping_id)
		e = find_id(r, "mapping", &r->mappings, l->mapping_id, &mapping);
	for (size_t i = 0; e == 0 && i < l->n_line; i++) {
		uint64_t id = l->line[i]->function_id;

		lines[i].line = l->line[i]->line;
		if (id)
			e = find_id(r, "function", &r->functions, id, &lines[i].function);
	}
	if (e < 0)
		return e;
	return add_id(r, &r->locations, l->id,
		      prof__location(r->prof, mapping, l->address, lines, l->n_line));
}

static int take_location(struct reader *r, const uint8_t *data, size_t len)
{
	Pmb__Pprof__Location *l = UNPACK(r, location, data, len);
	int e;

	if (!l)
		return not_unpacked(r);
	e = add_location(r, l);
	pmb__pprof__location__free_unpacked(l, &r->allocator);
	return e;
}

/* ---- samples */

static int read_stack(struct reader *r, const Pmb__Pprof__Sample *s, uint32_t *ret)
{
	_cleanup_free_ uint32_t *stack = NULL;
	int e = 0;

	if (s->n_location_id > MAX_DEPTH)
		return BAD(r, "has a stack of %zu locations; %d are the most", s->n_location_id,
			   MAX_DEPTH);
	stack = xcalloc(s->n_location_id, sizeof(*stack));
	for (size_t i = 0; e == 0 && i < s->n_location_id; i++)
		e = find_id(r, "location", &r->locations, s->location_id[i], &stack[i]);
	if (e < 0)
		return e;
	if (!frame_count__add(&r->frames, r->prof, stack, s->n_location_id, r->len))
		return BAD(r, "is one too many for its inlined functions");
	*ret = prof__stack(r->prof, stack, s->n_location_id);
	return 0;
}

/* A text is the whole of its label, whatever else is set. */
static int read_label(struct reader *r, const Pmb__Pprof__Label *l, struct prof_label *ret)
{
	int e = string_at(r, l->key, &ret->key);

	if (e == 0)
		e = string_at(r, l->str, &ret->text);
	if (e < 0 || ret->text)
		return e;
	ret->number = l->num;
	return string_at(r, l->num_unit, &ret->unit);
}

static int read_labels(struct reader *r, const Pmb__Pprof__Sample *s, uint32_t *ret)
{
	_cleanup_free_ struct prof_label *labels = NULL;
	int e = 0;

	if (s->n_label > MAX_LABELS)
		return BAD(r, "has %zu labels; %d are the most", s->n_label, MAX_LABELS);
	labels = xcalloc(s->n_label, sizeof(*labels));
	for (size_t i = 0; e == 0 && i < s->n_label; i++)
		e = read_label(r, s->label[i], &labels[i]);
	if (e == 0)
		*ret = prof__labels(r->prof, labels, s->n_label);
	return e;
}

static int add_values(struct reader *r, const Pmb__Pprof__Sample *s, struct prof_branch_sample *b)
{
	size_t n = 0;

	for (size_t t = 0; t < s->n_value; t++) {
		uint64_t magnitude = s->value[t] < 0 ? -(uint64_t)s->value[t] :
						       (uint64_t)s->value[t];

		if (__builtin_add_overflow(r->sums[t], magnitude, &r->sums[t]) ||
		    r->sums[t] > INT64_MAX)
			return BAD(r,
				   "makes the sum of the values of type %zu larger than 2^63 - 1",
				   t);
		if (r->branch_types[t] >= 0)
			b->values[r->branch_types[t]] = s->value[t];
		else
			b->besides |= (r->values[n++] = s->value[t]) != 0;
	}
	return 0;
}

static int add_sample(struct reader *r, const Pmb__Pprof__Sample *s)
{
	struct prof_branch_sample branch = {0};
	uint32_t stack = 0, labels = 0;
	int64_t *values;
	int e;

	if (s->n_value != r->n_types)
		return BAD(r, "has %zu values, and there are %zu sample types", s->n_value,
			   r->n_types);
	e = read_stack(r, s, &stack);
	if (e == 0)
		e = read_labels(r, s, &labels);
	if (e == 0)
		e = add_values(r, s, &branch);
	if (e < 0)
		return e;
	if (!prof__take_branch(r->prof, &branch, stack))
		return BAD(r, "is a branch, but not from one location to one");
	values = branch.taken && !branch.besides ? NULL : prof__sample(r->prof, stack, labels);
	for (size_t t = 0; values && t < r->prof->n_types; t++)
		values[t] += r->values[t];
	return 0;
}

static int take_sample(struct reader *r, const uint8_t *data, size_t len)
{
	Pmb__Pprof__Sample *s = UNPACK(r, sample, data, len);
	int e;

	if (!s)
		return not_unpacked(r);
	e = add_sample(r, s);
	pmb__pprof__sample__free_unpacked(s, &r->allocator);
	return e;
}

/* ---- the whole */

static int read_tables(struct reader *r)
{
	int e = walk(r, F_MAPPING, "mapping", take_mapping);

	if (e == 0)
		e = settle(r, &r->mappings);
	if (e == 0)
		e = walk(r, F_FUNCTION, "function", take_function);
	if (e == 0)
		e = settle(r, &r->functions);
	if (e == 0)
		e = walk(r, F_LOCATION, "location", take_location);
	if (e == 0)
		e = settle(r, &r->locations);
	return e;
}

/* Of bytes that aren't gzip'd (any more). */
static int parse(struct prof **ret, const uint8_t *data, size_t len, const char *name,
		 const struct pprof_limits *limits, struct err *err)
{
	_cleanup_(reader__done) struct reader r = {
		.prof = prof__new(),
		.name = name,
		.err = err,
		.data = data,
		.len = len,
		.max_bytes = limits && limits->max_bytes ? limits->max_bytes : PPROF_MAX_BYTES,
	};
	const char *foreign = foreign_format(data, len);
	int e;

	r.allocator = (ProtobufCAllocator){limited_alloc, limited_free, &r};
	if (!len)
		return err__set(err, -EBADMSG, "%s is empty", name);
	if (foreign)
		return err__set(err, -EBADMSG, "%s is %s", name, foreign);
	e = walk(&r, F_STRING, "string", take_string);
	if (e == 0)
		e = read_head(&r);
	if (e == 0)
		e = read_tables(&r);
	if (e == 0)
		e = walk(&r, F_SAMPLE, "sample", take_sample);
	if (e == 0)
		*ret = TAKE_PTR(r.prof);
	return e;
}

int pprof__read(struct prof **ret, int fd, const char *name, const struct pprof_limits *limits,
		struct err *err)
{
	_cleanup_free_ uint8_t *data = NULL;
	size_t len;
	int e = inflate_file(fd, name,
			     limits && limits->max_bytes ? limits->max_bytes : PPROF_MAX_BYTES,
			     &data, &len, err);

	return e < 0 ? e : parse(ret, data, len, name, limits, err);
}
