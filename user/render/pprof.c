// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * protobuf-c packs a whole message, and the whole profile as a tree of messages would be several
 * times its file. But messages of one type one after the other are one message, whose repeated
 * fields go on: so each sample, location and text is packed as a profile of its own, and the file
 * is these one after the other.
 */
#include "render/pprof.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "prof/branch_records.h"
#include "prof/profile.pb-c.h"

enum { BLOCK = 64 * 1024 };

struct packer {
	const struct prof *prof;
	size_t n_branch_types; /* behind the others; 0: there are no branches */
	uint32_t branch_names[PROF_BRANCH_TYPES], branch_units[PROF_BRANCH_TYPES]; /* texts */
	int64_t *values;   /* room for one of each type */
	struct buf packed; /* what wasn't compressed yet */
	z_stream zip;
	FILE *file;
	int err;
};

static void packer__flush(struct packer *w, int how)
{
	uint8_t block[BLOCK];

	w->zip.next_in = (uint8_t *)w->packed.data;
	w->zip.avail_in = (uInt)w->packed.len;
	do {
		size_t n;

		w->zip.next_out = block;
		w->zip.avail_out = sizeof(block);
		deflate(&w->zip, how);
		n = sizeof(block) - w->zip.avail_out;
		errno = 0;
		if (w->err == 0 && fwrite(block, 1, n, w->file) != n)
			w->err = errno ? -errno : -EIO;
	} while (w->zip.avail_out == 0);
	buf__clear(&w->packed);
}

static void put(struct packer *w, const Pmb__Pprof__Profile *piece)
{
	size_t size = pmb__pprof__profile__get_packed_size(piece);

	pmb__pprof__profile__pack(piece, buf__room(&w->packed, size));
	if (w->packed.len >= BLOCK)
		packer__flush(w, Z_NO_FLUSH);
}

static Pmb__Pprof__ValueType value_type(const struct prof_type *type)
{
	Pmb__Pprof__ValueType ret = PMB__PPROF__VALUE_TYPE__INIT;

	ret.type = type->name;
	ret.unit = type->unit;
	return ret;
}

static void put_head(struct packer *w)
{
	const struct prof *p = w->prof;
	_cleanup_free_ int64_t *comments = xcalloc(p->n_comments, sizeof(*comments));
	_cleanup_free_ int64_t *layouts = xcalloc(p->n_layouts, sizeof(*layouts));
	Pmb__Pprof__ValueType type, *one = &type, period = value_type(&p->period_type);
	Pmb__Pprof__Profile piece = PMB__PPROF__PROFILE__INIT;

	piece.n_sample_type = 1;
	piece.sample_type = &one;
	for (size_t i = 0; i < p->n_types; i++) {
		type = value_type(&p->types[i]);
		put(w, &piece);
	}
	for (size_t i = 0; i < w->n_branch_types; i++) {
		type.type = w->branch_names[i];
		type.unit = w->branch_units[i];
		put(w, &piece);
	}
	for (size_t i = 0; i < p->n_comments; i++)
		comments[i] = p->comments[i];
	for (size_t i = 0; i < p->n_layouts; i++)
		layouts[i] = p->layouts[i];
	piece = (Pmb__Pprof__Profile)PMB__PPROF__PROFILE__INIT;
	piece.n_comment = p->n_comments;
	piece.comment = comments;
	piece.n_data_layout = p->n_layouts;
	piece.data_layout = layouts;
	if (p->period_type.name)
		piece.period_type = &period;
	piece.period = p->period;
	piece.time_nanos = p->time_ns;
	piece.duration_nanos = p->duration_ns;
	piece.default_sample_type = p->default_type;
	piece.drop_frames = p->drop_frames;
	piece.keep_frames = p->keep_frames;
	put(w, &piece);
}

static void put_mappings(struct packer *w)
{
	Pmb__Pprof__Mapping mapping = PMB__PPROF__MAPPING__INIT, *one = &mapping;
	Pmb__Pprof__Profile piece = PMB__PPROF__PROFILE__INIT;

	piece.n_mapping = 1;
	piece.mapping = &one;
	for (size_t i = 1; i < w->prof->n_mappings; i++) {
		const struct prof_mapping *m = &w->prof->mappings[i];

		mapping.id = i;
		mapping.memory_start = m->start;
		mapping.memory_limit = m->limit;
		mapping.file_offset = m->offset;
		mapping.filename = m->file;
		mapping.build_id = m->build_id;
		mapping.has_functions = m->has_functions;
		mapping.has_filenames = m->has_filenames;
		mapping.has_line_numbers = m->has_lines;
		mapping.has_inline_frames = m->has_inlined;
		put(w, &piece);
	}
}

static void put_functions(struct packer *w)
{
	Pmb__Pprof__Function function = PMB__PPROF__FUNCTION__INIT, *one = &function;
	Pmb__Pprof__Profile piece = PMB__PPROF__PROFILE__INIT;

	piece.n_function = 1;
	piece.function = &one;
	for (size_t i = 1; i < w->prof->n_functions; i++) {
		const struct prof_function *f = &w->prof->functions[i];

		function.id = i;
		function.name = f->name;
		function.system_name = f->system_name;
		function.filename = f->file;
		function.start_line = f->start_line;
		put(w, &piece);
	}
}

static void put_location(struct packer *w, size_t i)
{
	const struct prof_location *l = &w->prof->locations[i];
	_cleanup_free_ Pmb__Pprof__Line *lines = xcalloc(l->n_lines, sizeof(*lines));
	_cleanup_free_ Pmb__Pprof__Line **pointers = xcalloc(l->n_lines, sizeof(*pointers));
	Pmb__Pprof__Location location = PMB__PPROF__LOCATION__INIT, *one = &location;
	Pmb__Pprof__Profile piece = PMB__PPROF__PROFILE__INIT;

	for (uint32_t k = 0; k < l->n_lines; k++) {
		const struct prof_line *line = &w->prof->lines[l->first_line + k];

		lines[k] = (Pmb__Pprof__Line)PMB__PPROF__LINE__INIT;
		lines[k].function_id = line->function;
		lines[k].line = line->line;
		pointers[k] = &lines[k];
	}
	location.id = i;
	location.mapping_id = l->mapping;
	location.address = l->address;
	location.n_line = l->n_lines;
	location.line = pointers;
	piece.n_location = 1;
	piece.location = &one;
	put(w, &piece);
}

static void put_sample(struct packer *w, size_t i)
{
	const struct prof *p = w->prof;
	const struct prof_label *set;
	const uint32_t *stack;
	size_t depth = prof__stack_locations(p, p->samples[i].stack, &stack);
	size_t n = prof__label_set(p, p->samples[i].labels, &set);
	_cleanup_free_ uint64_t *locations = xcalloc(depth, sizeof(*locations));
	_cleanup_free_ Pmb__Pprof__Label *labels = xcalloc(n, sizeof(*labels));
	_cleanup_free_ Pmb__Pprof__Label **pointers = xcalloc(n, sizeof(*pointers));
	Pmb__Pprof__Sample sample = PMB__PPROF__SAMPLE__INIT, *one = &sample;
	Pmb__Pprof__Profile piece = PMB__PPROF__PROFILE__INIT;

	for (size_t k = 0; k < depth; k++)
		locations[k] = stack[k];
	for (size_t k = 0; k < n; k++) {
		labels[k] = (Pmb__Pprof__Label)PMB__PPROF__LABEL__INIT;
		labels[k].key = set[k].key;
		labels[k].str = set[k].text;
		labels[k].num = set[k].number;
		labels[k].num_unit = set[k].unit;
		pointers[k] = &labels[k];
	}
	sample.n_location_id = depth;
	sample.location_id = locations;
	memcpy(w->values, prof__values(p, i), p->n_types * sizeof(*w->values));
	memset(w->values + p->n_types, 0, w->n_branch_types * sizeof(*w->values));
	sample.n_value = p->n_types + w->n_branch_types;
	sample.value = w->values;
	sample.n_label = n;
	sample.label = pointers;
	piece.n_sample = 1;
	piece.sample = &one;
	put(w, &piece);
}

static void put_branch(struct packer *w, const struct prof_branch *branch)
{
	uint64_t stack[] = {branch->to, branch->from};
	Pmb__Pprof__Sample sample = PMB__PPROF__SAMPLE__INIT, *one = &sample;
	Pmb__Pprof__Profile piece = PMB__PPROF__PROFILE__INIT;

	memset(w->values, 0, w->prof->n_types * sizeof(*w->values));
	prof_branch__values(branch, w->values + w->prof->n_types);
	if (branch->from && branch->to) {
		sample.n_location_id = ARRAY_SIZE(stack);
		sample.location_id = stack;
	}
	sample.n_value = w->prof->n_types + w->n_branch_types;
	sample.value = w->values;
	piece.n_sample = 1;
	piece.sample = &one;
	put(w, &piece);
}

static void put_strings(struct packer *w)
{
	size_t n = intern__count(&w->prof->strings);
	ProtobufCBinaryData text;
	Pmb__Pprof__Profile piece = PMB__PPROF__PROFILE__INIT;

	piece.n_string_table = 1;
	piece.string_table = &text;
	for (uint32_t i = 0; i < n; i++) {
		const char *string = prof__text(w->prof, i);

		text = (ProtobufCBinaryData){strlen(string), (uint8_t *)string};
		put(w, &piece);
	}
	for (size_t i = 0; i < w->n_branch_types; i++) { /* as number_branch_types() has it */
		const struct prof_branch_type *t = &prof_branch_types[i];

		text = (ProtobufCBinaryData){strlen(t->name), (uint8_t *)t->name};
		put(w, &piece);
		text = (ProtobufCBinaryData){strlen(t->unit), (uint8_t *)t->unit};
		put(w, &piece);
	}
}

/* The profile's own texts are numbered already: those of these types follow them. */
static void number_branch_types(struct packer *w)
{
	uint32_t next = (uint32_t)intern__count(&w->prof->strings);

	w->n_branch_types = w->prof->n_branches ? PROF_BRANCH_TYPES : 0;
	for (size_t i = 0; i < w->n_branch_types; i++) {
		w->branch_names[i] = next++;
		w->branch_units[i] = next++;
	}
	w->values = xcalloc(w->prof->n_types + w->n_branch_types, sizeof(*w->values));
}

int pprof__write(FILE *file, const struct prof *prof)
{
	struct packer w = {.prof = prof, .file = file};

	/* 16 more bits of window: a gzip header */
	if (deflateInit2(&w.zip, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	number_branch_types(&w);
	put_head(&w);
	for (size_t i = 0; i < prof->n_samples; i++)
		put_sample(&w, i);
	for (size_t i = 0; i < prof->n_branches; i++)
		put_branch(&w, &prof->branches[i]);
	put_mappings(&w);
	for (size_t i = 1; i < prof->n_locations; i++)
		put_location(&w, i);
	put_functions(&w);
	put_strings(&w);
	packer__flush(&w, Z_FINISH);
	deflateEnd(&w.zip);
	buf__done(&w.packed);
	free(w.values);
	errno = 0;
	if (w.err == 0 && fflush(file) == EOF)
		w.err = errno ? -errno : -EIO;
	return w.err;
}
