// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How files are found, through a process that has them mapped, and which are kept open. */
#include <errno.h>
#include <linux/types.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "opener/opener.h"
#include "pmubpf/budgets.h"
#include "proc/files_internal.h"
#include "sys/clock.h"
#include "sys/limits.h"
#include "sys/procfs.h"

enum {
	MAX_PINNED = BUDGET_DESCRIPTORS, /* descriptors, roots among them */
	RESERVED = BUDGET_RESERVED,      /* for helpers, and files that are opened for a moment */
	FREE_TRIES = 4,
	RETRY_DOUBLINGS = 8,
};
#define RETRY_NS 50000000ULL /* the first pause is twice as long, the last 12.8 s */

/* Our own copy of the vDSO, as a file that the symbol helper can read. */
static int vdso_fd(void)
{
	const uint8_t *image = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	_cleanup_close_ int fd = -1;

	if (!image)
		return -1;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	/* its size isn't in auxv: pages are written until one can't be read */
	for (size_t off = 0; fd >= 0 && off < 16 * page; off += page) {
		if (write(fd, image + off, page) != (ssize_t)page)
			break;
	}
	return TAKE_FD(fd);
}

uint32_t files__vdso(struct files *files)
{
	const struct file_key key = {.kind = FILE_VDSO};
	const struct fair_who nobody = {0};
	struct entry *e = files__find(files, &key);

	if (!e)
		e = files__add(files, &key, "[vdso]", &nobody);
	if (!e->file.tried)
		e->file.fd = vdso_fd();
	files->pinned += !e->file.tried && e->file.fd >= 0;
	e->file.tried = true;
	return e->number;
}

/* What is left of what the limit allows, for counters, helpers and whatever else is open by
 * then. */
static size_t most_pinned(void)
{
	unsigned long limit = fd_limit(), used = fds_open() + RESERVED;

	if (limit <= used)
		return 0;
	return limit - used < 2 * MAX_PINNED ? (limit - used) / 2 : MAX_PINNED;
}

static bool files__may_pin(struct files *files)
{
	if (!files->max_known)
		files->max_pinned = most_pinned();
	files->max_known = true;
	return files->pinned < files->max_pinned;
}

/* Takes root_fd over; -1: it is ours. */
static void files__enter_root(struct files *files, struct entry *e,
			      const struct opener_root_id *root_id, int root_fd)
{
	_cleanup_close_ int fd = root_fd;
	struct root *root = fd >= 0 ? roots__find(&files->roots, root_id) : NULL;

	if (fd < 0 || (root && root == e->root)) {
		if (fd < 0)
			files__leave_root(files, e);
		return;
	}
	files__leave_root(files, e);
	if (!root && !files__may_pin(files))
		return;
	if (!root) {
		root = roots__add(&files->roots, root_id, TAKE_FD(fd));
		files->pinned++;
	}
	root->users++;
	e->root = root;
	e->file.root_fd = root->fd;
	e->file.mnt_ns = root->id.mnt_ns;
}

/* Who it is and what it sees as its root: asked while it lives, used when it may be gone. */
static void files__learn_process(struct files *files, struct entry *e, pid_t tgid)
{
	struct opener_process process;

	if (opener__process(files->opener, tgid, &process) < 0)
		return;
	e->file.ns_tgid = process.status.ns_tgid;
	e->file.uid = process.status.euid;
	files__enter_root(files, e, &process.root_id, process.root_fd);
}

/* Of a file that was found: where its debug files are looked for, if that isn't where ours are.
 * One process of a mount namespace that is known already needn't be asked. */
static void files__learn_root(struct files *files, struct entry *e, pid_t tgid, uint64_t mnt_ns)
{
	struct opener_process process;

	if (!mnt_ns || e->root || opener__process(files->opener, tgid, &process) < 0)
		return;
	files__enter_root(files, e, &process.root_id, process.root_fd);
}

uint32_t files__jit(struct files *files, pid_t tgid, uint64_t process_serial, uint32_t dump)
{
	const struct file_key key = {.inode = process_serial, .kind = FILE_JIT};
	struct entry *e = files__find(files, &key);

	if (!e)
		e = files__add(files, &key, "[anon]", NULL);
	e->file.dump = dump;
	if (!e->file.ns_tgid)
		files__learn_process(files, e, tgid);
	return e->number;
}

uint32_t files__code(struct files *files, uint32_t jit, uint64_t process_serial,
		     const struct fair_who *who)
{
	const struct file_key key = {.inode = process_serial, .kind = FILE_CODE};
	struct entry *e = files__find(files, &key), *of = files__entry(files, jit);

	if (!of || (!e && !file_numbers__has_room(&files->numbers, who)))
		return 0;
	if (!e)
		e = files__add(files, &key, "[anon]", who);
	of->file.code = e->number;
	return e->number;
}

int files__open_memory(const struct files *files, pid_t tgid)
{
	return opener__memory(files->opener, tgid);
}

void files__put_code(struct files *files, uint32_t file, int fd)
{
	struct entry *e = files__entry(files, file);
	_cleanup_close_ int old = e && e->key.kind == FILE_CODE ? e->file.fd : fd;

	if (old == fd)
		return;
	files->pinned += e->file.fd < 0;
	e->file.fd = fd;
}

static int files__open_perf_map(const struct files *files, const struct file *file)
{
	_cleanup_free_ char *path = xasprintf("/tmp/perf-%d.map", file->ns_tgid);

	if (!file->ns_tgid)
		return -ENOENT;
	return opener__owned(files->opener, file->root_fd, file->mnt_ns, path, file->uid);
}

/* A JIT may write its map later, so it is looked for again, but not at each of a million frames. */
static void files__pin_perf_map(struct files *files, struct entry *e, pid_t tgid)
{
	e->file.tries++;
	if (e->file.tries & (e->file.tries - 1))
		return;
	files__learn_process(files, e, tgid); /* it may have become another user since */
	e->file.fd = files__open_perf_map(files, &e->file);
	if (e->file.fd < 0)
		e->file.fd = -1;
}

static void note_own(void *ctx, const struct map_line *line)
{
	struct files *files = ctx;

	if (!line->inode)
		return;
	GROW(files->own_devs, files->n_own, files->cap_own);
	files->own_devs[files->n_own++] = makedev(line->dev_major, line->dev_minor);
}

static bool files__is_ours(struct files *files, uint64_t dev)
{
	if (!files->n_own)
		opener__maps(NULL, getpid(), note_own, files);
	for (size_t i = 0; i < files->n_own; i++) {
		if (files->own_devs[i] == dev)
			return true;
	}
	return false;
}

static struct mapped_file mapped_file(const struct entry *e)
{
	return (struct mapped_file){e->key.inode, e->generation, e->file.dev, e->file.path};
}

static void files__pin_elf(struct files *files, struct entry *e, pid_t tgid, uint64_t start,
			   uint64_t end)
{
	const struct mapped_file which = mapped_file(e);
	uint64_t mnt_ns;
	int fd;

	if (e->key.replaced)
		return;
	fd = opener__mapped(files->opener, tgid, start, end, &which, &mnt_ns);
	e->file.fd = fd < 0 ? -1 : fd;
	e->no_file = fd == -OPENER_NO_FILE;
	if (fd < 0)
		return;
	files__learn_root(files, e, tgid, mnt_ns);
	e->elsewhere = !files__is_ours(files, e->file.dev);
	e->let_go = false;
	e->idle_ns = 0;
}

/* A program may have what can't be opened mapped ten thousand times, and each of them asks. */
static void try_later(struct entry *e)
{
	if (++e->failures <= FREE_TRIES)
		return;
	if (e->failures - FREE_TRIES < RETRY_DOUBLINGS)
		e->retry_ns = now_ns() + (RETRY_NS << (e->failures - FREE_TRIES));
	else
		e->retry_ns = now_ns() + (RETRY_NS << RETRY_DOUBLINGS);
}

/* False: later. */
static bool files__look_for(struct files *files, struct entry *e, const struct fair_who *who,
			    uint64_t start, uint64_t end)
{
	pid_t tgid = (pid_t)who->tgid;

	/* each look takes the opener and us some 25 us together, and a program may have 65,000
	 * files */
	if (e->key.kind == FILE_ELF && !fair_turn__has(&files->turn, who, now_ns()))
		return false;
	/* another process that has it mapped may still be alive: it is tried again */
	if (e->file.tried && e->key.kind == FILE_ELF && !procfs_task_exists(tgid))
		return true;
	e->file.tried = true;
	if (e->key.kind == FILE_ELF)
		files__pin_elf(files, e, tgid, start, end);
	else if (e->key.kind == FILE_JIT)
		files__pin_perf_map(files, e, tgid);
	if (e->key.kind == FILE_ELF && e->file.fd < 0)
		try_later(e);
	files->pinned += e->file.fd >= 0;
	return true;
}

bool files__pin(struct files *files, uint32_t file, const struct fair_who *who, uint64_t start,
		uint64_t end)
{
	struct entry *e = files__entry(files, file);

	if (!e || e->no_file || e->file.fd >= 0 || !files__may_pin(files) ||
	    (e->retry_ns && now_ns() < e->retry_ns))
		return true;
	return files__look_for(files, e, who, start, end);
}

void files__pin_early(struct files *files, uint32_t file, const struct fair_who *who,
		      uint64_t start, uint64_t end)
{
	size_t before = files->pinned;

	/* the other half is for those that samples hit */
	if (files->early >= FILES_EARLY || !files__may_pin(files) ||
	    files->pinned >= files->max_pinned / 2)
		return;
	files__pin(files, file, who, start, end);
	files->early += files->pinned - before;
}

int files__reopen(const struct files *files, uint32_t file)
{
	const struct entry *e = files__entry(files, file);
	struct mapped_file which;
	int fd;

	if (e && e->key.kind == FILE_JIT)
		return files__open_perf_map(files, &e->file);
	if (!e || e->key.kind != FILE_ELF || e->key.replaced)
		return -1;
	which = mapped_file(e);
	fd = opener__again(files->opener, &which);
	return fd < 0 ? -1 : fd;
}

int files__lend(const struct files *files, uint32_t file, int fd)
{
	const struct file *f = files__get(files, file);

	return opener__lend(files->opener, fd, f ? f->mnt_ns : 0, f ? f->dev : 0);
}

int files__lend_any(const struct files *files, uint32_t file)
{
	const struct file *f = files__get(files, file);
	_cleanup_close_ int again = f && f->fd < 0 ? files__reopen(files, file) : -1;
	int found = f && f->fd >= 0 ? f->fd : again;

	return found < 0 ? -1 : files__lend(files, file, found);
}
