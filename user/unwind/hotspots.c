// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is what is not known yet: until its code was read for the first time, stacks that
 * go through it travel as stack dumps (its file has no table), and wait; a table is never taken
 * away before another takes its place.
 */
#include "unwind/hotspots.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "model/intern.h"
#include "pmubpf/budgets.h"
#include "pmubpf/hotspot.h"
#include "sym/code_client.h"
#include "sys/clock.h"

/* One is read again so long after it was read, and at least after a hundred times as long as that
 * took: reading costs one CPU a hundredth at most, and naming where samples were another one. What
 * all of them together take from a credit doesn't count: who has just begun makes new code all the
 * time, and may not live for long. While nothing changes it waits twice as long each time. */
static const uint64_t AGAIN_NS = 100ULL * 1000 * 1000;
static const uint64_t AGAIN_MOST_NS = 1000ULL * 1000 * 1000;
static const uint64_t CREDIT_NS = 300ULL * 1000 * 1000;
enum {
	SHARE = 100,
	CREDIT_SHARE = 1000, /* of the time that passes, it gets */
	NOT_YET_TRIES = 100,
	UNKNOWN_TRIES = 3,
	PLACES_MAX = 64 * 1024, /* that are asked for in one process */
};

enum state {
	STATE_WAITS, /* it was never read */
	STATE_READ,
	STATE_GONE, /* or can't be read: as if it had none; it keeps nobody else's place */
};

struct machine {
	uint32_t tgid;
	uint64_t generation; /* of its mappings, when they were looked at last */
	enum state state;
	uint32_t library;        /* its file, */
	uint64_t bias;           /* and where its offset 0 would be */
	uint64_t structs, types; /* in its memory */
	int mem;
	struct code_span code;
	struct code_client *client;
	uint64_t due_ns, wait_ns;
	uint64_t paced_ns; /* not before that, whoever wants it */
	uint64_t places_due_ns;
	bool only_places;           /* the helper was asked for, last */
	uint64_t asked_ns, read_ns; /* when the helper was asked last, and that it has answered */
	bool wanted;                /* there is code that isn't known */
	uint64_t gone_ns;           /* when the process had ended; 0: not yet */
	struct intern places;       /* that samples met, */
	size_t n_asked;             /* and how many of them were asked for */
	unsigned tries;
};

struct hotspots {
	struct hotspots_parts parts;
	int (*child)(int sock);
	struct machine machines[BUDGET_HOTSPOTS];
	size_t n_machines;
	bool left;        /* who waited for one of them does so no longer */
	uint64_t gone_ns; /* CPU time of helpers that ended */
	uint64_t credit_ns, credit_at_ns;
	struct unknown_runtimes unknown;
	struct set_aside aside;
};

struct hotspots *hotspots__new(const struct hotspots_parts *parts, int (*child)(int sock))
{
	struct hotspots *h = xcalloc(1, sizeof(*h));

	*h = (struct hotspots){.parts = *parts,
			       .child = child,
			       .credit_ns = CREDIT_NS,
			       .credit_at_ns = now_ns()};
	return h;
}

static void leave(struct hotspots *h, struct machine *m)
{
	if (m->client)
		h->gone_ns += code_client__cpu_ns(m->client);
	m->client = code_client__free(m->client);
	cleanup_close(&m->mem);
	m->mem = -1;
	if (m->state == STATE_WAITS)
		store__put_frames(h->parts.store, m->code.file);
	h->left |= m->state == STATE_WAITS || m->wanted;
	m->wanted = false;
	m->state = STATE_GONE;
	intern__done(&m->places);
}

struct hotspots *hotspots__free(struct hotspots *h)
{
	if (!h)
		return NULL;
	for (size_t i = 0; i < h->n_machines; i++)
		leave(h, &h->machines[i]);
	unknown_runtimes__done(&h->unknown);
	set_aside__done(&h->aside);
	free(h);
	return NULL;
}

static struct machine *machine_of(struct hotspots *h, uint32_t tgid)
{
	for (size_t i = 0; i < h->n_machines; i++) {
		if (h->machines[i].tgid == tgid && h->machines[i].state != STATE_GONE &&
		    !h->machines[i].gone_ns)
			return &h->machines[i];
	}
	return NULL;
}

static const struct machine *by_file(const struct hotspots *h, uint32_t file)
{
	for (size_t i = 0; i < h->n_machines; i++) {
		if (h->machines[i].code.file == file)
			return &h->machines[i];
	}
	return NULL;
}

static bool is_libjvm(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && strcmp(slash, "/libjvm.so") == 0;
}

/* The mapping of HotSpot's code, whether it has been looked at yet or not. */
static const struct mapping *find_library(const struct hotspots *h, const struct mappings *maps)
{
	uint64_t structs, types;

	for (size_t i = 0; i < mappings__count(maps); i++) {
		const struct mapping *m = mappings__at(maps, i);
		const struct file *file = m->file ? files__get(h->parts.files, m->file) : NULL;

		if (file && (runtimes__hotspot(h->parts.runtimes, m->file, &structs, &types) ||
			     (file->path && is_libjvm(file->path))))
			return m;
	}
	return NULL;
}

/* Of one that is to come. NULL: all are taken. */
static struct machine *place(struct hotspots *h)
{
	for (size_t i = 0; i < h->n_machines; i++) {
		if (h->machines[i].state == STATE_GONE)
			return &h->machines[i];
	}
	return h->n_machines < BUDGET_HOTSPOTS ? &h->machines[h->n_machines] : NULL;
}

static void tell_crowded(struct hotspots *h, const struct mapping *library)
{
	const struct file *file = files__get(h->parts.files, library->file);

	if (file && file->path)
		unknown_runtimes__add_crowded(&h->unknown, file->path);
}

static void begin(struct hotspots *h, struct process *process, const struct mapping *library)
{
	uint32_t file = process__code_file(h->parts.processes, process);
	struct machine *m = place(h);

	if (!m)
		process__await_place(process);
	if (!m || !file || file >= PART_FIRST)
		return tell_crowded(h, library);
	if (by_file(h, file)) /* it ends, and was met before */
		return;
	h->n_machines += m == &h->machines[h->n_machines];
	*m = (struct machine){
		.tgid = process__tgid(process),
		.library = library->file,
		.bias = library->start - library->file_off,
		.code = {0, UINT64_MAX, file},
		.mem = -1,
		.client = code_client__new(h->child),
		.wait_ns = AGAIN_NS,
	};
	process__put_code(h->parts.processes, process, &m->code);
	m->generation = process__generation(process);
	/* whose table says what else is in it */
	tables__want(h->parts.tables,
		     store__number(h->parts.store, library->file, library->file_off),
		     processes__cgroup(h->parts.processes, m->tgid));
}

void hotspots__met(struct hotspots *h, struct process *process)
{
	struct machine *m = machine_of(h, process__tgid(process));
	uint64_t generation = process__generation(process);
	const struct mappings *maps = process__mappings(process);
	const struct mapping *library;
	struct code_span code;

	if (m && m->generation == generation)
		return;
	if (!m) {
		library = process__look_for_code(process, place(h)) ? find_library(h, maps) : NULL;
		if (library)
			begin(h, process, library);
		return;
	}
	code = mappings__code(maps);
	if (maps && memcmp(&code, &m->code, sizeof(code)) != 0)
		process__put_code(h->parts.processes, process, &m->code);
	m->generation = process__generation(process);
}

/* What its helper has read it may yet be asked for. */
void hotspots__gone(struct hotspots *h, uint32_t tgid)
{
	struct machine *m = machine_of(h, tgid);

	if (m && m->state == STATE_READ)
		m->gone_ns = now_ns();
	else if (m)
		leave(h, m);
}

static void changed(struct hotspots *h, struct machine *m)
{
	struct process *process = m->gone_ns ? NULL : processes__known(h->parts.processes, m->tgid);

	if (!process)
		return;
	process__put_code(h->parts.processes, process, &m->code);
	m->generation = process__generation(process);
}

static void give_up(struct hotspots *h, struct machine *m)
{
	leave(h, m);
	m->code = (struct code_span){0};
	changed(h, m);
}

/* Where it describes itself is known once its file was looked at. False: not yet. */
static bool find_tables(struct hotspots *h, struct machine *m)
{
	uint64_t structs, types;

	if (m->structs)
		return true;
	if (runtimes__hotspot(h->parts.runtimes, m->library, &structs, &types)) {
		m->structs = m->bias + structs;
		m->types = m->bias + types;
	} else if (store__state(h->parts.store, m->library) != PMB_FILE_NONE) {
		give_up(h, m); /* it is something else */
	}
	return m->structs;
}

static const char *path_of(const struct hotspots *h, const struct machine *m)
{
	const struct file *file = files__get(h->parts.files, m->library);

	return file ? file->path : "[unknown]";
}

static void put_names(const struct hotspots *h, const struct machine *m, struct code_answer *a)
{
	files__put_code(h->parts.files, m->code.file, TAKE_FD(a->names));
}

/* A table takes the place of the one before. */
static bool put(struct hotspots *h, struct machine *m, struct code_answer *a)
{
	struct unwind_table table;
	bool fits;

	if (unwind_table__read(a->table, &table) < 0)
		return false;
	fits = store__put_growing(h->parts.store, m->code.file, &table);
	unwind_table__done(&table);
	if (!fits)
		store__put_frames(h->parts.store, m->code.file);
	put_names(h, m, a);
	m->code.from = a->from;
	m->code.to = a->to;
	m->state = STATE_READ;
	changed(h, m);
	return true;
}

/* What is left of it. */
static uint64_t take_credit(struct hotspots *h, uint64_t took_ns)
{
	uint64_t now = now_ns(), covered;

	h->credit_ns += (now - h->credit_at_ns) / CREDIT_SHARE;
	h->credit_at_ns = now;
	if (h->credit_ns > CREDIT_NS)
		h->credit_ns = CREDIT_NS;
	covered = took_ns < h->credit_ns ? took_ns : h->credit_ns;
	h->credit_ns -= covered;
	return took_ns - covered;
}

static void wait_for(struct hotspots *h, struct machine *m, const struct code_answer *a)
{
	uint64_t least = take_credit(h, a->took_ns) * SHARE;

	m->places_due_ns = now_ns() + (AGAIN_NS > least ? AGAIN_NS : least);
	if (m->only_places)
		return;
	m->wait_ns = a->status == CODE_SAME ? 2 * m->wait_ns : AGAIN_NS;
	if (m->wait_ns > AGAIN_MOST_NS)
		m->wait_ns = AGAIN_MOST_NS;
	m->due_ns = now_ns() + (m->wait_ns > least ? m->wait_ns : least);
	m->paced_ns = m->places_due_ns;
	m->places_due_ns = now_ns() + AGAIN_NS;
	m->read_ns = m->asked_ns;
}

static void fail(struct hotspots *h, struct machine *m)
{
	set_aside__add(&h->aside, path_of(h, m), "code of a Java process",
		       code_client__trouble(m->client));
	give_up(h, m);
}

/* True if stacks may be walked now that couldn't be. */
static bool take(struct hotspots *h, struct machine *m, struct code_answer *a)
{
	bool was_wanted = m->wanted && !m->only_places;

	m->wanted &= m->only_places;
	switch (a->status) {
	case CODE_PENDING:
		return false;
	case CODE_NAMED:
		put_names(h, m, a);
		return was_wanted;
	case CODE_SAME:
		return was_wanted;
	case CODE_READ:
		if (put(h, m, a))
			return true;
		fail(h, m);
		return true;
	case CODE_NOT_YET:
		m->read_ns = 0;
		if (m->tries++ < NOT_YET_TRIES)
			return false;
		give_up(h, m);
		return true;
	case CODE_UNKNOWN:
		/* a library that was mapped a moment ago says nothing until it is relocated */
		m->read_ns = 0;
		if (m->tries++ < UNKNOWN_TRIES && !m->gone_ns)
			return false;
		unknown_runtimes__add_hotspot(&h->unknown, path_of(h, m), a->text);
		give_up(h, m);
		return true;
	case CODE_NO_MEMORY:
	case CODE_HELPER:
		fail(h, m);
		return true;
	}
	return false;
}

static size_t n_places(const struct machine *m)
{
	size_t n = intern__count(&m->places);

	return n ? n - 1 : 0; /* 0 is none */
}

/* Those that nobody has asked for yet; how many. */
static size_t next_places(const struct machine *m, uint64_t ret[CODE_PLACES_MAX])
{
	size_t n = 0, size;

	for (size_t i = m->n_asked; i < n_places(m) && n < CODE_PLACES_MAX; i++)
		memcpy(&ret[n++], intern__get(&m->places, (uint32_t)i + 1, &size), sizeof(*ret));
	return n;
}

static void ask(struct hotspots *h, struct machine *m, bool only_places)
{
	uint64_t places[CODE_PLACES_MAX];
	struct code_wanted wanted = {.only_places = only_places,
				     .structs = m->structs,
				     .types = m->types,
				     .places = places};

	if (m->mem < 0)
		m->mem = files__open_memory(h->parts.files, (pid_t)m->tgid);
	if (m->mem < 0)
		return give_up(h, m);
	wanted.mem = m->mem;
	wanted.n_places = m->state == STATE_READ ? next_places(m, places) : 0;
	if (code_client__start(m->client, &wanted) < 0)
		return;
	m->only_places = only_places;
	m->asked_ns = now_ns();
	m->n_asked += wanted.n_places;
}

/* True once its helper is of no use any more. */
static bool is_over(const struct machine *m)
{
	return m->gone_ns && m->asked_ns > m->gone_ns && m->n_asked == n_places(m) &&
	       !code_client__is_busy(m->client);
}

static bool work(struct hotspots *h, struct machine *m, bool last)
{
	struct code_answer a;
	bool any = false;

	if (m->state == STATE_GONE || !find_tables(h, m))
		return false;
	a = code_client__finish(m->client);
	if (a.status != CODE_PENDING) {
		wait_for(h, m, &a);
		any = take(h, m, &a);
	}
	cleanup_close(&a.table);
	cleanup_close(&a.names);
	if (m->client && !any && is_over(m))
		leave(h, m);
	if (!m->client || code_client__is_busy(m->client))
		return any;
	if (last || m->gone_ns || now_ns() >= m->due_ns)
		ask(h, m, false);
	else if (m->n_asked < n_places(m) && now_ns() >= m->places_due_ns)
		ask(h, m, true);
	return any;
}

bool hotspots__work(struct hotspots *h, bool last)
{
	bool any = h->left;

	h->left = false;
	for (size_t i = 0; i < h->n_machines; i++)
		any |= work(h, &h->machines[i], last);
	return any;
}

static struct machine *by_jit(struct hotspots *h, uint32_t jit)
{
	const struct file *file = jit ? files__get(h->parts.files, jit) : NULL;

	return file && file->code ? (struct machine *)by_file(h, file->code) : NULL;
}

void hotspots__sampled(struct hotspots *h, const struct profile *profile, uint32_t user_stack)
{
	const struct frame *all;
	const uint32_t *stack;
	uint32_t n;

	if (!h->n_machines)
		return;
	n = profile__stack_frames(profile, user_stack, &stack);
	profile__frames(profile, &all);
	for (uint32_t i = 0; i < n; i++) {
		const struct frame *f = &all[stack[i]];
		struct machine *m = NULL;

		if (f->kind == FRAME_JIT)
			m = by_jit(h, f->file);
		if (m && !PMB_IS_METHOD(f->off) && (f->off < m->code.from || f->off >= m->code.to))
			continue;
		if (m && m->state == STATE_READ && n_places(m) < PLACES_MAX)
			intern__add(&m->places, &f->off, sizeof(f->off));
	}
}

bool hotspots__has(const struct hotspots *h, uint32_t file)
{
	return file && by_file(h, file);
}

bool hotspots__want(struct hotspots *h, uint32_t file, uint64_t time)
{
	struct machine *m = (struct machine *)by_file(h, file);

	if (!m || (m->state != STATE_READ && m->state != STATE_WAITS) || m->read_ns > time)
		return false;
	m->wanted = true;
	if (m->due_ns > m->paced_ns)
		m->due_ns = m->paced_ns;
	return true;
}

bool hotspots__awaits(const struct hotspots *h, uint32_t file)
{
	const struct machine *m = file ? by_file(h, file) : NULL;

	return m && (m->state == STATE_WAITS || m->wanted);
}

bool hotspots__busy(const struct hotspots *h)
{
	for (size_t i = 0; i < h->n_machines; i++) {
		const struct machine *m = &h->machines[i];

		if (m->wanted || (m->state == STATE_READ && m->n_asked < n_places(m)) ||
		    (m->client && code_client__is_busy(m->client)))
			return true;
	}
	return false;
}

uint64_t hotspots__helpers_ns(const struct hotspots *h)
{
	uint64_t sum = h->gone_ns;

	for (size_t i = 0; i < h->n_machines; i++)
		sum += h->machines[i].client ? code_client__cpu_ns(h->machines[i].client) : 0;
	return sum;
}

uint64_t hotspots__helpers_rss_bytes(const struct hotspots *h)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < h->n_machines; i++)
		sum += h->machines[i].client ? code_client__rss_bytes(h->machines[i].client) : 0;
	return sum;
}

struct unknown_runtimes *hotspots__unknown_ones(struct hotspots *h)
{
	return &h->unknown;
}

struct set_aside *hotspots__set_aside(struct hotspots *h)
{
	return &h->aside;
}
