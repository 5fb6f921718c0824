// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "session/alloc_processes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "sys/clock.h"
#include "sys/limits.h"

enum {
	FILES_EACH = 16, /* with allocators, of one process */
	SEEN = 64,       /* files that a process has mapped, and that are not looked at again */
	NEW_NS = 50 * 1000 * 1000,     /* who is probed by then has all blocks of its parent */
	AGAIN_NS = 10 * 1000 * 1000,   /* within these a fork is the same one, told again */
	CREDIT_NS = 500 * 1000 * 1000, /* of time for jobs, at most */
	LIVES = 1024,                  /* that are put into the order of time together */
};

/* Of the time that passes, what may go into jobs. */
static const double share = 0.1;

/* A file that was mapped; an inode of 0: all that are known of the process. */
struct job {
	struct job *next;
	bool look; /* and at what it has mapped: its parent's was not known yet */
	uint64_t start, end;
	struct mapped_file file;
};

struct attached {
	struct alloc_file *file;
	struct process_probes probes; /* of none: it isn't probed now */
};

struct seen {
	uint64_t dev, inode, generation;
};

struct alloc_process {
	UT_hash_handle hh;
	uint32_t tgid;
	bool queued, child, parted;
	uint64_t born_ns;                     /* of a child */
	struct alloc_process *before, *after; /* in turn */
	struct job *first, *last;
	struct attached files[FILES_EACH];
	size_t n;
	struct seen seen[SEEN];
	size_t n_seen;
};

static struct alloc_process *find(const struct alloc_processes *p, uint32_t tgid)
{
	struct alloc_process *process;

	HASH_FIND(hh, p->by_tgid, &tgid, sizeof(tgid), process);
	return process;
}

static struct alloc_process *add(struct alloc_processes *p, uint32_t tgid)
{
	struct alloc_process *process = find(p, tgid);

	if (process)
		return process;
	if (p->n == BUDGET_ALLOC_PROCESSES) {
		p->reach.no_room++;
		return NULL;
	}
	process = xcalloc(1, sizeof(*process));
	process->tgid = tgid;
	HASH_ADD(hh, p->by_tgid, tgid, sizeof(process->tgid), process);
	p->n++;
	return process;
}

/* ---------------------------------------------------------------- jobs */

static void unqueue(struct alloc_processes *p, struct alloc_process *process)
{
	if (!process->queued)
		return;
	*(process->before ? &process->before->after : &p->first) = process->after;
	*(process->after ? &process->after->before : &p->last) = process->before;
	process->before = process->after = NULL;
	process->queued = false;
}

static void queue(struct alloc_processes *p, struct alloc_process *process)
{
	if (process->queued)
		return;
	process->before = p->last;
	*(p->last ? &p->last->after : &p->first) = process;
	p->last = process;
	process->queued = true;
}

static bool push(struct alloc_processes *p, struct alloc_process *process, const struct job *what)
{
	struct job *job;

	if (p->n_jobs == BUDGET_ALLOC_JOBS) {
		p->reach.no_room++;
		return false;
	}
	job = xcalloc(1, sizeof(*job));
	*job = *what;
	if (what->file.path)
		job->file.path = xstrdup(what->file.path);
	*(process->last ? &process->last->next : &process->first) = job;
	process->last = job;
	p->n_jobs++;
	queue(p, process);
	return true;
}

static struct job *pop(struct alloc_processes *p, struct alloc_process *process)
{
	struct job *job = process->first;

	if (!job)
		return NULL;
	process->first = job->next;
	if (!process->first)
		process->last = NULL;
	p->n_jobs--;
	return job;
}

static void free_job(struct job *job)
{
	free((char *)job->file.path);
	free(job);
}

/* ---------------------------------------------------------------- probes of a process */

static void take_out(struct alloc_processes *p, struct alloc_process *process)
{
	for (size_t i = 0; i < process->n; i++) {
		p->n_fds -= process->files[i].probes.n;
		alloc_programs__take_out(p->programs, &process->files[i].probes);
	}
}

static void drop(struct alloc_processes *p, struct alloc_process *process)
{
	struct job *job;

	take_out(p, process);
	while ((job = pop(p, process)))
		free_job(job);
	unqueue(p, process);
	HASH_DEL(p->by_tgid, process);
	p->n--;
	free(process);
}

static int put_in(struct alloc_processes *p, struct alloc_process *process, struct attached *to)
{
	struct alloc_file *file = to->file;
	const struct alloc_target target = {
		.opener = p->opener,
		.fd = file->fd,
		.mnt_ns = file->mnt_ns,
		.places = file->places,
		.n = file->n,
		.tgid = (pid_t)process->tgid,
	};
	int r;

	if (p->out || to->probes.n || !file->n)
		return 0;
	r = alloc_programs__put_in(p->programs, &target, &to->probes);
	if (r == -ESRCH) /* it has ended, and that is yet to be told */
		return r;
	p->n_fds += to->probes.n;
	if (r == -OPENER_SERVED)
		alloc_files__pass_over(p->files, file, r);
	/* it may have gone meanwhile, or be about to */
	if (r < 0)
		p->reach.failed++;
	return r;
}

static struct attached *give(struct alloc_processes *p, struct alloc_process *process,
			     struct alloc_file *file)
{
	for (size_t i = 0; i < process->n; i++) {
		const struct opener_file_id *id = &process->files[i].file->id;

		if (process->files[i].file == file)
			return &process->files[i];
		/* what was written anew while it is probed stays as it is */
		if (id->dev == file->id.dev && id->inode == file->id.inode)
			return NULL;
	}
	if (process->n == FILES_EACH) {
		p->reach.no_room++;
		return NULL;
	}
	process->files[process->n] = (struct attached){.file = file};
	return &process->files[process->n++];
}

static int probe(struct alloc_processes *p, struct alloc_process *process, int fd, uint64_t mnt_ns,
		 const char *path)
{
	struct alloc_file *file = alloc_files__look(p->files, fd, mnt_ns, path);
	struct attached *to = file ? give(p, process, file) : NULL;

	return to ? put_in(p, process, to) : 0;
}

/* ---------------------------------------------------------------- what happens to processes */

void alloc_processes__add(struct alloc_processes *p, uint32_t tgid)
{
	add(p, tgid);
}

int alloc_processes__probe(struct alloc_processes *p, uint32_t tgid, int fd, uint64_t mnt_ns,
			   const char *path)
{
	struct alloc_process *process = find(p, tgid);

	return process ? probe(p, process, fd, mnt_ns, path) : 0;
}

static bool was_seen(struct alloc_process *process, const struct seen *file)
{
	size_t n = process->n_seen < SEEN ? process->n_seen : SEEN;

	for (size_t i = 0; i < n; i++) {
		if (memcmp(&process->seen[i], file, sizeof(*file)) == 0)
			return true;
	}
	process->seen[process->n_seen++ % SEEN] = *file;
	return false;
}

struct looking {
	struct alloc_processes *p;
	struct alloc_process *process;
};

static void look_at_line(void *ctx, const struct map_line *line)
{
	struct looking *l = ctx;
	const struct seen seen = {.inode = line->inode};
	const struct job job = {
		.start = line->start,
		.end = line->end,
		.file = {.inode = line->inode, .path = line->path},
	};

	if (line->inode && !was_seen(l->process, &seen))
		push(l->p, l->process, &job);
}

void alloc_processes__look(struct alloc_processes *p, uint32_t tgid)
{
	struct looking l = {p, find(p, tgid)};

	if (l.process)
		opener__maps(p->opener, (pid_t)tgid, look_at_line, &l);
}

static void mapped(struct alloc_processes *p, const struct life *life)
{
	struct alloc_process *process = find(p, life->tgid);
	const struct seen seen = {
		.dev = makedev(life->dev_major, life->dev_minor),
		.inode = life->inode,
		.generation = life->inode_generation,
	};
	const struct job job = {
		.start = life->start,
		.end = life->end,
		.file = {.inode = life->inode,
			 .generation = life->inode_generation,
			 .dev = seen.dev,
			 .path = life->path},
	};

	if (process && life->inode && !was_seen(process, &seen))
		push(p, process, &job);
}

/* It isn't seen what it frees, or not for a while. */
static void part(struct alloc_processes *p, struct alloc_process *process)
{
	if (process->child && !process->parted)
		p->forget(p->ctx, process->tgid);
	process->parted = true;
}

/* Rings of tasks and of mappings both tell of a fork. */
static bool is_same(uint64_t born_ns, const struct life *life)
{
	return life->time < born_ns + AGAIN_NS && born_ns < life->time + AGAIN_NS;
}

static bool has_ended(const struct alloc_processes *p, const struct life *life)
{
	for (size_t i = 0; i < p->n_ended && i < ALLOC_ENDED; i++) {
		if (p->ended[i].tgid == life->tgid && is_same(p->ended[i].born_ns, life))
			return true;
	}
	return false;
}

static void forked(struct alloc_processes *p, const struct life *life)
{
	struct alloc_process *parent = find(p, life->parent_tgid), *child = find(p, life->tgid);
	struct job job = {.look = parent && parent->first};

	if (!parent || (child ? is_same(child->born_ns, life) : has_ended(p, life)))
		return;
	if (child) /* its end was not told, and its number is another's now */
		drop(p, child);
	child = add(p, life->tgid);
	if (!child) {
		p->forget(p->ctx, life->tgid);
		return;
	}
	child->child = true;
	child->born_ns = life->time;
	for (size_t i = 0; i < parent->n; i++)
		child->files[child->n++].file = parent->files[i].file;
	memcpy(child->seen, parent->seen, sizeof(child->seen));
	child->n_seen = parent->n_seen;
	if (!push(p, child, &job))
		part(p, child);
}

static void exited(struct alloc_processes *p, const struct life *life)
{
	struct alloc_process *process = find(p, life->tgid);

	if (!process)
		return;
	p->reach.gone += process->child && process->first;
	if (process->born_ns)
		p->ended[p->n_ended++ % ALLOC_ENDED] =
			(struct alloc_ended){process->tgid, process->born_ns};
	drop(p, process);
}

static void happened(struct alloc_processes *p, const struct life *life)
{
	struct alloc_process *process;

	switch (life->kind) {
	case LIFE_FORK:
		if (life->tgid != life->parent_tgid)
			forked(p, life);
		break;
	case LIFE_EXEC:
		process = find(p, life->tgid);
		if (process)
			process->n_seen = 0;
		if (process)
			process->parted = true; /* it has no blocks of its parent any more */
		break;
	case LIFE_MMAP:
		mapped(p, life);
		break;
	case LIFE_EXIT:
		if (life->tid == life->tgid)
			exited(p, life);
		break;
	}
}

/* What matters of it here. */
static bool matters(const struct life *life)
{
	switch (life->kind) {
	case LIFE_FORK:
		return life->tgid != life->parent_tgid;
	case LIFE_EXIT:
		return life->tid == life->tgid;
	case LIFE_EXEC:
		return true;
	case LIFE_MMAP:
		return life->inode;
	}
	return false;
}

void alloc_processes__lived(struct alloc_processes *p, const struct life *life)
{
	struct life *kept;

	if (!matters(life))
		return;
	if (p->n_lives == LIVES)
		alloc_processes__settle(p);
	if (!p->lives)
		p->lives = xcalloc(LIVES, sizeof(*p->lives));
	kept = &p->lives[p->n_lives++];
	*kept = *life;
	kept->path = life->kind == LIFE_MMAP ? xstrdup(life->path) : NULL;
}

static int by_time(const void *a, const void *b)
{
	return CMP3(((const struct life *)a)->time, ((const struct life *)b)->time);
}

void alloc_processes__settle(struct alloc_processes *p)
{
	if (p->n_lives > 1)
		qsort(p->lives, p->n_lives, sizeof(*p->lives), by_time);
	for (size_t i = 0; i < p->n_lives; i++) {
		happened(p, &p->lives[i]);
		free((char *)p->lives[i].path);
	}
	p->n_lives = 0;
}

void alloc_processes__ended(struct alloc_processes *p, const struct life *life)
{
	struct alloc_process *process = find(p, life->tgid);

	if (process && process->born_ns <= life->time)
		drop(p, process);
}

/* ---------------------------------------------------------------- work */

static void do_look(struct alloc_processes *p, struct alloc_process *process, const struct job *job)
{
	uint64_t mnt_ns = 0;
	_cleanup_close_ int fd = opener__mapped(p->opener, (pid_t)process->tgid, job->start,
						job->end, &job->file, &mnt_ns);

	if (fd >= 0)
		probe(p, process, fd, mnt_ns, job->file.path);
	else if (fd == -ETIMEDOUT || fd == -ECONNREFUSED)
		p->reach.failed++;
}

static void do_job(struct alloc_processes *p, struct alloc_process *process, const struct job *job)
{
	uint64_t now = now_ns(), age_ns = now > process->born_ns ? now - process->born_ns : 0;
	int r = 0;

	if (job->file.inode) {
		do_look(p, process, job);
		return;
	}
	for (size_t i = 0; i < process->n && r == 0; i++)
		r = put_in(p, process, &process->files[i]);
	if (job->look)
		alloc_processes__look(p, process->tgid);
	if (!process->child)
		return;
	if (age_ns > NEW_NS || r < 0)
		part(p, process);
	process->child = false; /* from here on it is as any other */
	p->reach.gone += r == -ESRCH;
	if (r < 0)
		return;
	p->reach.processes++;
	p->reach.waited_ns += age_ns;
}

/* The kernel takes longer to let go of a probe than to put it in: who forks without an end is
 * probed as fast as those of before are let go. */
static bool has_room(const struct alloc_processes *p)
{
	return alloc_programs__closing(p->programs) < BUDGET_ALLOC_CLOSING &&
	       p->n_fds < BUDGET_ALLOC_PROBES && p->n_fds < fd_limit() / 4;
}

bool alloc_processes__due(const struct alloc_processes *p)
{
	return p->first && p->credit_ns > 0 && has_room(p);
}

void alloc_processes__work(struct alloc_processes *p, uint64_t until_ns, bool all)
{
	uint64_t now = now_ns(), began = now;

	if (p->worked_ns)
		p->credit_ns += share * (double)(now - p->worked_ns);
	if (p->credit_ns > CREDIT_NS || !p->worked_ns)
		p->credit_ns = CREDIT_NS;
	while (p->first && now < until_ns && (all || alloc_processes__due(p))) {
		struct alloc_process *process = p->first;
		struct job *job = pop(p, process);

		/* the next one's turn, whatever this one still has */
		unqueue(p, process);
		if (process->first)
			queue(p, process);
		do_job(p, process, job);
		free_job(job);
		now = now_ns();
		if (!all)
			p->credit_ns -= (double)(now - began);
		p->reach.worked_ns += now - began;
		began = now;
	}
	p->worked_ns = now;
}

void alloc_processes__round(struct alloc_processes *p, uint64_t now)
{
	for (struct alloc_process *process = p->first; process; process = process->after) {
		if (now > process->born_ns + NEW_NS)
			part(p, process);
	}
}

void alloc_processes__take_out(struct alloc_processes *p)
{
	struct alloc_process *process, *next;

	p->out = true;
	HASH_ITER(hh, p->by_tgid, process, next)
		take_out(p, process);
}

void alloc_processes__put_in(struct alloc_processes *p)
{
	const struct job again = {0};
	struct alloc_process *process, *next;

	p->out = false;
	HASH_ITER(hh, p->by_tgid, process, next)
		push(p, process, &again);
}

void alloc_processes__done(struct alloc_processes *p)
{
	struct alloc_process *process, *next;

	alloc_processes__settle(p);
	HASH_ITER(hh, p->by_tgid, process, next)
		drop(p, process);
	free(p->lives);
}
