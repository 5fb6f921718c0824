// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "proc/files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "opener/opener.h"
#include "pmubpf/budgets.h"
#include "proc/files_internal.h"
#include "sys/clock.h"

enum { SWEEP_AT_LEAST = 1024 };
/* How long nobody has it mapped before it is let go: samples of its last moments are still on
 * their way. */
#define LET_GO_NS 1000000000ULL
#define LET_GO_TURN_NS 50000000ULL /* at a time; others wait for the next */
#define AGE_NS 30000000000ULL      /* what nobody refers to for one to two of these is forgotten */

struct files *files__new(struct opener *opener)
{
	struct files *files = xcalloc(1, sizeof(*files));

	files->opener = opener;
	files->swept_ns = now_ns();
	file_numbers__init(&files->numbers);
	files->turn.room = (struct fair_room){.limit = BUDGET_OPENING, .few = BUDGET_OPENING_FEW};
	return files;
}

struct opener *files__opener(const struct files *files)
{
	return files->opener;
}

void files__leave_root(struct files *files, struct entry *e)
{
	struct root *root = e->root;

	e->root = NULL;
	e->file.root_fd = -1;
	e->file.mnt_ns = 0;
	files->pinned -= root && roots__leave(&files->roots, root);
}

static void files__remove(struct files *files, struct entry *e)
{
	HASH_DEL(files->by_key, e);
	files->by_number[e->number] = NULL;
	file_numbers__give(&files->numbers, e->number, &e->who);
	files->pinned -= e->file.fd >= 0;
	files->copied -= e->copied;
	free(e->file.path);
	cleanup_close(&e->file.fd);
	files__leave_root(files, e);
	free(e);
}

struct files *files__free(struct files *files)
{
	struct entry *e, *next;

	if (!files)
		return NULL;
	HASH_ITER(hh, files->by_key, e, next)
		files__remove(files, e);
	roots__done(&files->roots);
	free(files->own_devs);
	free(files->by_number);
	file_numbers__done(&files->numbers);
	fair_room__clear(&files->turn.room);
	free(files);
	return NULL;
}

struct entry *files__find(const struct files *files, const struct file_key *key)
{
	struct entry *e;

	HASH_FIND(hh, files->by_key, key, sizeof(*key), e);
	return e;
}

struct entry *files__entry(const struct files *files, uint32_t number)
{
	return number < files->cap ? files->by_number[number] : NULL;
}

static void files__set_number(struct files *files, struct entry *e)
{
	size_t cap = files->cap;

	while (e->number >= cap)
		cap = cap ? 2 * cap : 64;
	if (cap > files->cap) {
		files->by_number = xrealloc(files->by_number, cap, sizeof(struct entry *));
		memset(files->by_number + files->cap, 0,
		       (cap - files->cap) * sizeof(struct entry *));
		files->cap = cap;
	}
	files->by_number[e->number] = e;
}

struct entry *files__add(struct files *files, const struct file_key *key, const char *path,
			 const struct fair_who *who)
{
	struct entry *e = xcalloc(1, sizeof(*e));

	e->key = *key;
	e->who = who ? *who : (struct fair_who){0};
	e->number = file_numbers__take(&files->numbers, who);
	e->file = (struct file){
		.kind = (enum file_kind)key->kind,
		.serial = ++files->file_serials,
		.fd = -1,
		.root_fd = -1,
		.path = xstrdup(path),
		.dev = key->dev,
	};
	HASH_ADD(hh, files->by_key, key, sizeof(e->key), e);
	files__set_number(files, e);
	return e;
}

/* What refers to it keeps its number; the key is the new file's. */
static void files__replace(struct files *files, struct entry *e)
{
	HASH_DEL(files->by_key, e);
	e->key.replaced = files__serial(files);
	HASH_ADD(hh, files->by_key, key, sizeof(e->key), e);
}

/* The number of one that isn't held any more may be another file's by now. */
static bool is_another(const struct entry *e, const struct mapped_file *which)
{
	if (which->generation && e->generation)
		return which->generation != e->generation;
	return e->let_go && strcmp(which->path, e->file.path) != 0;
}

uint32_t files__known_as(const struct files *files, const struct mapped_file *which)
{
	const struct file_key key = {.inode = which->inode, .dev = which->dev, .kind = FILE_ELF};
	const struct entry *e = files__find(files, &key);

	return e && !is_another(e, which) ? e->number : 0;
}

uint32_t files__elf(struct files *files, const struct mapped_file *which,
		    const struct fair_who *who)
{
	const struct file_key key = {.inode = which->inode, .dev = which->dev, .kind = FILE_ELF};
	struct entry *e = files__find(files, &key);

	/* one whom others' files leave no table doesn't spoil it for those who have room */
	if (e && (is_another(e, which) || (!file_number_has_table(e->number) &&
					   file_numbers__has_room(&files->numbers, who)))) {
		files__replace(files, e);
		e = NULL;
	}
	if (!e)
		e = files__add(files, &key, which->path, who);
	if (which->generation)
		e->generation = which->generation;
	return e->number;
}

uint64_t files__serial(struct files *files)
{
	return ++files->serials;
}

/* Perf maps of programs with a root of their own: it is a volume, too. */
static bool may_let_go(const struct entry *e)
{
	return !e->let_go && ((e->key.kind == FILE_ELF && e->elsewhere && e->file.fd >= 0) ||
			      (e->key.kind == FILE_JIT && e->root));
}

bool files__elsewhere(const struct files *files)
{
	const struct entry *e;

	for (e = files->by_key; e; e = e->hh.next) {
		if (may_let_go(e))
			return true;
	}
	return false;
}

bool files__idle(struct files *files, const bool *mapped, size_t n_mapped)
{
	struct entry *e, *next;
	uint64_t now = now_ns();
	bool any = false;

	HASH_ITER(hh, files->by_key, e, next) {
		if (!may_let_go(e))
			continue;
		if (e->number < n_mapped && mapped[e->number])
			e->idle_ns = 0;
		else if (!e->idle_ns)
			e->idle_ns = now;
		any |= e->idle_ns && now - e->idle_ns >= LET_GO_NS;
	}
	return any;
}

static int files__copy(struct files *files, struct entry *e)
{
	uint64_t room = FILES_COPIES_BYTES - files->copied;
	struct stat st;
	int fd = e->file.fd;

	if (fd < 0 || !e->keep)
		return -1;
	fd = opener__copy(files->opener, fd, e->file.mnt_ns,
			  room < FILES_COPY_BYTES ? room : FILES_COPY_BYTES);
	if (fd >= 0 && fstat(fd, &st) == 0)
		e->copied = (uint64_t)st.st_size;
	files->copied += e->copied;
	return fd < 0 ? -1 : fd;
}

static void files__let_go_of(struct files *files, struct entry *e)
{
	int copy = files__copy(files, e);

	files->pinned -= e->file.fd >= 0 && copy < 0;
	cleanup_close(&e->file.fd);
	e->file.fd = copy;
	e->let_go = true;
	/* a path of theirs would lead elsewhere */
	if (e->key.kind == FILE_JIT && e->root)
		e->file.ns_tgid = 0;
	files__leave_root(files, e);
}

void files__let_go(struct files *files, void (*others)(void *ctx, uint32_t file, int fd), void *ctx)
{
	uint64_t began = now_ns();
	struct entry *e, *next;

	HASH_ITER(hh, files->by_key, e, next) {
		bool due = may_let_go(e) && e->idle_ns && began - e->idle_ns >= LET_GO_NS;

		if (due && now_ns() - began < LET_GO_TURN_NS) {
			if (e->file.fd >= 0)
				others(ctx, e->number, e->file.fd);
			files__let_go_of(files, e);
		}
		e->keep = false;
	}
}

bool files__many(const struct files *files)
{
	return files__known(files) > 2 * files->after_sweep + SWEEP_AT_LEAST ||
	       files->early >= FILES_EARLY / 2;
}

bool files__age_is_due(const struct files *files)
{
	return now_ns() - files->swept_ns >= AGE_NS;
}

void files__keep(struct files *files, uint32_t file)
{
	struct entry *e = files__entry(files, file);

	if (!e)
		return;
	e->keep = true;
	if (e->key.kind == FILE_JIT) {
		files__keep(files, e->file.dump);
		files__keep(files, e->file.code);
	}
}

static void files__forget(struct files *files, bool all)
{
	struct entry *e, *next;

	HASH_ITER(hh, files->by_key, e, next) {
		if (!e->keep && (all || e->unused)) {
			files__remove(files, e);
			continue;
		}
		e->unused = !e->keep;
		e->keep = false;
	}
	files->swept_ns = now_ns();
}

void files__sweep(struct files *files)
{
	files__forget(files, true);
	files->after_sweep = files__known(files);
	files->early = 0;
}

void files__age(struct files *files)
{
	files__forget(files, false);
}

size_t files__known(const struct files *files)
{
	return HASH_COUNT(files->by_key);
}

const struct file *files__get(const struct files *files, uint32_t file)
{
	const struct entry *e = files__entry(files, file);

	return e ? &e->file : NULL;
}

struct fair_who files__who(const struct files *files, uint32_t file)
{
	const struct entry *e = files__entry(files, file);

	return e ? e->who : (struct fair_who){0};
}

size_t files__count(const struct files *files)
{
	return file_numbers__end(&files->numbers);
}
