// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A file is known by its number and its times: in one that was written anew other instructions may
 * be where the old ones were.
 */
#include "session/alloc_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "render/escape.h"
#include "sym/site_client.h"

static const struct alloc_function {
	const char *name;
	enum alloc_kind kind;
	unsigned arguments; /* that are looked at, from the first on */
} functions[] = {
	{"free", ALLOC_FREE, 1}, /* first: what is given out must be seen to be given back */
	{"cfree", ALLOC_FREE, 1},
	{"free_sized", ALLOC_FREE, 1},
	{"free_aligned_sized", ALLOC_FREE, 1},
	{"dallocx", ALLOC_FREE, 1},
	{"sdallocx", ALLOC_FREE, 1},
	/* operator delete and delete[]: of a pointer; with a size, an alignment, std::nothrow */
	{"_ZdlPv", ALLOC_FREE, 1},
	{"_ZdaPv", ALLOC_FREE, 1},
	{"_ZdlPvm", ALLOC_FREE, 1},
	{"_ZdaPvm", ALLOC_FREE, 1},
	{"_ZdlPvSt11align_val_t", ALLOC_FREE, 1},
	{"_ZdaPvSt11align_val_t", ALLOC_FREE, 1},
	{"_ZdlPvmSt11align_val_t", ALLOC_FREE, 1},
	{"_ZdaPvmSt11align_val_t", ALLOC_FREE, 1},
	{"_ZdlPvRKSt9nothrow_t", ALLOC_FREE, 1},
	{"_ZdaPvRKSt9nothrow_t", ALLOC_FREE, 1},
	{"_ZdlPvSt11align_val_tRKSt9nothrow_t", ALLOC_FREE, 1},
	{"_ZdaPvSt11align_val_tRKSt9nothrow_t", ALLOC_FREE, 1},
	{"munmap", ALLOC_FREE, 1},
	{"malloc", ALLOC_MALLOC, 1},
	{"calloc", ALLOC_CALLOC, 2},
	{"realloc", ALLOC_REALLOC, 2},
	{"reallocarray", ALLOC_REALLOCARRAY, 3},
	{"aligned_alloc", ALLOC_MEMALIGN, 2},
	{"memalign", ALLOC_MEMALIGN, 2},
	{"posix_memalign", ALLOC_POSIX, 3},
	{"valloc", ALLOC_MALLOC, 1},
	{"pvalloc", ALLOC_MALLOC, 1},
	{"mallocx", ALLOC_MALLOC, 1},
	{"rallocx", ALLOC_REALLOC, 2},
	/* the kernel's memory */
	{"mmap", ALLOC_MAP, 4},
	{"mmap64", ALLOC_MAP, 4},
	{"mremap", ALLOC_REMAP, 3},
	{"sbrk", ALLOC_BREAK, 1},
	/* operator new and new[] */
	{"_Znwm", ALLOC_MALLOC, 1},
	{"_Znam", ALLOC_MALLOC, 1},
	{"_ZnwmRKSt9nothrow_t", ALLOC_MALLOC, 1},
	{"_ZnamRKSt9nothrow_t", ALLOC_MALLOC, 1},
	{"_ZnwmSt11align_val_t", ALLOC_MALLOC, 1},
	{"_ZnamSt11align_val_t", ALLOC_MALLOC, 1},
	{"_ZnwmSt11align_val_tRKSt9nothrow_t", ALLOC_MALLOC, 1},
	{"_ZnamSt11align_val_tRKSt9nothrow_t", ALLOC_MALLOC, 1},
};

enum {
	NOTES_MAX = 4,    /* files that are told by their names */
	PROBED_MAX = 256, /* each is a descriptor */
	LATE_MAX = 8,     /* answers that didn't come; then nothing is asked any more */
	ANSWER_NS = 2000000000,
	LATER_NS = 250000000, /* the same, while samples come in */
};

static void note(struct alloc_files *files, const char *path, const char *why)
{
	if (files->n_served + files->n_unread > NOTES_MAX)
		return;
	buf__puts(files->notes, "--alloc: no probe in ");
	escape_line(files->notes, path);
	buf__printf(files->notes, ": %s\n", why);
}

static bool is_exit(enum alloc_kind kind)
{
	return kind == ALLOC_EXIT || kind == ALLOC_CLEARING;
}

/* Names share functions (new[] is new), and functions end in the same one. */
static bool is_placed(const struct alloc_file *file, enum alloc_kind kind, const struct site *site)
{
	for (size_t i = 0; i < file->n; i++) {
		if (file->places[i].file_off == site->file_off &&
		    is_exit(file->places[i].kind) == is_exit(kind))
			return true;
	}
	return false;
}

static void place(struct alloc_file *file, enum alloc_kind kind, const struct site *site)
{
	if (is_placed(file, kind, site))
		return;
	GROW(file->places, file->n, file->cap);
	file->places[file->n++] = (struct alloc_place){kind, site->emulated, site->file_off};
}

/* Its exits first, or calls would begin that end unseen. */
static void place_call(struct alloc_file *file, enum alloc_kind kind, const struct site *sites,
		       size_t n)
{
	size_t known = 0;

	for (size_t i = 1; i < n; i++) {
		bool jumps = sites[i].emulated;

		/* what jumps elsewhere has no result yet, but for calloc that ends in memset */
		if (jumps && kind != ALLOC_CALLOC)
			continue;
		place(file, jumps ? ALLOC_CLEARING : ALLOC_EXIT, &sites[i]);
		known++;
	}
	if (known)
		place(file, kind, &sites[0]);
}

static void found(void *ctx, size_t which, const struct site *sites, size_t n)
{
	if (functions[which].kind == ALLOC_FREE)
		place(ctx, ALLOC_FREE, &sites[0]);
	else
		place_call(ctx, functions[which].kind, sites, n);
}

static void unread(struct alloc_files *files, const char *path, const char *why)
{
	files->n_unread++;
	note(files, path, why);
}

/* Without free, what is known of blocks would not end: where it isn't, nothing is looked for. */
static void ask(struct alloc_files *files, struct alloc_file *file, int fd, const char *path)
{
	_cleanup_close_ int lent = files->n_late < LATE_MAX ?
					   opener__lend(files->opener, fd, file->mnt_ns, 0) :
					   -ETIMEDOUT;
	struct site_name names[ARRAY_SIZE(functions)];
	struct err why = {0};
	int r;

	if (lent < 0) {
		unread(files, path, "it can't be read in time");
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		names[i] = (struct site_name){functions[i].name, functions[i].arguments};
	if (!files->client) {
		files->client = site_client__new(NULL);
		if (files->began)
			site_client__between(files->client, files->meanwhile, files->ctx);
	}
	r = site_client__find_returns(files->client, lent, names, ARRAY_SIZE(functions),
				      files->began ? LATER_NS : ANSWER_NS, path, found, file, &why);
	if (r == -ETIMEDOUT) {
		files->n_late++;
		unread(files, path, "its symbols could not be read in time");
	}
	if (r < 0)
		file->n = 0;
}

static bool is_probed(const struct alloc_file *file)
{
	return file->fd >= 0;
}

/* As a file is found for the first time. */
static struct alloc_file *add(struct alloc_files *files, const struct opener_file_id *id, int fd,
			      uint64_t mnt_ns, const char *path)
{
	struct alloc_file *file = xcalloc(1, sizeof(*file));

	file->id = *id;
	file->fd = -1;
	file->mnt_ns = mnt_ns;
	if (id->served) {
		files->n_served++;
		note(files, path, "a process serves the file (FUSE)");
	} else {
		ask(files, file, fd, path);
	}
	if (file->n && files->n_probed == PROBED_MAX)
		unread(files, path, "there are too many such files");
	else if (file->n)
		file->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (is_probed(file)) {
		file->path = xstrdup(path);
		files->n_probed++;
		files->n_places += file->n;
	}
	HASH_ADD(hh, files->by_id, id, sizeof(file->id), file);
	files->n++;
	return file;
}

struct alloc_file *alloc_files__look(struct alloc_files *files, int fd, uint64_t mnt_ns,
				     const char *path)
{
	struct alloc_file *file;
	struct opener_file_id id;

	memset(&id, 0, sizeof(id));
	if (opener__which(files->opener, fd, mnt_ns, &id) < 0) {
		unread(files, path, "it can't be looked at in time");
		return NULL;
	}
	HASH_FIND(hh, files->by_id, &id, sizeof(id), file);
	if (!file && files->n >= BUDGET_ALLOC_FILES) {
		unread(files, path, "too many files have been looked at");
		return NULL;
	}
	if (!file)
		file = add(files, &id, fd, mnt_ns, path);
	return is_probed(file) ? file : NULL;
}

static void done(struct alloc_file *file)
{
	cleanup_close(&file->fd);
	free(file->path);
	free(file->places);
	file->fd = -1;
	file->path = NULL;
	file->places = NULL;
	file->n = 0;
}

void alloc_files__pass_over(struct alloc_files *files, struct alloc_file *file, int why)
{
	if (!is_probed(file))
		return;
	files->n_probed--;
	files->n_places -= file->n;
	if (why == -OPENER_SERVED) {
		files->n_served++;
		note(files, file->path, "a process serves the file (FUSE)");
	} else {
		unread(files, file->path, strerror(-why));
	}
	done(file);
}

void alloc_files__rest(struct alloc_files *files)
{
	files->client = site_client__free(files->client);
}

void alloc_files__done(struct alloc_files *files)
{
	struct alloc_file *file, *next;

	alloc_files__rest(files);
	HASH_ITER(hh, files->by_id, file, next) {
		HASH_DEL(files->by_id, file);
		done(file);
		free(file);
	}
}
