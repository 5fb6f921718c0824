// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "proc/files.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/mem.h"
#include "sys/clock.h"
#include "sys/limits.h"
#include "sys/open.h"
#include "sys/procfs.h"

struct file_key {
	uint64_t inode; /* FILE_JIT: the serial number of the process */
	uint32_t dev_major, dev_minor;
	uint64_t kind;
	uint64_t replaced; /* 0, or a serial number: its inode is another file's by now */
};

struct entry {
	struct file_key key;
	struct file file;
	uint32_t number;
	uint64_t generation; /* of the inode; 0: not known */
	bool keep;           /* marked for the next sweep */
	unsigned failures;   /* to open it, of a process that was there */
	uint64_t retry_ns;   /* not before that */
	UT_hash_handle hh;
};

enum {
	SWEEP_AT_LEAST = 1024,
	/* Twice as many descriptors, if each has a root of its own. */
	MAX_PINNED = 8192,
	MAX_EARLY = 1024, /* pinned for nobody since the last sweep */
	FREE_TRIES = 4,
	RETRY_DOUBLINGS = 8,
};
#define RETRY_NS 50000000ULL /* the first pause is twice as long, the last 12.8 s */

struct files {
	uint64_t serials; /* of processes, given out */
	struct entry *by_key;
	struct entry **by_number; /* NULL: [0], and numbers to be used again */
	size_t n, cap;
	uint32_t *spare;
	size_t n_spare, cap_spare;
	size_t after_sweep;
	size_t pinned, max_pinned;
	size_t early;
};

struct files *files__new(void)
{
	struct files *files = xcalloc(1, sizeof(*files));

	GROW(files->by_number, files->n, files->cap);
	files->by_number[files->n++] = NULL;
	return files;
}

static void files__remove(struct files *files, struct entry *e)
{
	HASH_DEL(files->by_key, e);
	files->by_number[e->number] = NULL;
	files->pinned -= e->file.fd >= 0;
	free(e->file.path);
	cleanup_close(&e->file.fd);
	cleanup_close(&e->file.root_fd);
	free(e);
}

struct files *files__free(struct files *files)
{
	struct entry *e, *next;

	if (!files)
		return NULL;
	HASH_ITER(hh, files->by_key, e, next)
		files__remove(files, e);
	free(files->by_number);
	free(files->spare);
	free(files);
	return NULL;
}

static struct entry *files__entry(struct files *files, const struct file_key *key, const char *path)
{
	struct entry *e;

	HASH_FIND(hh, files->by_key, key, sizeof(*key), e);
	if (e)
		return e;
	e = xcalloc(1, sizeof(*e));
	e->key = *key;
	e->number = files->n_spare ? files->spare[--files->n_spare] : (uint32_t)files->n;
	e->file = (struct file){.kind = (enum file_kind)key->kind, .fd = -1, .root_fd = -1};
	e->file.path = xstrdup(path);
	HASH_ADD(hh, files->by_key, key, sizeof(e->key), e);
	if (e->number == files->n) {
		GROW(files->by_number, files->n, files->cap);
		files->n++;
	}
	files->by_number[e->number] = e;
	return e;
}

uint32_t files__elf(struct files *files, uint32_t dev_major, uint32_t dev_minor, uint64_t inode,
		    const char *path)
{
	return files__elf_of(files, dev_major, dev_minor, inode, 0, path);
}

/* What refers to it keeps its number; the key is the new file's. */
static void files__replace(struct files *files, struct entry *e)
{
	HASH_DEL(files->by_key, e);
	e->key.replaced = files__serial(files);
	HASH_ADD(hh, files->by_key, key, sizeof(e->key), e);
}

uint32_t files__elf_of(struct files *files, uint32_t dev_major, uint32_t dev_minor, uint64_t inode,
		       uint64_t generation, const char *path)
{
	struct file_key key = {inode, dev_major, dev_minor, FILE_ELF, 0};
	struct entry *e = files__entry(files, &key, path);

	if (generation && e->generation && generation != e->generation) {
		files__replace(files, e);
		e = files__entry(files, &key, path);
	}
	if (generation)
		e->generation = generation;
	return e->number;
}

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
	struct file_key key = {.kind = FILE_VDSO};
	struct entry *e = files__entry(files, &key, "[vdso]");

	if (!e->file.tried)
		e->file.fd = vdso_fd();
	files->pinned += !e->file.tried && e->file.fd >= 0;
	e->file.tried = true;
	return e->number;
}

static bool same_mount_namespace(pid_t tgid)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/ns/mnt", tgid);
	struct stat ours, theirs;

	return stat("/proc/self/ns/mnt", &ours) < 0 || stat(path, &theirs) < 0 ||
	       ours.st_ino == theirs.st_ino;
}

static bool is_our_root(int root_fd, pid_t tgid)
{
	struct stat ours, theirs;

	return fstat(root_fd, &theirs) == 0 && stat("/", &ours) == 0 &&
	       ours.st_ino == theirs.st_ino && ours.st_dev == theirs.st_dev &&
	       same_mount_namespace(tgid);
}

/* Who it is and what it sees as its root: asked while it lives, used when it may be gone. */
static void learn_process(struct file *file, pid_t tgid)
{
	_cleanup_close_ int root = open_root_of(tgid);
	struct proc_status status;

	if (root < 0 || procfs_status(tgid, &status) < 0)
		return;
	file->ns_tgid = status.ns_tgid;
	file->uid = status.euid;
	cleanup_close(&file->root_fd);
	file->root_fd = is_our_root(root, tgid) ? -1 : TAKE_FD(root);
}

uint64_t files__serial(struct files *files)
{
	return ++files->serials;
}

uint32_t files__jit(struct files *files, pid_t tgid, uint64_t process_serial, uint32_t dump)
{
	struct file_key key = {.inode = process_serial, .kind = FILE_JIT};
	struct entry *e = files__entry(files, &key, "[anon]");

	e->file.dump = dump;
	if (!e->file.ns_tgid)
		learn_process(&e->file, tgid);
	return e->number;
}

/* Regular, and the inode that was mapped. The device may differ: overlayfs and btrfs report one in
 * mappings and another in stat. Not all filesystems tell the generation. */
static bool is_mapped_file(int fd, const struct entry *e)
{
	struct stat st;
	int generation;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_ino != e->key.inode ||
	    e->key.replaced)
		return false;
	return !e->generation || ioctl(fd, FS_IOC_GETVERSION, &generation) < 0 ||
	       (uint32_t)generation == (uint32_t)e->generation;
}

static int open_perf_map(const struct file *file)
{
	_cleanup_free_ char *path = xasprintf("/tmp/perf-%d.map", file->ns_tgid);

	return file->ns_tgid ? open_owned(file->root_fd, path, file->uid) : -ENOENT;
}

/* A JIT may write its map later, so it is looked for again, but not at each of a million frames. */
static void pin_perf_map(struct file *file, pid_t tgid)
{
	file->tries++;
	if (file->tries & (file->tries - 1))
		return;
	learn_process(file, tgid); /* it may have become another user since */
	file->fd = open_perf_map(file);
	if (file->fd < 0)
		file->fd = -1;
}

/*
 * map_files is the very inode, whatever became of its name; it wants CAP_SYS_ADMIN or
 * CAP_CHECKPOINT_RESTORE. Then the name as the program sees it, and if it has gone, as we see it: but the name is the
 * program's choice, and an automounter of ours would follow it anywhere.
 */
static int open_mapped(const struct entry *e, int root, pid_t tgid, uint64_t start, uint64_t end)
{
	_cleanup_close_ int fd = open_mapping(tgid, start, end);

	if (fd >= 0 && is_mapped_file(fd, e))
		return TAKE_FD(fd);
	cleanup_close(&fd);
	fd = root >= 0 && !same_mount_namespace(tgid) ? open_regular(root, e->file.path) :
							open_at_hand(e->file.path);
	return fd >= 0 && is_mapped_file(fd, e) ? TAKE_FD(fd) : -1;
}

static void pin_elf(struct entry *e, pid_t tgid, uint64_t start, uint64_t end)
{
	_cleanup_close_ int root = open_root_of(tgid);

	e->file.fd = open_mapped(e, root, tgid, start, end);
	if (e->file.fd >= 0 && root >= 0 && e->file.root_fd < 0 && !same_mount_namespace(tgid))
		e->file.root_fd = TAKE_FD(root);
}

/* Half of what the limit allows, for counters, helpers and whatever else need some, too. */
static bool files__may_pin(struct files *files)
{
	if (!files->max_pinned) {
		unsigned long share = fd_limit() / 4;

		files->max_pinned = share < MAX_PINNED ? share : MAX_PINNED;
	}
	return files->pinned < files->max_pinned;
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

void files__pin(struct files *files, uint32_t file, pid_t tgid, uint64_t start, uint64_t end)
{
	struct entry *e = file && file < files->n ? files->by_number[file] : NULL;

	if (!e || e->file.fd >= 0 || !files__may_pin(files) ||
	    (e->retry_ns && now_ns() < e->retry_ns))
		return;
	/* another process that has it mapped may still be alive: it is tried again */
	if (e->file.tried && e->key.kind == FILE_ELF && !procfs_task_exists(tgid))
		return;
	e->file.tried = true;
	if (e->key.kind == FILE_ELF)
		pin_elf(e, tgid, start, end);
	else if (e->key.kind == FILE_JIT)
		pin_perf_map(&e->file, tgid);
	if (e->key.kind == FILE_ELF && e->file.fd < 0)
		try_later(e);
	files->pinned += e->file.fd >= 0;
}

void files__pin_early(struct files *files, uint32_t file, pid_t tgid, uint64_t start, uint64_t end)
{
	size_t before = files->pinned;

	/* the other half is for those that samples hit */
	if (files->early >= MAX_EARLY || !files__may_pin(files) ||
	    files->pinned >= files->max_pinned / 2)
		return;
	files__pin(files, file, tgid, start, end);
	files->early += files->pinned - before;
}

int files__reopen(const struct files *files, uint32_t file)
{
	const struct entry *e = file && file < files->n ? files->by_number[file] : NULL;
	_cleanup_close_ int fd = -1;

	if (e && e->key.kind == FILE_JIT)
		return open_perf_map(&e->file);
	if (!e || e->key.kind != FILE_ELF)
		return -1;
	fd = open_at_hand(e->file.path);
	return fd >= 0 && is_mapped_file(fd, e) ? TAKE_FD(fd) : -1;
}

bool files__many(const struct files *files)
{
	return files__known(files) > 2 * files->after_sweep + SWEEP_AT_LEAST ||
	       files->early >= MAX_EARLY / 2;
}

void files__keep(struct files *files, uint32_t file)
{
	struct entry *e = file && file < files->n ? files->by_number[file] : NULL;

	if (!e)
		return;
	e->keep = true;
	if (e->key.kind == FILE_JIT)
		files__keep(files, e->file.dump);
}

void files__sweep(struct files *files)
{
	struct entry *e, *next;

	HASH_ITER(hh, files->by_key, e, next) {
		if (!e->keep) {
			GROW(files->spare, files->n_spare, files->cap_spare);
			files->spare[files->n_spare++] = e->number;
			files__remove(files, e);
			continue;
		}
		e->keep = false;
	}
	files->after_sweep = files__known(files);
	files->early = 0;
}

size_t files__known(const struct files *files)
{
	return HASH_COUNT(files->by_key);
}

const struct file *files__get(const struct files *files, uint32_t file)
{
	return file && file < files->n && files->by_number[file] ? &files->by_number[file]->file :
								   NULL;
}

size_t files__count(const struct files *files)
{
	return files->n;
}
