// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "proc/files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/mem.h"
#include "opener/opener.h"
#include "pmubpf/budgets.h"
#include "proc/file_numbers.h"
#include "proc/roots.h"
#include "sys/clock.h"
#include "sys/limits.h"
#include "sys/procfs.h"

struct file_key {
	uint64_t inode; /* FILE_JIT: the serial number of the process */
	uint64_t dev;
	uint64_t kind;
	uint64_t replaced; /* 0, or a serial number: its inode is another file's by now */
};

struct entry {
	struct file_key key;
	struct file file;
	struct root *root; /* NULL: ours */
	uint32_t number;
	struct fair_who who; /* met it first */
	uint64_t generation; /* of the inode; 0: not known */
	bool keep;           /* marked for the next sweep */
	bool unused;         /* wasn't marked at the last one */
	bool elsewhere;      /* on a volume that nobody but its programs holds */
	bool let_go;         /* its descriptor is a copy's, or it has none */
	uint64_t copied;     /* bytes */
	uint64_t idle_ns;    /* since when nobody has it mapped; 0: somebody has */
	bool no_file;        /* a device or the like */
	unsigned failures;   /* to open it, of a process that was there */
	uint64_t retry_ns;   /* not before that */
	UT_hash_handle hh;
};

enum {
	SWEEP_AT_LEAST = 1024,
	MAX_PINNED = BUDGET_DESCRIPTORS, /* descriptors, roots among them */
	RESERVED = BUDGET_RESERVED,      /* for helpers, and files that are opened for a moment */
	MAX_EARLY = 1024,                /* pinned for nobody since the last sweep */
	FREE_TRIES = 4,
	RETRY_DOUBLINGS = 8,
};
/* How long nobody has it mapped before it is let go: samples of its last moments are still on
 * their way. */
#define LET_GO_NS 1000000000ULL
#define LET_GO_TURN_NS 50000000ULL /* at a time; others wait for the next */
#define AGE_NS 30000000000ULL      /* what nobody refers to for one to two of these is forgotten */
#define TURN_NS 100000000ULL       /* who has had its share waits for the next */
#define RETRY_NS 50000000ULL       /* the first pause is twice as long, the last 12.8 s */

struct files {
	struct opener *opener;
	struct roots roots;
	uint64_t serials; /* of processes, given out */
	uint64_t file_serials;
	struct entry *by_key;
	struct entry **by_number; /* NULL: nobody's */
	size_t cap;
	struct file_numbers numbers;
	size_t after_sweep;
	uint64_t swept_ns;
	size_t pinned, max_pinned;
	bool max_known;
	size_t early;
	struct fair_room turn; /* files that are looked for, until turn_ns */
	uint64_t turn_ns;
	uint64_t *own_devs; /* of what we run from: those volumes are busy anyway */
	size_t n_own, cap_own;
	uint64_t copied; /* bytes */
};

struct files *files__new(struct opener *opener)
{
	struct files *files = xcalloc(1, sizeof(*files));

	files->opener = opener;
	files->swept_ns = now_ns();
	file_numbers__init(&files->numbers);
	files->turn = (struct fair_room){.limit = BUDGET_OPENING, .few = BUDGET_OPENING_FEW};
	return files;
}

struct opener *files__opener(const struct files *files)
{
	return files->opener;
}

static void files__leave_root(struct files *files, struct entry *e)
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
	fair_room__clear(&files->turn);
	free(files);
	return NULL;
}

static struct entry *find_entry(const struct files *files, const struct file_key *key)
{
	struct entry *e;

	HASH_FIND(hh, files->by_key, key, sizeof(*key), e);
	return e;
}

static struct entry *entry_of(const struct files *files, uint32_t number)
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

/* who: NULL for what has no table in any case. */
static struct entry *files__add(struct files *files, const struct file_key *key, const char *path,
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

uint32_t files__elf(struct files *files, const struct mapped_file *which,
		    const struct fair_who *who)
{
	const struct file_key key = {.inode = which->inode, .dev = which->dev, .kind = FILE_ELF};
	struct entry *e = find_entry(files, &key);

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
	struct entry *e = find_entry(files, &key);

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
	_cleanup_closedir_ DIR *open_now = opendir("/proc/self/fd");
	unsigned long limit = fd_limit(), used = RESERVED;

	while (open_now && readdir(open_now))
		used++;
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

uint64_t files__serial(struct files *files)
{
	return ++files->serials;
}

uint32_t files__jit(struct files *files, pid_t tgid, uint64_t process_serial, uint32_t dump)
{
	const struct file_key key = {.inode = process_serial, .kind = FILE_JIT};
	struct entry *e = find_entry(files, &key);

	if (!e)
		e = files__add(files, &key, "[anon]", NULL);
	e->file.dump = dump;
	if (!e->file.ns_tgid)
		files__learn_process(files, e, tgid);
	return e->number;
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

/* Each look takes the opener and us some 25 us together, and a program may have 65,000 files. */
static bool has_its_turn(struct files *files, const struct fair_who *who)
{
	uint64_t now = now_ns();

	if (now >= files->turn_ns) {
		fair_room__clear(&files->turn);
		files->turn_ns = now + TURN_NS;
	}
	return fair_room__take(&files->turn, who, 1) == FAIR_TAKEN;
}

/* False: later. */
static bool files__look_for(struct files *files, struct entry *e, const struct fair_who *who,
			    uint64_t start, uint64_t end)
{
	pid_t tgid = (pid_t)who->tgid;

	if (e->key.kind == FILE_ELF && !has_its_turn(files, who))
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
	struct entry *e = entry_of(files, file);

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
	if (files->early >= MAX_EARLY || !files__may_pin(files) ||
	    files->pinned >= files->max_pinned / 2)
		return;
	files__pin(files, file, who, start, end);
	files->early += files->pinned - before;
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

void files__let_go(struct files *files, void (*others)(void *ctx, int fd), void *ctx)
{
	uint64_t began = now_ns();
	struct entry *e, *next;

	HASH_ITER(hh, files->by_key, e, next) {
		bool due = may_let_go(e) && e->idle_ns && began - e->idle_ns >= LET_GO_NS;

		if (due && now_ns() - began < LET_GO_TURN_NS) {
			if (e->file.fd >= 0)
				others(ctx, e->file.fd);
			files__let_go_of(files, e);
		}
		e->keep = false;
	}
}

int files__reopen(const struct files *files, uint32_t file)
{
	const struct entry *e = entry_of(files, file);
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

bool files__many(const struct files *files)
{
	return files__known(files) > 2 * files->after_sweep + SWEEP_AT_LEAST ||
	       files->early >= MAX_EARLY / 2;
}

bool files__age_is_due(const struct files *files)
{
	return now_ns() - files->swept_ns >= AGE_NS;
}

void files__keep(struct files *files, uint32_t file)
{
	struct entry *e = entry_of(files, file);

	if (!e)
		return;
	e->keep = true;
	if (e->key.kind == FILE_JIT)
		files__keep(files, e->file.dump);
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
	const struct entry *e = entry_of(files, file);

	return e ? &e->file : NULL;
}

size_t files__count(const struct files *files)
{
	return file_numbers__end(&files->numbers);
}
