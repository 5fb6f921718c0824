// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is what an address is: as pprof has it, one of the process, from which the
 * mapping's start and offset lead to a place in the file. Ours are as if each file were mapped
 * where its ELF headers want it. A debug file alone doesn't say where in the program's file its
 * code lies: it is of use beside the program.
 */
#include "prof/symbolize.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "prof/copy.h"
#include "prof/mapping_file.h"
#include "sys/open.h"

enum { DEBUG_FDS_MAX = 16 };

struct symbolizing {
	const struct prof *p;
	const struct symbol_files *where;
	struct sym *sym;
	struct prof_copier copier;
	struct symbolized *ret;
	/* of this mapping */
	uint32_t mapping, *locations;
	uint64_t *offsets;
	struct sym_name *names;
	size_t n;
	int debug_fds[DEBUG_FDS_MAX]; /* that may be of its debug file */
	size_t n_debug_fds;
	bool found; /* a file with its build-id, whatever that has */
};

static void forget_names(struct symbolizing *x)
{
	for (size_t i = 0; i < x->n; i++)
		sym_name__done(&x->names[i]);
	memset(x->names, 0, x->n * sizeof(*x->names));
}

static bool has_name(const struct symbolizing *x)
{
	for (size_t i = 0; i < x->n; i++) {
		if (x->names[i].frame.name)
			return true;
	}
	return false;
}

/* Whether it is the one, and has names. */
static bool ask_file(struct symbolizing *x, int fd, const char *path)
{
	const struct sym_file file = {
		.fd = fd,
		.root_fd = -1,
		.path = path,
		.servers = x->where->servers,
		.debug_fds = x->debug_fds,
		.n_debug_fds = x->n_debug_fds,
	};

	sym__elf(x->sym, &file, x->offsets, x->n, x->names);
	if (x->names[0].reason != SYM_BAD_FILE && x->names[0].reason != SYM_HELPER &&
	    mapping_file__is_asked(x->p, x->mapping, x->sym)) {
		x->found = true;
		if (has_name(x))
			return true;
	}
	forget_names(x);
	return false;
}

static bool try_file(void *ctx, const char *path)
{
	_cleanup_close_ int fd = open_regular(-1, path);

	return fd >= 0 && ask_file(ctx, fd, path);
}

static bool keep_debug_file(void *ctx, const char *path)
{
	struct symbolizing *x = ctx;
	int fd = open_regular(-1, path);

	if (fd >= 0)
		x->debug_fds[x->n_debug_fds++] = fd;
	return x->n_debug_fds == DEBUG_FDS_MAX;
}

static void find_debug_files(struct symbolizing *x)
{
	for (size_t i = 0; i < x->where->n_dirs && x->n_debug_fds < DEBUG_FDS_MAX; i++)
		mapping_file__find(x->p, x->mapping, x->where->dirs[i], keep_debug_file, x);
}

static void close_debug_files(struct symbolizing *x)
{
	while (x->n_debug_fds)
		close(x->debug_fds[--x->n_debug_fds]);
}

static bool try_here(struct symbolizing *x)
{
	const struct prof_mapping *m = &x->p->mappings[x->mapping];

	return m->build_id && try_file(x, prof__text(x->p, m->file));
}

static bool try_servers(struct symbolizing *x)
{
	_cleanup_close_ int fd = mapping_file__fetch(x->p, x->mapping, x->where->servers);

	return fd >= 0 && ask_file(x, fd, NULL);
}

static bool find(struct symbolizing *x)
{
	const struct symbol_files *w = x->where;

	for (size_t i = 0; i < w->n_dirs; i++) {
		if (mapping_file__find(x->p, x->mapping, w->dirs[i], try_file, x))
			return true;
	}
	return (w->here && try_here(x)) || (w->servers && try_servers(x));
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

/* Of which names may be found: not the kernel's, nor a JIT's. */
static bool is_unnamed(const struct prof *p, uint32_t location)
{
	const struct prof_location *l = &p->locations[location];
	const struct prof_mapping *m = &p->mappings[l->mapping];

	return l->mapping && !l->n_lines && l->address >= m->start &&
	       *prof__text(p, m->file) != '[';
}

static void collect(struct symbolizing *x)
{
	const struct prof_mapping *m = &x->p->mappings[x->mapping];

	x->n = 0;
	for (uint32_t i = 1; i < x->p->n_locations; i++) {
		const struct prof_location *l = &x->p->locations[i];

		if (l->mapping != x->mapping || !is_unnamed(x->p, i))
			continue;
		x->locations[x->n] = i;
		x->offsets[x->n++] = l->address - m->start + m->offset;
	}
}

static void name_mapping(struct symbolizing *x)
{
	collect(x);
	x->ret->mappings++;
	x->ret->locations += x->n;
	x->found = false;
	find_debug_files(x);
	if (find(x)) {
		for (size_t i = 0; i < x->n; i++)
			put_location(x, i);
		forget_names(x);
	}
	x->ret->found += x->found;
	close_debug_files(x);
}

struct unnamed {
	uint32_t mapping;
	size_t places;
};

static int by_places(const void *pa, const void *pb)
{
	const struct unnamed *a = pa, *b = pb;
	int r = CMP3(b->places, a->places);

	return r ? r : CMP3(a->mapping, b->mapping);
}

/* Mappings that have such places, those with the most first. The caller frees. */
static struct unnamed *find_unnamed(const struct prof *p, size_t *ret_n)
{
	struct unnamed *list = xcalloc(p->n_mappings, sizeof(*list));
	size_t n = 0;

	for (uint32_t i = 0; i < p->n_mappings; i++)
		list[i].mapping = i;
	for (uint32_t i = 1; i < p->n_locations; i++)
		list[p->locations[i].mapping].places += is_unnamed(p, i);
	qsort(list, p->n_mappings, sizeof(*list), by_places);
	while (n < p->n_mappings && list[n].places)
		n++;
	*ret_n = n;
	return list;
}

static int check_folders(const struct symbol_files *where, struct err *err)
{
	for (size_t i = 0; i < where->n_dirs; i++) {
		_cleanup_closedir_ DIR *folder = opendir(where->dirs[i]);

		if (!folder)
			return err__set(err, -errno, "--symbols: can't read the folder '%s': %s",
					where->dirs[i], strerror(errno));
	}
	return 0;
}

int prof__symbolize(struct prof **p, const struct symbol_files *where, struct sym *sym,
		    struct symbolized *ret, struct err *err)
{
	struct symbolizing x = {.p = *p, .where = where, .sym = sym, .ret = ret};
	_cleanup_free_ struct unnamed *list = NULL;
	int r = check_folders(where, err);
	struct prof *named;
	size_t n;

	if (r < 0)
		return r;
	*ret = (struct symbolized){0};
	named = prof__new();
	prof_copier__init(&x.copier, named);
	prof_copier__from(&x.copier, x.p);
	x.locations = xcalloc(x.p->n_locations, sizeof(*x.locations));
	x.offsets = xcalloc(x.p->n_locations, sizeof(*x.offsets));
	x.names = xcalloc(x.p->n_locations, sizeof(*x.names));
	list = find_unnamed(x.p, &n);
	for (size_t i = 0; i < n; i++) {
		x.mapping = list[i].mapping;
		name_mapping(&x);
	}
	prof_copier__rest(&x.copier);
	prof_copier__done(&x.copier);
	free(x.locations);
	free(x.offsets);
	free(x.names);
	prof__free(*p);
	*p = named;
	return 0;
}

int name_book__find(struct name_book *b, const struct symbol_files *where, struct sym *sym,
		    struct symbolized *ret, struct err *err)
{
	struct prof *p = name_book__exchange(b, NULL);
	int r = prof__symbolize(&p, where, sym, ret, err);

	name_book__exchange(b, p);
	return r;
}
