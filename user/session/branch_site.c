// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: a probe makes of an instruction what the file has there. So nothing is probed in
 * memory that isn't the file's any more, nor in a file that a process serves.
 */
#include "session/branch_site.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "opener/opener.h"
#include "render/escape.h"
#include "sys/clock.h"

enum {
	MAPPINGS_MAX = 16384,
	FILES_MAX = 1024, /* that are looked through */
	NOTES_MAX = 4,
	SEARCH_S = 20, /* which all of it may take: hostile files take as long as they like */
	NEAR_S = 2,    /* which names that are near are looked for */
};

/* An executable mapping of a file. */
struct mapping {
	uint64_t start, end, file_off;
	uint64_t dev, inode;
	char *path;
	bool looked, first; /* first: of its file, that was looked into */
};

struct search {
	struct branch_site *ret;
	const struct branch_whom *whom;
	struct site_client *client;
	struct mapping *maps;
	size_t n, cap;
	bool full;
	const struct mapping *taken; /* of the file that has the function */
	size_t n_notes;
	struct buf *notes;
	struct err *err;
};

static void search__done(struct search *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->maps[i].path);
	free(s->maps);
	site_client__free(s->client);
}

static void take_line(void *ctx, const struct map_line *line)
{
	struct search *s = ctx;

	s->full |= s->n == MAPPINGS_MAX;
	if (!line->inode || *line->path != '/' || s->full)
		return;
	GROW(s->maps, s->n, s->cap);
	s->maps[s->n++] = (struct mapping){
		.start = line->start,
		.end = line->end,
		.file_off = line->file_off,
		.dev = makedev(line->dev_major, line->dev_minor),
		.inode = line->inode,
		.path = xstrdup(line->path),
	};
}

static bool is_same_file(const struct mapping *a, const struct mapping *b)
{
	return a->dev == b->dev && a->inode == b->inode;
}

static bool holds(const struct mapping *m, uint64_t address)
{
	return m->start <= address && address < m->end;
}

static bool is_wanted(const struct search *s, const struct mapping *m)
{
	const char *file = s->whom->file;

	return !file || strcmp(m->path, file) == 0 || strcmp(base_name(m->path), file) == 0;
}

static void pass_over(struct search *s, const struct mapping *m, const char *why)
{
	if (++s->n_notes > NOTES_MAX)
		return;
	escape_line(s->notes, m->path);
	buf__printf(s->notes, " was not looked into: %s\n", why);
}

static int refuse_several(const struct search *s, const struct mapping *m)
{
	return err__usage(s->err,
			  "%s: process %d has a function '%s' in %s and in %s: %s says which",
			  s->whom->option, s->whom->pid, s->whom->function, s->ret->path, m->path,
			  s->whom->which);
}

static void take(struct search *s, const struct mapping *m, int found, uint64_t mnt_ns,
		 const struct site_jumps *jumps)
{
	s->taken = m;
	s->ret->fd = found;
	s->ret->mnt_ns = mnt_ns;
	s->ret->path = xstrdup(m->path);
	s->ret->jumps = *jumps;
	if (!s->whom->function && site_client__called(s->client))
		s->ret->called = xstrdup(site_client__called(s->client));
}

/* 1: the function isn't in it. */
static int ask(struct search *s, const struct mapping *m, int found, uint64_t mnt_ns)
{
	_cleanup_close_ int lent = opener__lend(s->whom->opener, found, mnt_ns, 0);
	_cleanup_free_ char *what = xasprintf("%s: %s", s->whom->option, m->path);
	const struct site_function function = {
		.name = s->whom->function,
		.file_off = m->file_off + (s->whom->address - m->start),
		.class = s->whom->class,
	};
	struct site_jumps jumps;
	int r;

	if (lent < 0) {
		pass_over(s, m, strerror(-lent));
		return 1;
	}
	r = site_client__find_jumps(s->client, lent, &function, what, &jumps, s->err);
	if (r < 0 && r != -EINVAL && r != -EOPNOTSUPP) {
		pass_over(s, m,
			  r == -ETIMEDOUT ? "its symbols could not be read in time" :
					    "the helper that reads symbols failed over it");
		return 1;
	}
	if (r)
		return r;
	if (s->ret->fd >= 0) {
		free(jumps.list);
		return refuse_several(s, m);
	}
	take(s, m, found, mnt_ns, &jumps);
	return 0;
}

static int look_into(struct search *s, const struct mapping *m)
{
	const struct mapped_file file = {.inode = m->inode, .dev = m->dev, .path = m->path};
	struct opener_file_id id;
	uint64_t mnt_ns = 0;
	int found = opener__mapped(s->whom->opener, s->whom->pid, m->start, m->end, &file, &mnt_ns);
	int r = found < 0 ? found : opener__which(s->whom->opener, found, mnt_ns, &id);

	if (r < 0 || id.served)
		pass_over(s, m, r < 0 ? strerror(-r) : "a process serves the file (FUSE)");
	r = r < 0 || id.served ? 1 : ask(s, m, found, mnt_ns);
	if (found >= 0 && s->ret->fd != found)
		close(found);
	return r < 0 ? r : 0;
}

static int look_into_all(struct search *s)
{
	const uint64_t until = now_ns() + SEARCH_S * 1000000000ull;
	size_t n_files = 0;
	int r = 0;

	for (size_t i = 0; i < s->n && r == 0; i++) {
		if (s->maps[i].looked)
			continue;
		s->maps[i].first = true;
		for (size_t k = i; k < s->n; k++)
			s->maps[k].looked |= is_same_file(&s->maps[i], &s->maps[k]);
		if (!is_wanted(s, &s->maps[i]))
			continue;
		if (++n_files > FILES_MAX || now_ns() > until) {
			pass_over(s, &s->maps[i],
				  "nor were others behind it: they are too many, or took too long");
			break;
		}
		r = look_into(s, &s->maps[i]);
	}
	return r;
}

static int look_at(struct search *s)
{
	int r;

	for (size_t i = 0; i < s->n; i++) {
		if (!holds(&s->maps[i], s->whom->address))
			continue;
		r = look_into(s, &s->maps[i]);
		return r == 0 && s->ret->fd < 0 ? -ENOENT : r;
	}
	return -ENOENT;
}

static void find_near(const struct search *s, struct nearest *nearest)
{
	const struct branch_whom *w = s->whom;
	const uint64_t until = now_ns() + NEAR_S * 1000000000ull;

	for (size_t i = 0; i < s->n && now_ns() < until; i++) {
		const struct mapping *m = &s->maps[i];
		const struct mapped_file file = {.inode = m->inode, .dev = m->dev, .path = m->path};
		_cleanup_close_ int found = -1, lent = -1;
		uint64_t mnt_ns = 0;

		if (!m->first || !is_wanted(s, m))
			continue;
		found = opener__mapped(w->opener, w->pid, m->start, m->end, &file, &mnt_ns);
		lent = found < 0 ? found : opener__lend(w->opener, found, mnt_ns, 0);
		if (lent >= 0)
			site_client__near(s->client, lent, w->function, nearest);
	}
}

static int refuse_none(const struct search *s)
{
	_cleanup_(nearest__done) struct nearest nearest;
	_cleanup_(buf__done) struct buf near = {0};
	const struct branch_whom *w = s->whom;

	nearest__init(&nearest, w->function);
	for (size_t i = 0; w->file && i <= s->n; i++) {
		if (i == s->n)
			return err__usage(s->err, "%s: process %d has no code of a file '%s'",
					  s->whom->option, w->pid, w->file);
		if (is_wanted(s, &s->maps[i]))
			break;
	}
	find_near(s, &nearest);
	nearest__format(&nearest, &near);
	return err__usage(s->err,
			  "%s: no %s process %d runs has a function '%s' with code of its "
			  "own%s%s: it is spelt otherwise, was inlined everywhere, its symbols "
			  "were stripped, or it is the kernel's",
			  s->whom->option, w->file ? "such file that" : "file that", w->pid,
			  w->function, near.len ? "; nearest: " : "", near.len ? near.data : "");
}

/* Where the whole function lies. */
static int find_addresses(struct search *s)
{
	struct branch_site *ret = s->ret;

	for (size_t i = 0; i < s->n; i++) {
		const struct mapping *m = &s->maps[i];
		uint64_t at = ret->jumps.file_off - m->file_off;

		if (!is_same_file(s->taken, m) || ret->jumps.file_off < m->file_off ||
		    at >= m->end - m->start || ret->jumps.size > m->end - m->start - at)
			continue;
		/* they would be probed as well, whatever is there */
		if (ret->n_addresses == BRANCH_ADDRESSES_MAX)
			return err__cannot(s->err,
					   "%s: process %d has mapped '%s' at more than "
					   "%d addresses",
					   s->whom->option, s->whom->pid, s->whom->function,
					   BRANCH_ADDRESSES_MAX);
		ret->addresses[ret->n_addresses++] = m->start + at;
	}
	if (ret->n_addresses)
		return 0;
	return err__cannot(s->err, "%s: process %d has '%s' of %s not mapped as code as a whole",
			   s->whom->option, s->whom->pid, s->whom->function, ret->path);
}

static int compare(struct search *s)
{
	_cleanup_close_ int memory = opener__memory(s->whom->opener, s->whom->pid);
	struct branch_site *ret = s->ret;
	int r = 1;

	if (memory < 0)
		return err__cannot(s->err, "%s: the memory of process %d can't be read: %s",
				   s->whom->option, s->whom->pid, strerror(-memory));
	for (size_t i = 0; i < ret->n_addresses && r == 1; i++) {
		_cleanup_close_ int lent = opener__lend(s->whom->opener, ret->fd, ret->mnt_ns, 0);

		if (lent < 0)
			return err__set(s->err, lent, "%s: %s can't be read: %s", s->whom->option,
					ret->path, strerror(-lent));
		r = site_client__is_same_code(s->client, lent, memory, &ret->jumps,
					      ret->addresses[i], s->whom->option, s->err);
	}
	if (r)
		return r < 0 ? r : 0;
	return err__cannot(s->err,
			   "%s: process %d has changed the code of '%s' in its memory: it "
			   "isn't what the file has there",
			   s->whom->option, s->whom->pid, s->whom->function);
}

int branch_site__refuse_maps(const struct branch_whom *whom, int r, struct err *err)
{
	if (r == -EACCES || r == -EPERM) {
		err__cannot(err, "%s: what process %d has mapped can't be read: %s; %s",
			    whom->option, whom->pid, strerror(-r),
			    geteuid() == 0 ?
				    "it is protected, and this root has no CAP_SYS_PTRACE over it" :
				    "run as root, or as its user");
		return r;
	}
	return err__set(err, r, "%s: what process %d has mapped can't be read: %s", whom->option,
			whom->pid,
			r == -ETIMEDOUT ? "it doesn't let go of the lock of its memory" :
					  strerror(-r));
}

static int find(struct search *s)
{
	int r = opener__maps(s->whom->opener, s->whom->pid, take_line, s);

	if (r < 0)
		return branch_site__refuse_maps(s->whom, r, s->err);
	r = s->whom->function ? look_into_all(s) : look_at(s);
	if (r == 0 && s->ret->fd < 0)
		r = refuse_none(s);
	if (r == 0)
		r = find_addresses(s);
	return r < 0 ? r : compare(s);
}

int branch_site__find(struct branch_site *ret, const struct branch_whom *whom, struct buf *notes,
		      struct err *err)
{
	_cleanup_(search__done) struct search s = {.ret = ret,
						   .whom = whom,
						   .notes = notes,
						   .err = err};
	struct opener_process process = {.root_fd = -1};

	*ret = (struct branch_site){.fd = -1, .root_fd = -1};
	s.client = site_client__new(NULL);
	if (opener__process(whom->opener, whom->pid, &process) == 0) {
		ret->root_fd = process.root_fd;
		ret->root_mnt_ns = process.root_id.mnt_ns;
	}
	return find(&s);
}

void branch_site__done(struct branch_site *site)
{
	cleanup_close(&site->fd);
	cleanup_close(&site->root_fd);
	free(site->path);
	free(site->called);
	free(site->jumps.list);
}
