// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "proc/processes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/cleanup.h"
#include "base/fair_room.h"
#include "base/mem.h"
#include "opener/opener.h"
#include "pmubpf/budgets.h"
#include "proc/processes_internal.h"
#include "sys/clock.h"
#include "sys/procfs.h"

/* Who has exited and is still there may be so for days (nobody reaps it, or its other threads go
 * on), and there may be thousands of them: each is looked for less and less often. */
#define LOOK_FIRST_NS 100000000ULL
#define LOOK_MOST_NS 30000000000ULL

/* Where records are lost all the time, a process is read again at this distance, and twice that
 * each time, and all of them together take a quarter of the time. */
#define AGAIN_FIRST_NS 20000000ULL
#define AGAIN_MOST_NS 1000000000ULL
#define AGAIN_REST 3

/* How often exits whose records were lost are looked for, where processes are few. */
#define SEARCH_NS 30000000000ULL

enum {
	/* Fewer are not worth a look. */
	GATHERED_MAPPINGS = 1024,
	LOST_EXITS = 4096,
};

struct processes *processes__new(struct files *files)
{
	struct processes *all = xcalloc(1, sizeof(*all));

	all->files = files;
	all->turn.room = (struct fair_room){.limit = BUDGET_READING, .few = 1};
	return all;
}

static void processes__remove(struct processes *all, struct process *p)
{
	HASH_DEL(all->by_tgid, p);
	mappings__unref(p->maps);
	mappings__unref(p->fresh);
	free(p);
}

struct processes *processes__free(struct processes *all)
{
	struct process *p, *next;

	if (!all)
		return NULL;
	HASH_ITER(hh, all->by_tgid, p, next)
		processes__remove(all, p);
	fair_room__clear(&all->turn.room);
	free(all);
	return NULL;
}

static struct process *processes__find(struct processes *all, uint32_t tgid)
{
	struct process *p;

	HASH_FIND(hh, all->by_tgid, &tgid, sizeof(tgid), p);
	return p;
}

static struct process *processes__find_or_add(struct processes *all, uint32_t tgid)
{
	struct process *p = processes__find(all, tgid);

	if (p)
		return p;
	p = xcalloc(1, sizeof(*p));
	p->tgid = tgid;
	p->serial = files__serial(all->files);
	p->generation = ++all->generations;
	HASH_ADD(hh, all->by_tgid, tgid, sizeof(p->tgid), p);
	return p;
}

static bool is_anonymous(const char *path)
{
	static const char *const prefixes[] = {"[",     "//anon", "/dev/zero", "/anon_hugepage",
					       "/SYSV", "/memfd:"};

	if (!path[0])
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		if (strncmp(path, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	}
	return false;
}

/* jit-PID.dump. That it is mapped executable is how a JIT tells perf about it. */
static bool is_jitdump(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t digits;

	if (strncmp(name, "jit-", 4) != 0)
		return false;
	digits = strspn(name + 4, "0123456789");
	return digits && strcmp(name + 4 + digits, ".dump") == 0;
}

void process__found_jit(struct processes *all, struct process *p)
{
	if (!p->jit_file)
		p->jit_file = files__jit(all->files, (pid_t)p->tgid, p->serial, p->jit_dump);
}

/* Opened now: the mapping, or its process, may be gone when a sample is looked at. */
static void process__found_jitdump(struct processes *all, struct process *p,
				   const struct mapping *m)
{
	const struct fair_who who = process__who(p);

	p->jit_dump = m->file;
	p->jit_file = files__jit(all->files, (pid_t)p->tgid, p->serial, p->jit_dump);
	files__pin(all->files, m->file, &who, m->start, m->end);
}

/* /proc was read after it, or the program has mapped again what it had unmapped. */
static bool is_mapped_already(const struct mappings *maps, const struct mapping *m)
{
	const struct mapping *now = mappings__find(maps, m->start);

	return now && now->start == m->start && now->end == m->end &&
	       now->file_off == m->file_off && now->file == m->file;
}

static void process__map(struct processes *all, struct process *p, uint64_t start, uint64_t end,
			 uint64_t file_off, const struct mapped_file *which)
{
	const struct fair_who who = process__who(p);
	const char *path = which->path;
	struct mapping m = {.start = start, .end = end, .file_off = file_off};

	if (strcmp(path, "[vsyscall]") == 0)
		return; /* no JIT's, for whose perf map each program would be asked */
	if (strcmp(path, "[vdso]") == 0) {
		m.file = files__vdso(all->files);
		m.file_off = 0;
	} else if (!is_anonymous(path)) {
		m.file = files__elf(all->files, which, &who);
		if (is_jitdump(path))
			process__found_jitdump(all, p, &m);
	} else if (strcmp(path, "[uprobes]") == 0) {
		m.uprobes = true;
		m.start--; /* trampolines stand at its start, and return addresses are looked up
			    * by the byte before */
	} else {
		process__found_jit(all, p); /* now, while it is there */
	}
	if (is_mapped_already(p->maps, &m))
		return; /* the same generation: the kernel side needn't be told again */
	p->maps = mappings__add(p->maps, &m);
	p->generation = ++all->generations;
}

static void process__snapshot(struct processes *all, struct process *p, uint32_t from_tgid,
			      uint64_t now);

/* munmap leaves no record, so one that maps and unmaps code all the time gathers mappings without
 * end: now and then /proc tells which of them are left. */
static void process__check_gathered(struct processes *all, struct process *p)
{
	if (mappings__count(p->maps) < 2 * p->maps_read + GATHERED_MAPPINGS ||
	    !procfs_task_exists((pid_t)p->tgid))
		return;
	p->maps = mappings__unref(p->maps);
	process__snapshot(all, p, p->tgid, now_ns());
	p->maps_read = mappings__count(p->maps);
}

struct snapshot_ctx {
	struct processes *all;
	struct process *p;
};

static void snapshot_line(void *ctx, const struct map_line *line)
{
	struct snapshot_ctx *s = ctx;

	process__map(s->all, s->p, line->start, line->end, line->file_off,
		     &(struct mapped_file){.inode = line->inode,
					   .dev = makedev(line->dev_major, line->dev_minor),
					   .path = line->path});
}

static void process__snapshot(struct processes *all, struct process *p, uint32_t from_tgid,
			      uint64_t now)
{
	struct snapshot_ctx ctx = {all, p};

	p->snapshot_time = now;
	opener__maps(files__opener(all->files), (pid_t)from_tgid, snapshot_line, &ctx);
}

/* A child has what is wrong about its parent. */
static uint64_t known_since(struct processes *all, const struct life *life)
{
	const struct process *parent =
		life->kind == LIFE_FORK ? processes__find(all, life->parent_tgid) : NULL;

	return parent && parent->known_time < life->time ? parent->known_time : life->time;
}

void processes__life_arrived(struct processes *all, const struct life *life)
{
	struct process *p;

	if (life->kind == LIFE_EXEC ||
	    (life->kind == LIFE_FORK && life->tgid != life->parent_tgid)) {
		p = processes__find_or_add(all, life->tgid);
		if (life->kind == LIFE_FORK)
			p->cgroup = processes__cgroup(all, life->parent_tgid);
		if (!p->covered_from) {
			p->covered_from = life->time;
			p->known_time = known_since(all, life);
		}
		if (life->kind == LIFE_EXEC && life->time > p->exec_arrived)
			p->exec_arrived = life->time;
	}
}

static struct mapped_file mapped_by(const struct life *life)
{
	return (struct mapped_file){life->inode, life->inode_generation,
				    makedev(life->dev_major, life->dev_minor), life->path};
}

uint32_t processes__file_of(const struct processes *all, const struct life *life)
{
	const struct mapped_file which = mapped_by(life);

	return files__known_as(all->files, &which);
}

void processes__pin_early(struct processes *all, const struct life *life)
{
	const struct fair_who who = {life->tgid, processes__cgroup(all, life->tgid)};
	const struct mapped_file which = mapped_by(life);
	uint32_t file;

	if (life->kind != LIFE_MMAP || !life->inode || is_anonymous(life->path))
		return;
	file = files__elf(all->files, &which, &who);
	files__pin_early(all->files, file, &who, life->start, life->end);
}

void processes__records_lost(struct processes *all, uint64_t time)
{
	if (time > all->lost_time)
		all->lost_time = time;
}

void processes__record_refused(struct processes *all, const struct life *life)
{
	struct process *p = processes__find(all, life->tgid);

	if (p)
		p->known_time = 0;
	processes__records_lost(all, 1);
}

/* What it has mapped now, without a word about what it had. */
static struct mappings *process__read(struct processes *all, const struct process *p)
{
	struct process now = {.tgid = p->tgid,
			      .serial = p->serial,
			      .cgroup = p->cgroup,
			      .jit_file = p->jit_file};

	process__snapshot(all, &now, now.tgid, 0);
	return now.maps;
}

/* An exec that isn't known is what may have been lost: samples that came before this one are still
 * the old program's. */
static void process__read_again(struct processes *all, struct process *p, uint64_t sampled,
				uint64_t now)
{
	uint64_t began = now_ns(), took;

	mappings__unref(p->fresh);
	p->fresh = process__read(all, p);
	p->fresh_from = sampled;
	p->fresh_time = p->known_time = now;
	took = now_ns() - began;
	all->again_from = now + took + AGAIN_REST * took;
	p->again_wait = p->again_wait ? 2 * p->again_wait : AGAIN_FIRST_NS;
	if (p->again_wait > AGAIN_MOST_NS)
		p->again_wait = AGAIN_MOST_NS;
	p->again_from = now + p->again_wait;
	if (mappings__equal(p->fresh, p->maps))
		p->fresh = mappings__unref(p->fresh);
}

/* Who has no turn is read at a later sample. */
static void process__read_first(struct processes *all, struct process *p, uint64_t now)
{
	const struct fair_who who = process__who(p);

	if (!fair_turn__has(&all->turn, &who, now))
		return;
	p->known_time = now;
	process__snapshot(all, p, p->tgid, now);
}

uint64_t processes__cgroup(struct processes *all, uint32_t tgid)
{
	const struct process *p = processes__find(all, tgid);

	return p ? p->cgroup : 0;
}

void processes__sample_arrived(struct processes *all, uint32_t tgid, uint64_t cgroup, uint64_t time,
			       uint64_t now)
{
	struct process *p;

	if (!tgid)
		return;
	p = processes__find_or_add(all, tgid);
	p->cgroup = cgroup;
	if (!p->snapshot_time && !p->covered_from) {
		process__read_first(all, p, now);
	} else if (p->known_time < all->lost_time && now >= all->again_from &&
		   now >= p->again_from) {
		process__read_again(all, p, time, now);
	}
}

/* What was read again takes the place of what is known, from a moment on. Not before an exec that
 * happened between that moment and the reading. */
static void process__refresh(struct processes *all, struct process *p, uint64_t time)
{
	if (!p->fresh || time < p->fresh_from ||
	    (time < p->exec_arrived && p->exec_arrived <= p->fresh_time))
		return;
	mappings__unref(p->maps);
	p->maps = TAKE_PTR(p->fresh);
	p->generation = ++all->generations;
}

/* Another program: it is known since then, or since what was read of it in advance. */
static void process__forget_fresh(struct process *p, uint64_t time, uint64_t known)
{
	if (p->fresh_time < time) {
		p->fresh = mappings__unref(p->fresh);
		p->known_time = known;
		p->again_from = p->again_wait = 0;
	}
}

static void process__forget_maps(struct processes *all, struct process *p)
{
	p->maps = mappings__unref(p->maps);
	p->maps_read = p->code_left = p->code_waits = 0;
	p->snapshot_time = 0;
	p->jit_file = p->jit_dump = 0;
	p->serial = files__serial(all->files);
	p->generation = ++all->generations;
}

static void processes__fork(struct processes *all, const struct life *life)
{
	struct process *child, *parent;

	if (life->tgid == life->parent_tgid)
		return;
	child = processes__find_or_add(all, life->tgid);
	process__forget_maps(all, child);
	process__forget_fresh(child, life->time, known_since(all, life));
	all->n_exited -= child->exit_time != 0;
	child->exit_time = 0;
	child->covered_from = life->time;
	child->parent_tgid = life->parent_tgid;
	parent = processes__find(all, life->parent_tgid);
	if (parent)
		child->maps = mappings__ref(parent->maps);
	child->jit_dump = parent ? parent->jit_dump : 0;
}

void processes__life(struct processes *all, const struct life *life)
{
	struct mapped_file which;
	struct process *p;

	switch (life->kind) {
	case LIFE_FORK:
		processes__fork(all, life);
		return;
	case LIFE_EXEC:
		p = processes__find_or_add(all, life->tgid);
		process__forget_maps(all, p);
		process__forget_fresh(p, life->time, life->time);
		all->n_exited -= p->exit_time !=
				 0; /* the leader's, whose place a thread has taken */
		p->exit_time = 0;
		p->covered_from = life->time;
		p->parent_tgid = 0; /* its mappings are no longer ours */
		p->starting = true;
		return;
	case LIFE_MMAP:
		p = processes__find(all, life->tgid);
		if (!p)
			return; /* nobody asked yet, and /proc will tell */
		process__refresh(all, p, life->time);
		which = mapped_by(life);
		process__map(all, p, life->start, life->end, life->file_off, &which);
		process__check_gathered(all, p);
		return;
	case LIFE_EXIT:
		p = processes__find(all, life->tgid);
		if (p && life->tid == life->tgid) {
			all->n_exited += p->exit_time == 0;
			p->exit_time = life->time;
			p->look_from = p->look_wait = 0;
		}
		return;
	}
}

/*
 * A child of a process that nobody had looked at, sampled before (or without) its exec: it runs the
 * parent's mappings. Its own /proc shows them unless it has exec'ed since; else the parent's does.
 */
static void process__look_back(struct processes *all, struct process *p, uint64_t time)
{
	const struct fair_who who = process__who(p);
	struct process *parent;

	if (p->snapshot_time || mappings__count(p->maps) ||
	    !fair_turn__has(&all->turn, &who, now_ns()))
		return;
	if (p->covered_from <= time && p->exec_arrived <= time)
		process__snapshot(all, p, p->tgid, time);
	parent = p->parent_tgid ? processes__find(all, p->parent_tgid) : NULL;
	if (!mappings__count(p->maps) && p->parent_tgid &&
	    (!parent || parent->exec_arrived <= time))
		process__snapshot(all, p, p->parent_tgid, time);
	p->snapshot_time = time;
}

struct process *processes__get(struct processes *all, uint32_t tgid, uint64_t time)
{
	struct process *p = processes__find_or_add(all, tgid);

	p->last_sample = time;
	process__refresh(all, p, time);
	if (tgid)
		process__look_back(all, p, time);
	return p;
}

void processes__mark_files(const struct processes *all, bool *used, size_t n_used)
{
	struct process *p, *next;

	HASH_ITER(hh, all->by_tgid, p, next) {
		for (size_t i = 0; !p->exit_time && i < mappings__count(p->maps); i++) {
			if (mappings__at(p->maps, i)->file < n_used)
				used[mappings__at(p->maps, i)->file] = true;
		}
		if (!p->exit_time && p->jit_file < n_used)
			used[p->jit_file] = true;
	}
}

/* Exits whose records were lost would leave processes here for ever. Where a CPU comes or goes
 * nobody says that some were. */
static void processes__find_lost_exits(struct processes *all, uint64_t before)
{
	struct process *p, *next;

	if (!all->search_from)
		all->search_from = before + SEARCH_NS;
	if (HASH_COUNT(all->by_tgid) < 2 * all->after_search + LOST_EXITS &&
	    before < all->search_from)
		return;
	all->search_from = before + SEARCH_NS;
	HASH_ITER(hh, all->by_tgid, p, next) {
		if (!p->exit_time && p->last_sample < before && p->covered_from < before &&
		    p->snapshot_time < before && !procfs_task_exists((pid_t)p->tgid))
			processes__remove(all, p);
	}
	all->after_search = HASH_COUNT(all->by_tgid);
}

void processes__keep_files(const struct processes *all)
{
	struct process *p, *next;

	HASH_ITER(hh, all->by_tgid, p, next) {
		files__keep(all->files, p->jit_file);
		files__keep(all->files, p->jit_dump);
		for (size_t i = 0; i < mappings__count(p->maps); i++)
			files__keep(all->files, mappings__at(p->maps, i)->file);
	}
}

static bool process__is_gone(struct process *p, uint64_t now)
{
	if (now < p->look_from)
		return false;
	if (!procfs_task_exists((pid_t)p->tgid))
		return true;
	p->look_wait = p->look_wait ? 2 * p->look_wait : LOOK_FIRST_NS;
	if (p->look_wait > LOOK_MOST_NS)
		p->look_wait = LOOK_MOST_NS;
	p->look_from = now + p->look_wait;
	return false;
}

void processes__sweep(struct processes *all, uint64_t before)
{
	struct process *p, *next;

	processes__find_lost_exits(all, before);
	if (!all->n_exited)
		return;
	HASH_ITER(hh, all->by_tgid, p, next) {
		if (!p->exit_time || p->exit_time >= before || p->last_sample >= before)
			continue;
		if (!process__is_gone(p, before))
			continue;
		processes__remove(all, p);
		all->n_exited--;
	}
}

size_t processes__count(const struct processes *all)
{
	return HASH_COUNT(all->by_tgid);
}

struct process *processes__known(struct processes *all, uint32_t tgid)
{
	return processes__find(all, tgid);
}

uint32_t process__tgid(const struct process *p)
{
	return p->tgid;
}

uint64_t process__generation(const struct process *p)
{
	return p->generation;
}

bool process__execing(struct process *p, uint64_t leaf, bool in_kernel)
{
	if (p->starting && (!in_kernel || mappings__find(p->maps, leaf)))
		p->starting = false;
	return p->starting;
}

bool processes__leader_gone(struct processes *all, uint32_t tgid)
{
	const struct process *p = processes__find(all, tgid);

	return p && p->exit_time;
}
