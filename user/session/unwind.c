// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The kernel side walks stacks by tables that are made while the recording goes on. Samples that
 * came before their table wait for it in the assembly (assemble/late.c), which asks here.
 */
#include <poll.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "session/internal.h"
#include "sys/clock.h"
#include "unwind/walk.h"

/* How long the end of a recording waits for tables: what isn't there by then stays unknown… */
static const uint64_t PATIENCE_NS = 1500ULL * 1000 * 1000;
/* …not counted time in which the helper found no CPU, up to this, for whoever waits is a user. */
static const uint64_t BUSY_PATIENCE_NS = 10000ULL * 1000 * 1000;

static enum pmb_unwind_status walk(void *session, const struct mappings *maps,
				   const struct pmb_stack_dump *dump, uint64_t cgroup,
				   struct late_stack *ret)
{
	struct session *s = session;
	const struct walk_limits limits = {s->opts->max_frames, s->user_mask};
	enum pmb_unwind_status end = unwind_walk(s->unwind.store, maps, dump, &limits, ret);

	if (end != PMB_END_NO_TABLE)
		return end;
	if (!hotspots__has(s->unwind.hotspots, ret->missing)) {
		if (!tables__want(s->unwind.tables, ret->missing, cgroup))
			ret->missing = 0;
	} else if (!hotspots__want(s->unwind.hotspots, ret->missing, dump->rec.time)) {
		ret->missing = 0;
		return PMB_END_NO_RULE;
	}
	return end;
}

static bool awaits_table(void *session, uint32_t file)
{
	const struct session *s = session;

	return hotspots__awaits(s->unwind.hotspots, file) ||
	       (store__state(s->unwind.store, file) == PMB_FILE_NONE &&
		tables__waits(s->unwind.tables, file));
}

/* Which tables a sample's stack went through, if anybody wants to know. */
static void went_through(void *session, uint32_t user_stack, enum pmb_unwind_status end)
{
	struct session *s = session;
	const uint32_t *stack;
	uint32_t numbers[PMB_MAX_FRAMES], known = 0, n;
	const struct frame *all;

	hotspots__sampled(s->unwind.hotspots, s->assembly.profile, user_stack);
	if (!tables__short(s->unwind.tables))
		return;
	n = profile__stack_frames(s->assembly.profile, user_stack, &stack);
	profile__frames(s->assembly.profile, &all);
	for (uint32_t i = 0; i < n && known < PMB_MAX_FRAMES; i++) {
		const struct frame *f = &all[stack[i]];
		uint32_t at = 0, number;

		if (f->kind != FRAME_FILE)
			continue;
		number = store__number(s->unwind.store, f->file, f->off);
		while (at < known && numbers[at] != number)
			at++;
		if (at == known && number != FILE_BEYOND)
			numbers[known++] = number;
	}
	tables__sampled(s->unwind.tables, numbers, known, !status_is_early(end));
}

/* Who gets the room for tables, if there isn't enough of it. */
static void make_room(struct session *s)
{
	size_t n = files__count(s->result->files);
	_cleanup_free_ bool *used = xcalloc(n, sizeof(*used));

	assembly__mark_files(&s->assembly, used, n);
	tables__make_room(s->unwind.tables, used, n);
}

void session__tables_work(struct session *s)
{
	if (!s->unwind.tables)
		return;
	s->unwind.tables_changed |= tables__work(s->unwind.tables);
	lists__learn(s->unwind.lists);
}

void session__describe(struct session *s)
{
	if (s->unwind.tables && tables__undescribed(s->unwind.tables))
		session__tables_work(s);
}

void session__late_round(struct session *s)
{
	bool changed;

	if (!s->unwind.tables)
		return;
	store__tick(s->unwind.store, now_ns());
	session__tables_work(s);
	changed = s->unwind.tables_changed;
	changed |= hotspots__work(s->unwind.hotspots, false);
	s->unwind.tables_changed = false;
	if (tables__crowded(s->unwind.tables)) {
		make_room(s);
		changed = true;
	}
	if (changed)
		assembly__retry(&s->assembly, false);
}

static void session__delays(const struct session *s, uint64_t *ret)
{
	for (size_t i = 0; i < TABLES_HELPERS; i++)
		ret[i] = tables__helper_delayed_ns(s->unwind.tables, i);
}

/* Of the helpers' the longest: they wait at the same time. */
static uint64_t session__delayed_ns(const struct session *s, const uint64_t *before)
{
	uint64_t now[TABLES_HELPERS], longest = 0;

	session__delays(s, now);
	for (size_t i = 0; i < TABLES_HELPERS; i++) {
		/* another helper begins anew */
		if (now[i] > before[i] && now[i] - before[i] > longest)
			longest = now[i] - before[i];
	}
	return longest;
}

static bool is_patient(const struct session *s, uint64_t begun_ns, const uint64_t *delays_before)
{
	uint64_t waited_ns = now_ns() - begun_ns;

	return waited_ns < BUSY_PATIENCE_NS &&
	       waited_ns < PATIENCE_NS + session__delayed_ns(s, delays_before) &&
	       !session__hurries(s);
}

void session__late_end(struct session *s)
{
	uint64_t begun_ns = now_ns(), delays[TABLES_HELPERS];

	session__delays(s, delays);
	hotspots__work(s->unwind.hotspots, true);
	while (((s->assembly.n_late && tables__busy(s->unwind.tables)) ||
		hotspots__busy(s->unwind.hotspots)) &&
	       is_patient(s, begun_ns, delays)) {
		struct pollfd fds[TABLES_HELPERS];

		for (size_t i = 0; i < TABLES_HELPERS; i++)
			fds[i] = (struct pollfd){.fd = tables__fd(s->unwind.tables, i),
						 .events = POLLIN};
		poll(fds, TABLES_HELPERS, 10);
		session__late_round(s);
	}
	assembly__retry(&s->assembly, true);
}

static struct pmb_chunk *new_chunk(void *ctx, uint32_t index)
{
	struct session *s = ctx;

	return programs__new_chunk(s->programs, index);
}

static int set_process(void *ctx, uint32_t tgid, const struct pmb_process *list)
{
	struct session *s = ctx;

	return programs__set_process(s->programs, tgid, list);
}

static int set_runtime(void *ctx, uint32_t number, const struct pmb_runtime *runtime)
{
	struct session *s = ctx;

	return programs__set_runtime(s->programs, number, runtime);
}

static enum pmb_eval interpreter(void *session, uint32_t file, uint64_t off)
{
	const struct session *s = session;

	return runtimes__eval(s->unwind.runtimes, file, off);
}

static struct fair_who who_of(void *ctx, uint32_t file)
{
	const struct session *s = ctx;

	return files__who(s->result->files, file);
}

void session__unwind_open(struct session *s)
{
	const struct store_memory memory = {
		.code = programs__code(s->programs),
		.mappings = programs__mappings(s->programs),
		.new_chunk = new_chunk,
		.who = who_of,
		.ctx = s,
	};
	static const struct assembly_tables by_tables = {
		.walk = walk,
		.awaits = awaits_table,
		.went_through = went_through,
		.interpreter = interpreter,
	};

	s->assembly.opts.tables = &by_tables;
	s->unwind.store = store__new(&memory, s->opts->table_bytes);
	s->unwind.runtimes = runtimes__new(s->result->files, set_runtime, s);
	s->unwind.tables = tables__new(s->unwind.store, s->result->files, s->unwind.runtimes, NULL);
	s->unwind.lists = lists__new(s->unwind.store, s->unwind.runtimes, set_process, s);
	s->unwind.hotspots =
		hotspots__new(&(struct hotspots_parts){s->unwind.store, s->unwind.tables,
						       s->unwind.runtimes, s->assembly.processes,
						       s->result->files},
			      NULL);
}

void session__unwind_free(struct session *s)
{
	s->unwind.hotspots = hotspots__free(s->unwind.hotspots);
	s->unwind.tables = tables__free(s->unwind.tables);
	s->unwind.lists = lists__free(s->unwind.lists);
	s->unwind.runtimes = runtimes__free(s->unwind.runtimes);
	s->unwind.store = store__free(s->unwind.store);
}
