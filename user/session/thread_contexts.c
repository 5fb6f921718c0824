// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "session/thread_contexts.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/mem.h"
#include "opener/opener.h"
#include "pmubpf/budgets.h"
#include "sym/context_client.h"
#include "sys/clock.h"

enum {
	WITHOUT_MAX = 65536, /* files that are known to have no such variable */
	TRIES_MAX = 8,       /* of a process whose loader may not have been there */
	LATE_MAX = 8,        /* answers that didn't come; then nothing is asked any more */
	MS = 1000 * 1000,
	ANSWER_NS = 250 * MS,
	WORK_NS = 20 * MS,      /* of a round, as long as there is more to do */
	AGAIN_NS = 100 * MS,    /* after the first try, and each time twice as long */
	REFRESH_NS = 1000 * MS, /* between two looks for names of keys, of a process */
};

struct said_by {
	uint32_t tgid;
	UT_hash_handle hh;
	uint64_t generation; /* of its mappings, when it was looked at last */
	uint64_t stack_top;
	bool due;
	unsigned tries;
	uint64_t not_before_ns, refresh_ns;
	struct mapping at; /* of the file that has the variable; its file 0: none has, so far */
	struct pmb_context_place place;
	struct context_keys keys;
};

struct without {
	uint64_t serial; /* of the file */
	UT_hash_handle hh;
};

struct thread_contexts {
	struct thread_contexts_parts parts;
	struct context_client *client;
	struct said_by *by_tgid;
	struct without *without;
	size_t n, n_due;
	unsigned n_late;
};

struct thread_contexts *thread_contexts__new(const struct thread_contexts_parts *parts)
{
	struct thread_contexts *t = xcalloc(1, sizeof(*t));

	t->parts = *parts;
	t->client = context_client__new(NULL);
	context_client__between(t->client, t->parts.meanwhile, t->parts.ctx);
	context_client__spawn(t->client);
	return t;
}

static void forget_files(struct thread_contexts *t)
{
	struct without *file, *next;

	HASH_ITER(hh, t->without, file, next) {
		HASH_DEL(t->without, file);
		free(file);
	}
}

static void drop(struct thread_contexts *t, struct said_by *s)
{
	t->n_due -= s->due;
	t->n--;
	HASH_DEL(t->by_tgid, s);
	context_keys__done(&s->keys);
	free(s);
}

struct thread_contexts *thread_contexts__free(struct thread_contexts *t)
{
	struct said_by *s, *next;

	if (!t)
		return NULL;
	HASH_ITER(hh, t->by_tgid, s, next)
		drop(t, s);
	forget_files(t);
	context_client__free(t->client);
	free(t);
	return NULL;
}

static struct said_by *find(const struct thread_contexts *t, uint32_t tgid)
{
	struct said_by *s;

	HASH_FIND(hh, t->by_tgid, &tgid, sizeof(tgid), s);
	return s;
}

static void set_due(struct thread_contexts *t, struct said_by *s, bool due)
{
	t->n_due += due;
	t->n_due -= s->due;
	s->due = due;
}

void thread_contexts__met(struct thread_contexts *t, uint32_t tgid, uint64_t generation,
			  uint64_t stack_top)
{
	struct said_by *s = find(t, tgid);

	if (s && s->generation == generation && s->stack_top == stack_top)
		return;
	if (s && s->stack_top != stack_top) {
		thread_contexts__gone(t, tgid);
		s = NULL;
	}
	if (!s && t->n == BUDGET_CONTEXT_PROCESSES)
		return;
	if (!s) {
		s = xcalloc(1, sizeof(*s));
		s->tgid = tgid;
		s->stack_top = stack_top;
		HASH_ADD(hh, t->by_tgid, tgid, sizeof(s->tgid), s);
		t->n++;
	}
	s->generation = generation;
	if (!s->at.file)
		set_due(t, s, true);
}

void thread_contexts__gone(struct thread_contexts *t, uint32_t tgid)
{
	struct said_by *s = find(t, tgid);

	if (!s)
		return;
	programs__set_context(t->parts.programs, tgid, NULL);
	drop(t, s);
}

static bool is_without(const struct thread_contexts *t, uint64_t serial)
{
	struct without *file;

	HASH_FIND(hh, t->without, &serial, sizeof(serial), file);
	return file;
}

static void note_without(struct thread_contexts *t, uint64_t serial)
{
	struct without *file;

	if (HASH_COUNT(t->without) >= WITHOUT_MAX)
		forget_files(t);
	file = xcalloc(1, sizeof(*file));
	file->serial = serial;
	HASH_ADD(hh, t->without, serial, sizeof(file->serial), file);
}

static void note_published(void *ctx, const struct map_line *line)
{
	struct context_question *q = ctx;

	if (q->n_published < SYMD_CONTEXT_PUBLISHED_MAX)
		q->published[q->n_published++] = line->start;
}

/* Asks about one of a process's files. A negative errno: there is no answer. */
static int ask(struct thread_contexts *t, const struct said_by *s, const struct mapping *at,
	       enum symd_context_status *ret, struct pmb_context_place *ret_place,
	       struct context_keys *ret_keys)
{
	struct opener *opener = files__opener(t->parts.files);
	const struct file *file = files__get(t->parts.files, at->file);
	_cleanup_close_ int again = file->fd < 0 ? files__reopen(t->parts.files, at->file) : -1;
	int found = file->fd < 0 ? again : file->fd;
	_cleanup_close_ int lent = found < 0 ? -1 : files__lend(t->parts.files, at->file, found);
	_cleanup_close_ int mem = lent < 0 ? -1 : opener__memory(opener, (pid_t)s->tgid);
	struct context_question q = {
		.file = lent,
		.mem = mem,
		.start = at->start,
		.file_off = at->file_off,
	};
	int r;

	if (lent < 0 || mem < 0 || t->n_late >= LATE_MAX)
		return -1;
	opener__published(opener, (pid_t)s->tgid, note_published, &q);
	r = context_client__ask(t->client, &q, ANSWER_NS, ret, ret_place, ret_keys);
	t->n_late += r < 0;
	if (r < 0 && t->n_late < LATE_MAX)
		context_client__spawn(t->client); /* it is there when it is asked next */
	return r;
}

/* False: that was tried often enough. */
static bool again(struct thread_contexts *t, struct said_by *s)
{
	if (s->tries >= TRIES_MAX)
		return false;
	s->not_before_ns = now_ns() + ((uint64_t)AGAIN_NS << s->tries++);
	set_due(t, s, true);
	return true;
}

/* True: it has the variable. */
static bool look_at_file(struct thread_contexts *t, struct said_by *s, const struct mapping *at,
			 bool *unanswered)
{
	const struct file *file = at->file ? files__get(t->parts.files, at->file) : NULL;
	enum symd_context_status status;
	struct pmb_context_place place;
	struct context_keys keys;

	if (!file || file->kind != FILE_ELF || is_without(t, file->serial))
		return false;
	if (ask(t, s, at, &status, &place, &keys) < 0) {
		*unanswered = true;
		return false;
	}
	if (status == SYMD_CONTEXT_NONE) {
		note_without(t, file->serial);
		return false;
	}
	context_keys__done(&s->keys);
	s->keys = keys;
	s->place = place;
	s->at = *at;
	if (status == SYMD_CONTEXT_NOT_YET && again(t, s))
		s->at.file = 0;
	if (status != SYMD_CONTEXT_FOUND)
		s->place.kind = PMB_CONTEXT_SOMEWHERE;
	return true;
}

/* The process's mapping number i; false: it has no more. */
static bool mapping_at(const struct thread_contexts *t, uint32_t tgid, size_t i,
		       struct mapping *ret)
{
	const struct process *process = processes__known(t->parts.processes, tgid);
	const struct mappings *maps = process ? process__mappings(process) : NULL;

	if (i >= mappings__count(maps))
		return false;
	*ret = *mappings__at(maps, i);
	return true;
}

static void look(struct thread_contexts *t, struct said_by *s)
{
	bool unanswered = false, has = false;
	struct mapping at;
	size_t i = 0;

	s->place = (struct pmb_context_place){.kind = PMB_CONTEXT_IN_NOTHING};
	set_due(t, s, false);
	for (; !has && mapping_at(t, s->tgid, i, &at); i++)
		has = look_at_file(t, s, &at, &unanswered);
	if (!i || (!has && unanswered)) {
		again(t, s);
		return;
	}
	s->place.stack_top = s->stack_top;
	programs__set_context(t->parts.programs, s->tgid, &s->place);
}

void thread_contexts__work(struct thread_contexts *t)
{
	uint64_t now = now_ns(), until = now + WORK_NS;
	struct said_by *s, *next;

	if (!t || !t->n_due)
		return;
	HASH_ITER(hh, t->by_tgid, s, next) {
		if (!s->due || now < s->not_before_ns)
			continue;
		look(t, s);
		if (now_ns() > until)
			break;
	}
}

/* Processes name keys when they first have them. */
static void refresh(struct thread_contexts *t, struct said_by *s)
{
	const struct mapping at = s->at;
	enum symd_context_status status;
	struct pmb_context_place place;
	struct context_keys keys;

	if (!at.file || now_ns() < s->refresh_ns || !files__get(t->parts.files, at.file))
		return;
	s->refresh_ns = now_ns() + REFRESH_NS;
	if (ask(t, s, &at, &status, &place, &keys) < 0)
		return;
	context_keys__done(&s->keys);
	s->keys = keys;
}

const char *thread_contexts__key(struct thread_contexts *t, uint32_t tgid, unsigned key)
{
	struct said_by *s = find(t, tgid);

	if (s && key >= s->keys.n)
		refresh(t, s);
	return s && key < s->keys.n ? s->keys.names[key] : NULL;
}

uint64_t thread_contexts__helper_ns(const struct thread_contexts *t)
{
	return t ? context_client__cpu_ns(t->client) : 0;
}
