// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "unwind/runtimes.h"

#include <stdlib.h>

#include "base/mem.h"

enum { HOTSPOTS_MAX = 64 };

struct runtimes {
	const struct files *files;
	runtimes_set_fn set;
	void *ctx;
	uint32_t version;
	struct entry {
		uint32_t file;
		uint64_t serial; /* of the file: numbers are used again */
		struct pmb_runtime runtime;
	} of[PMB_PYTHONS_MAX]; /* [0]: none */
	uint32_t n;
	struct entry hotspots[HOTSPOTS_MAX]; /* the latest */
	uint32_t n_hotspots;
	struct unknown_runtimes unknown;
};

struct runtimes *runtimes__new(const struct files *files, runtimes_set_fn set, void *ctx)
{
	struct runtimes *r = xcalloc(1, sizeof(*r));

	*r = (struct runtimes){.files = files, .set = set, .ctx = ctx, .n = 1};
	return r;
}

struct runtimes *runtimes__free(struct runtimes *r)
{
	if (r)
		unknown_runtimes__done(&r->unknown);
	free(r);
	return NULL;
}

static bool is_here(const struct runtimes *r, const struct entry *e)
{
	const struct file *file = files__get(r->files, e->file);

	return file && file->serial == e->serial;
}

static uint32_t find(const struct runtimes *r, uint32_t file)
{
	for (uint32_t i = 1; i < r->n; i++) {
		if (r->of[i].file == file && is_here(r, &r->of[i]))
			return i;
	}
	return 0;
}

/* 0: there is none. A process that had the one before is gone, as its file is. */
static uint32_t free_number(struct runtimes *r)
{
	if (r->n < PMB_PYTHONS_MAX)
		return r->n++;
	for (uint32_t i = 1; i < r->n; i++) {
		if (!is_here(r, &r->of[i]))
			return i;
	}
	return 0;
}

static void add(struct runtimes *r, uint32_t file, const struct pmb_runtime *runtime)
{
	const struct file *f = files__get(r->files, file);
	uint32_t number = !f || find(r, file) ? 0 : free_number(r);

	if (!number)
		return;
	r->of[number] = (struct entry){0};
	if (r->set(r->ctx, number, runtime) < 0)
		return;
	r->of[number] = (struct entry){file, f->serial, *runtime};
	r->version++;
}

static void add_unknown(struct runtimes *r, uint32_t file, const struct pmb_runtime *runtime)
{
	const struct file *f = files__get(r->files, file);

	const char *path = f ? f->path : "[unknown]";

	if (runtime->is_v8)
		unknown_runtimes__add_v8(&r->unknown, path);
	else
		unknown_runtimes__add(&r->unknown, path, runtime->layout.version,
				      runtime->free_threaded);
}

static void add_hotspot(struct runtimes *r, uint32_t file, const struct pmb_runtime *runtime)
{
	const struct file *f = files__get(r->files, file);
	uint64_t structs, types;

	if (f && !runtimes__hotspot(r, file, &structs, &types))
		r->hotspots[r->n_hotspots++ % HOTSPOTS_MAX] =
			(struct entry){file, f->serial, *runtime};
}

void runtimes__note(struct runtimes *r, uint32_t file, const struct unwind_table *table)
{
	switch (table->head.has_runtime) {
	case PMB_RUNTIME_KNOWN:
	case PMB_RUNTIME_V8:
		return add(r, file, &table->runtime);
	case PMB_RUNTIME_HOTSPOT:
		return add_hotspot(r, file, &table->runtime);
	case PMB_RUNTIME_UNKNOWN:
		return add_unknown(r, file, &table->runtime);
	default:
		return;
	}
}

bool runtimes__hotspot(const struct runtimes *r, uint32_t file, uint64_t *ret_structs,
		       uint64_t *ret_types)
{
	for (uint32_t i = 0; i < r->n_hotspots && i < HOTSPOTS_MAX; i++) {
		const struct entry *e = &r->hotspots[i];

		if (e->file != file || !is_here(r, e))
			continue;
		*ret_structs = e->runtime.structs_from;
		*ret_types = e->runtime.types_from;
		return true;
	}
	return false;
}

struct unknown_runtimes *runtimes__unknown_ones(struct runtimes *r)
{
	return &r->unknown;
}

uint32_t runtimes__version(const struct runtimes *r)
{
	return r ? r->version : 0;
}

uint32_t runtimes__in(const struct runtimes *r, const struct mapping *m, __u64 *ret_at)
{
	uint32_t number = m->file ? find(r, m->file) : 0;

	*ret_at = number ? m->start - m->file_off + r->of[number].runtime.runtime_from : 0;
	return number;
}

uint32_t runtimes__of(const struct runtimes *r, const struct mappings *mappings, __u64 *ret_at)
{
	size_t n = r && r->n > 1 ? mappings__count(mappings) : 0;

	*ret_at = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t number = runtimes__in(r, mappings__at(mappings, i), ret_at);

		if (number)
			return number;
	}
	return 0;
}

enum pmb_eval runtimes__eval(const struct runtimes *r, uint32_t file, uint64_t off)
{
	const struct pmb_runtime *is;

	for (uint32_t i = 1; i < r->n; i++) {
		is = &r->of[i].runtime;
		if (r->of[i].file != file || !is_here(r, &r->of[i]))
			continue;
		if ((off >= is->eval_from && off < is->eval_to) ||
		    (off >= is->cold_from && off < is->cold_to))
			return is->tail_calls ? PMB_EVAL_CALLER : PMB_EVAL_FUNCTION;
	}
	return PMB_EVAL_NONE;
}
