// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is what an address is: as pprof has it, one of the process, from which the
 * mapping's start and offset lead to a place in the file. Ours are as if each file were mapped
 * where its ELF headers want it.
 */
#include "prof/symbolize.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "prof/copy.h"
#include "prof/mapping_file.h"
#include "sys/open.h"

struct symbolizing {
	const struct prof *p;
	const char *dir;
	struct sym *sym;
	struct prof_copier copier;
	struct symbolized *ret;
	/* of this mapping */
	uint32_t mapping, *locations;
	uint64_t *offsets;
	struct sym_name *names;
	size_t n;
};

static void forget_names(struct symbolizing *x)
{
	for (size_t i = 0; i < x->n; i++)
		sym_name__done(&x->names[i]);
	memset(x->names, 0, x->n * sizeof(*x->names));
}

static bool try_file(void *ctx, const char *path)
{
	struct symbolizing *x = ctx;
	_cleanup_close_ int fd = open_regular(-1, path);
	const struct sym_file file = {.fd = fd, .root_fd = -1, .path = path};

	if (fd < 0)
		return false;
	sym__elf(x->sym, &file, x->offsets, x->n, x->names);
	if (x->names[0].reason != SYM_BAD_FILE && x->names[0].reason != SYM_HELPER &&
	    mapping_file__is_asked(x->p, x->mapping, x->sym))
		return true;
	forget_names(x);
	return false;
}

static struct prof_line line_of(struct symbolizing *x, const struct sym_frame *frame)
{
	struct prof *to = x->copier.to;
	struct prof_function f = {.name = prof__string(to, frame->name)};

	f.system_name = frame->system ? prof__string(to, frame->system) : f.name;
	f.file = frame->file ? prof__string(to, frame->file) : 0;
	return (struct prof_line){.function = prof__function(to, &f), .line = frame->line};
}

/* The copier finds it copied. */
static void put_location(struct symbolizing *x, size_t i)
{
	const struct sym_name *name = &x->names[i];
	const struct prof_location *l = &x->p->locations[x->locations[i]];
	uint32_t mapping = prof_copier__mapping(&x->copier, x->mapping);
	struct prof_mapping *m = &x->copier.to->mappings[mapping];
	struct prof_line lines[256];
	size_t n = 0;

	if (!name->frame.name)
		return;
	for (size_t k = name->n_inlined; k > 0 && n < ARRAY_SIZE(lines) - 1; k--)
		lines[n++] = line_of(x, &name->inlined[k - 1]);
	lines[n++] = line_of(x, &name->frame);
	m->has_functions = true;
	m->has_filenames |= name->frame.file != NULL;
	m->has_lines |= name->frame.line != 0;
	m->has_inlined |= name->n_inlined != 0;
	x->copier.locations[x->locations[i]] =
		prof__location(x->copier.to, mapping, l->address, lines, n);
	x->ret->named++;
}

/* Those of it that have no name. */
static void collect(struct symbolizing *x)
{
	const struct prof_mapping *m = &x->p->mappings[x->mapping];

	x->n = 0;
	for (uint32_t i = 1; i < x->p->n_locations; i++) {
		const struct prof_location *l = &x->p->locations[i];

		if (l->mapping != x->mapping || l->n_lines || l->address < m->start)
			continue;
		x->locations[x->n] = i;
		x->offsets[x->n++] = l->address - m->start + m->offset;
	}
}

static void name_mapping(struct symbolizing *x)
{
	const char *file = prof__text(x->p, x->p->mappings[x->mapping].file);

	if (*file == '[') /* the kernel's, a JIT's */
		return;
	collect(x);
	if (!x->n)
		return;
	x->ret->mappings++;
	x->ret->locations += x->n;
	if (!mapping_file__find(x->p, x->mapping, x->dir, try_file, x))
		return;
	x->ret->found++;
	for (size_t i = 0; i < x->n; i++)
		put_location(x, i);
	forget_names(x);
}

static void copy_samples(struct symbolizing *x)
{
	for (size_t i = 0; i < x->p->n_samples; i++) {
		const struct prof_sample *s = &x->p->samples[i];

		prof_copier__sample(&x->copier, i, prof_copier__stack(&x->copier, s->stack),
				    prof_copier__labels(&x->copier, s->labels));
	}
	prof_copier__head(&x->copier);
}

int prof__symbolize(struct prof **p, const char *dir, struct sym *sym, struct symbolized *ret,
		    struct err *err)
{
	struct symbolizing x = {.p = *p, .dir = dir, .sym = sym, .ret = ret};
	_cleanup_closedir_ DIR *folder = opendir(dir);
	struct prof *named;

	if (!folder)
		return err__set(err, -errno, "--symbols: can't read the folder '%s': %s", dir,
				strerror(errno));
	*ret = (struct symbolized){0};
	named = prof__new();
	prof_copier__init(&x.copier, named);
	prof_copier__from(&x.copier, x.p);
	prof_copier__types(&x.copier);
	x.locations = xcalloc(x.p->n_locations, sizeof(*x.locations));
	x.offsets = xcalloc(x.p->n_locations, sizeof(*x.offsets));
	x.names = xcalloc(x.p->n_locations, sizeof(*x.names));
	for (x.mapping = 1; x.mapping < x.p->n_mappings; x.mapping++)
		name_mapping(&x);
	copy_samples(&x);
	prof_copier__done(&x.copier);
	free(x.locations);
	free(x.offsets);
	free(x.names);
	prof__free(*p);
	*p = named;
	return 0;
}
