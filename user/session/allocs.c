// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Probes of allocators: in each file that a target has mapped and that has functions of these
 * names, at an instruction near their beginning that the kernel carries out itself, and where they
 * return. Each probe is of one process, so nobody else's calls take longer.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "collect/allocs.h"
#include "collect/canary.h"
#include "model/budget.h"
#include "model/duration.h"
#include "opener/opener.h"
#include "session/internal.h"
#include "session/probing.h"
#include "sym/site_client.h"
#include "sys/clock.h"
#include "sys/procfs.h"

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

enum { FILES_MAX = 256 /* of one process that are looked at */ };

/* A file, found; all of it is ours. */
struct found {
	int fd;
	uint64_t mnt_ns;
	char *path;
	pid_t tgid;
};

/* A probe, for when it is put in again. */
struct place {
	const struct found *file;
	enum alloc_kind kind;
	uint64_t file_off;
	bool emulated;
};

struct allocs {
	struct alloc_programs *programs;
	struct probing probing;
	struct probed told;  /* at the last cut */
	uint64_t frees_lost; /* until the last round */
	struct found **files;
	size_t cap_files;
	struct place *places;
	size_t n_places, cap_places;
	struct site_client *client;
	size_t n_files;
};

struct where {
	struct session *s;
	pid_t tgid;
	struct opener_file_id seen[FILES_MAX];
	size_t n_seen;
};

static int put_in(struct session *s, const struct place *p)
{
	const struct found *file = p->file;
	int fd = opener__uprobe(s->opts->opener, file->fd, file->mnt_ns, p->file_off, 0, file->tgid,
				0);

	return fd < 0 ? fd : alloc_programs__attach(s->allocs->programs, p->kind, p->emulated, fd);
}

static bool is_exit(enum alloc_kind kind)
{
	return kind == ALLOC_EXIT || kind == ALLOC_CLEARING;
}

/* Names share functions (new[] is new), and functions end in the same one. */
static bool is_placed(const struct allocs *a, const struct place *p)
{
	for (size_t i = 0; i < a->n_places; i++) {
		const struct place *other = &a->places[i];

		if (other->file == p->file && other->file_off == p->file_off &&
		    is_exit(other->kind) == is_exit(p->kind))
			return true;
	}
	return false;
}

static int attach(struct session *s, const struct found *file, enum alloc_kind kind,
		  const struct site *site)
{
	struct allocs *a = s->allocs;
	const struct place place = {file, kind, site->file_off, site->emulated};
	int r;

	if (is_placed(a, &place))
		return 0;
	r = put_in(s, &place);
	if (r < 0)
		return r;
	GROW(a->places, a->n_places, a->cap_places);
	a->places[a->n_places++] = place;
	return 0;
}

static void note(struct session *s, const struct found *file, const char *function, const char *why)
{
	buf__printf(&s->result->notes, "--alloc: no probe of %s in %s: %s\n", function, file->path,
		    why);
}

/* Its exits first, or calls would begin that end unseen. */
static int probe_call(struct session *s, const struct found *file, enum alloc_kind kind,
		      const struct site *sites, size_t n)
{
	size_t known = 0;
	int r = 0;

	for (size_t i = 1; r == 0 && i < n; i++) {
		bool jumps = sites[i].emulated;

		/* what jumps elsewhere has no result yet, but for calloc that ends in memset */
		if (jumps && kind != ALLOC_CALLOC)
			continue;
		r = attach(s, file, jumps ? ALLOC_CLEARING : ALLOC_EXIT, &sites[i]);
		known++;
	}
	return r == 0 && known ? attach(s, file, kind, &sites[0]) : r;
}

/* 1: it is probed; 0: it isn't there, or can't be. */
static int probe_function(struct session *s, const struct found *file,
			  const struct alloc_function *f)
{
	_cleanup_close_ int lent = opener__lend(s->opts->opener, file->fd, file->mnt_ns, 0);
	struct site sites[SITES_MAX];
	struct err why = {0};
	size_t n;
	int r;

	if (lent < 0)
		return 0;
	r = site_client__find_returns(s->allocs->client, lent, f->name, f->arguments, file->path,
				      sites, &n, &why);
	if (r < 0)
		return 0;
	r = f->kind == ALLOC_FREE ? attach(s, file, f->kind, &sites[0]) :
				    probe_call(s, file, f->kind, sites, n);
	if (r < 0)
		note(s, file, f->name,
		     r == -OPENER_SERVED ? "a process serves the file (FUSE)" : strerror(-r));
	return r == 0;
}

static void found_free(struct found *file)
{
	cleanup_close(&file->fd);
	free(file->path);
	free(file);
}

/* Without free, what is known of blocks would not end. */
static void probe_file(struct session *s, struct found *file)
{
	struct allocs *a = s->allocs;

	if (!probe_function(s, file, &functions[0])) {
		found_free(file);
		return;
	}
	GROW(a->files, a->n_files, a->cap_files);
	a->files[a->n_files++] = file;
	for (size_t i = 1; i < ARRAY_SIZE(functions); i++)
		probe_function(s, file, &functions[i]);
}

static bool is_new(struct where *w, const struct opener_file_id *id)
{
	for (size_t i = 0; i < w->n_seen; i++) {
		if (memcmp(&w->seen[i], id, sizeof(*id)) == 0)
			return false;
	}
	if (w->n_seen == FILES_MAX)
		return false;
	w->seen[w->n_seen++] = *id;
	return true;
}

static void look_at(struct where *w, int fd, uint64_t mnt_ns, const char *path)
{
	struct opener_file_id id;
	struct found *file;

	if (fd < 0 || opener__which(w->s->opts->opener, fd, mnt_ns, &id) < 0 || !is_new(w, &id))
		return;
	file = xcalloc(1, sizeof(*file));
	*file = (struct found){fcntl(fd, F_DUPFD_CLOEXEC, 0), mnt_ns, xstrdup(path), w->tgid};
	probe_file(w->s, file);
}

struct lines {
	struct map_line *list;
	size_t n, cap;
};

static void keep_line(void *ctx, const struct map_line *line)
{
	struct lines *lines = ctx;

	if (!line->inode || lines->n == FILES_MAX)
		return;
	GROW(lines->list, lines->n, lines->cap);
	lines->list[lines->n] = *line;
	lines->list[lines->n++].path = xstrdup(line->path);
}

static void look_at_mapped(struct where *w)
{
	struct opener *o = w->s->opts->opener;
	struct lines lines = {0};

	opener__maps(o, w->tgid, keep_line, &lines);
	for (size_t i = 0; i < lines.n; i++) {
		const struct map_line *line = &lines.list[i];
		const struct mapped_file file = {.inode = line->inode, .path = line->path};
		uint64_t mnt_ns = 0;
		_cleanup_close_ int fd =
			opener__mapped(o, w->tgid, line->start, line->end, &file, &mnt_ns);

		look_at(w, fd, mnt_ns, line->path);
		free((char *)line->path);
	}
	free(lines.list);
}

static void look_at_path(struct where *w, const char *path)
{
	_cleanup_close_ int fd = path ? opener__path(w->s->opts->opener, -1, 0, 0, path) : -ENOENT;

	look_at(w, fd, 0, path);
}

/* What a command will map isn't known before it runs: its own file, what is loaded before all
 * else, and the C library that we have, too. */
static void look_at_command(struct where *w)
{
	_cleanup_free_ char *exe = command__file(w->s->opts->whom.command[0]);
	const char *env = getenv("LD_PRELOAD");
	_cleanup_free_ char *preloaded = env ? xstrdup(env) : NULL;
	char *rest = preloaded;
	Dl_info libc;

	look_at_path(w, exe);
	for (char *path; (path = strsep(&rest, " :"));) {
		if (*path == '/')
			look_at_path(w, path);
	}
	if (dladdr((void *)(uintptr_t)malloc, &libc))
		look_at_path(w, libc.dli_fname);
}

static void look_at_process(struct session *s, pid_t tgid, bool is_command)
{
	struct where *w = xcalloc(1, sizeof(*w));

	w->s = s;
	w->tgid = tgid;
	if (is_command)
		look_at_command(w);
	else
		look_at_mapped(w);
	free(w);
}

static int load(struct session *s, struct err *err)
{
	const struct pmb_config config = {
		.user_mask = s->user_mask,
		.filter = target__filter(&s->opts->whom),
		.max_frames = SITE_FRAMES + 4,
		.pidns = procfs_nested_pid_namespace(),
		.by_table = s->opts->want_user && s->opts->by_table,
		/* half of what overflows' programs have: copies of stacks leave them room */
		.ring_wake = (uint32_t)(s->ring_bytes / 8),
	};

	return alloc_programs__load(&s->allocs->programs, s->programs, &config, err);
}

static void put_note(struct session *s)
{
	const struct allocs *a = s->allocs;
	char emulated[DURATION_TEXT], stepped[DURATION_TEXT];

	duration_text(a->probing.each.emulated_ns, emulated);
	duration_text(a->probing.each.stepped_ns, stepped);
	buf__printf(&s->result->notes,
		    "--alloc: %zu probes in %zu file%s; each call of an allocator takes about %s "
		    "longer, and %s where it returns, as a child of our own had it\n",
		    a->n_places, a->n_files, a->n_files == 1 ? "" : "s", emulated, stepped);
}

int session__allocs_open(struct session *s, struct err *err)
{
	const struct target *whom = &s->opts->whom;
	bool is_command = target__is_command(whom);
	int r;

	if (!is_command && !whom->n_pids)
		return err__usage(err, "--alloc: it takes a command, or processes (-p): each is "
				       "probed by itself");
	s->allocs = xcalloc(1, sizeof(*s->allocs));
	r = canary__try(&s->allocs->probing.each, false, "--alloc", err);
	if (r == 0)
		r = load(s, err);
	if (r < 0)
		return r;
	s->allocs->client = site_client__new(NULL);
	if (is_command)
		look_at_process(s, s->command.pid, true);
	for (size_t i = 0; !is_command && i < whom->n_pids; i++)
		look_at_process(s, whom->pids[i], false);
	s->allocs->client = site_client__free(s->allocs->client);
	if (!s->allocs->n_places)
		return err__cannot(err,
				   "--alloc: no allocator was found that can be probed: malloc "
				   "and free, by their symbols");
	put_note(s);
	return 0;
}

static int hits(void *session, struct probe_hits *ret)
{
	struct session *s = session;
	struct pmb_alloc_stats now;
	int r = alloc_programs__stats(s->allocs->programs, &now);

	*ret = (struct probe_hits){now.entries, now.exits, now.timed, now.timed_ns};
	return r;
}

/* Frees are not seen from now on, so nothing is known any more. */
static int take_out(void *session)
{
	struct session *s = session;

	assembly__forget_blocks(&s->assembly, now_ns());
	return alloc_programs__detach(s->allocs->programs, s->opts->opener);
}

/* Some of the processes may have gone. */
static int put_in_again(void *session, struct err *err)
{
	struct session *s = session;
	struct allocs *a = s->allocs;

	(void)err;
	for (size_t i = 0; i < a->n_places; i++) {
		session__attend(s);
		if (put_in(s, &a->places[i]) < 0)
			break;
	}
	return 0;
}

static const struct probing_fns probing = {hits, take_out, put_in_again};

void session__allocs_begin(struct session *s)
{
	struct allocs *a = s->allocs;

	if (!a)
		return;
	a->probing.fns = &probing;
	a->probing.ctx = s;
	a->probing.notes = &s->result->notes;
	/* tables are being built until then, and stacks travel as copies */
	probing__begin(&a->probing, s->opts->budget / 100 * s->cpus->n, BUDGET_SETTLING_NS,
		       s->start_ns);
}

void session__allocs_round(struct session *s)
{
	struct allocs *a = s->allocs;
	struct pmb_alloc_stats now;

	if (!a || alloc_programs__stats(a->programs, &now) < 0)
		return;
	if (now.frees_lost > a->frees_lost) /* it may be somebody else's by now */
		assembly__forget_blocks(&s->assembly, now_ns());
	a->frees_lost = now.frees_lost;
	probing__look(&a->probing, now_ns());
}

void session__allocs_close(struct session *s, struct ledger *ledger)
{
	struct pmb_alloc_stats now;

	if (!s->allocs || alloc_programs__stats(s->allocs->programs, &now) < 0)
		return;
	ledger->allocs.asked = true;
	ledger->allocs.kernel = now;
	alloc_stats__take(&ledger->allocs.kernel, &s->told.allocs);
	s->told.allocs = now;
	ledger->allocs.probed = probing__part(&s->allocs->probing, &s->allocs->told);
}

void session__allocs_free(struct session *s)
{
	if (!s->allocs)
		return;
	site_client__free(s->allocs->client);
	if (s->allocs->programs)
		alloc_programs__detach(s->allocs->programs, s->opts->opener);
	alloc_programs__free(s->allocs->programs);
	while (s->allocs->n_files)
		found_free(s->allocs->files[--s->allocs->n_files]);
	free(s->allocs->files);
	free(s->allocs->places);
	free(s->allocs);
	s->allocs = NULL;
}
