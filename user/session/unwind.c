// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The kernel side walks stacks by tables that are made while the recording goes on. Samples whose user stack it
 * could not walk to its end, because a table or the process was not known yet, wait with their slice of stack
 * until the table is here, and are accounted then.
 */
#include <poll.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "session/internal.h"
#include "sys/clock.h"
#include "unwind/walk.h"

/* A few rounds of a host where every program is new. */
enum { SLICES_AT_LEAST = 8 * 1024 * 1024 };

/* How long the end of a recording waits for tables: what isn't there by then stays unknown. */
static const uint64_t PATIENCE_NS = 1500ULL * 1000 * 1000;

struct late {
	struct account to;
	struct process_view view;
	struct slice *slice;
	uint32_t missing; /* the file whose table it waits for */
	size_t held;      /* bytes of mappings that nobody else may need any more */
};

static void finish(struct session *s, struct late *late, enum pmb_ending end,
		   const struct late_stack *stack)
{
	uint32_t frames[PMB_MAX_FRAMES];

	for (uint32_t i = 0; i < stack->n; i++) {
		/* a return address may lie behind its function's end; the call lies before it */
		struct frame frame = process_view__locate(&late->view, stack->frames[i] - (i > 0));

		frames[i] = profile__frame(s->result->profile, &frame);
	}
	late->to.key.user_stack = profile__stack(s->result->profile, frames, stack->n);
	late->to.user_end = (uint8_t)end;
	session__account(s, &late->to);
	s->late_held -= late->held;
	slices__free(&s->slices, late->slice);
	process_view__done(&late->view);
}

/* True if it need not wait any longer. */
static bool try_again(struct session *s, struct late *late, bool last)
{
	const struct walk_limits limits = {s->opts->max_frames, s->user_mask};
	struct late_stack stack;
	enum pmb_ending end =
		unwind_walk(s->store, late->view.maps, &late->slice->rec, &limits, &stack);

	late->missing = stack.missing;
	if (end == PMB_END_NO_TABLE && stack.missing && !last &&
	    tables__want(s->tables, stack.missing))
		return false;
	finish(s, late, end, &stack);
	return true;
}

void session__late(struct session *s, const struct account *to, struct process *process,
		   struct slice *slice)
{
	struct late late = {*to, process__view(s->processes, process), slice, 0, 0};
	size_t held = mappings__count(late.view.maps) * sizeof(struct mapping);
	bool room = !s->slices.limit || s->late_held + held <= s->slices.limit;

	if (try_again(s, &late, !room))
		return;
	late.held = held;
	s->late_held += held;
	GROW(s->late, s->n_late, s->cap_late);
	s->late[s->n_late++] = late;
}

static void retry(struct session *s, bool last)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->n_late; i++) {
		struct late *late = &s->late[i];

		if (!last && store__state(s->store, late->missing) == PMB_FILE_NONE &&
		    tables__waits(s->tables, late->missing))
			s->late[kept++] = *late;
		else if (!try_again(s, late, last))
			s->late[kept++] = *late;
		if (!last)
			session__look_around(s);
	}
	s->n_late = kept;
}

/* Tables of programs that have gone make room for those of others. */
static void make_room(struct session *s)
{
	size_t n = files__count(s->result->files);
	_cleanup_free_ bool *used = xcalloc(n, sizeof(*used));

	processes__mark_files(s->processes, used, n);
	for (size_t i = 0; i < s->n_late; i++)
		process_view__mark_files(&s->late[i].view, used, n);
	tables__make_room(s->tables, used, n);
}

void session__late_round(struct session *s)
{
	bool changed;

	if (!s->tables)
		return;
	store__tick(s->store, now_ns());
	changed = tables__work(s->tables) || s->tables_changed;
	s->tables_changed = false;
	if (tables__crowded(s->tables)) {
		make_room(s);
		changed = true;
	}
	if (changed)
		retry(s, false);
}

void session__late_end(struct session *s)
{
	uint64_t deadline = now_ns() + PATIENCE_NS;

	while (s->n_late && tables__busy(s->tables) && now_ns() < deadline) {
		struct pollfd fd = {.fd = tables__fd(s->tables), .events = POLLIN};

		poll(&fd, 1, 10);
		session__late_round(s);
	}
	session__late_give_up(s);
}

void session__late_give_up(struct session *s)
{
	retry(s, true);
}

void session__late_keep_files(const struct session *s)
{
	for (size_t i = 0; i < s->n_late; i++)
		process_view__keep_files(&s->late[i].view, s->result->files);
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

void session__unwind_open(struct session *s)
{
	const struct store_memory memory = {
		.code = programs__code(s->programs),
		.mappings = programs__mappings(s->programs),
		.new_chunk = new_chunk,
		.ctx = s,
	};

	s->store = store__new(&memory, s->opts->table_bytes);
	s->tables = tables__new(s->store, s->result->files);
	s->lists = lists__new(s->store, set_process, s);
	s->slices.limit = s->opts->max_memory / 4;
	if (s->opts->max_memory && s->slices.limit < SLICES_AT_LEAST)
		s->slices.limit = SLICES_AT_LEAST;
}

void session__unwind_free(struct session *s)
{
	for (size_t i = 0; i < s->n_late; i++) {
		slices__free(&s->slices, s->late[i].slice);
		process_view__done(&s->late[i].view);
	}
	free(s->late);
	s->late = NULL;
	s->n_late = s->cap_late = 0;
	slices__done(&s->slices);
	s->tables = tables__free(s->tables);
	s->lists = lists__free(s->lists);
	s->store = store__free(s->store);
}
