// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Only its end tells how long a window was, and whether its samples are wanted. So they wait, as
 * what they will be charged to, which holds whatever becomes of their process meanwhile. The hard
 * thing is that a sample may itself come later than its window's end: one whose stack waited for an
 * unwind table. So a window is remembered until all its samples have come.
 */
#include <stdlib.h>
#include <string.h>

#include "assemble/internal.h"
#include "base/hash.h"
#include "base/mem.h"

/* A sample that waits, with only as many readings as it has. */
struct held {
	struct held *next;
	struct account to;
};

enum window_state { WINDOW_OPEN, WINDOW_AMONG_SLOWEST, WINDOW_KEPT, WINDOW_LEFT_OUT };

struct window_key {
	uint64_t start;
	uint32_t thread;
	uint32_t pad;
};

struct sampled_window {
	struct window_key key;
	UT_hash_handle hh;
	enum window_state state;
	bool at_least;      /* its end was not seen */
	uint64_t lasted_ns; /* once it has ended */
	uint32_t what;      /* struct pmb_part_window */
	uint32_t number;
	size_t to_come; /* samples that are known of and not accounted yet */
	struct held *first, *last;
};

static size_t held_size(const struct account *to)
{
	return offsetof(struct held, to.reads) + to->n_reads * sizeof(to->reads[0]);
}

static struct account held_account(const struct held *held)
{
	struct account to;

	memcpy(&to, &held->to, held_size(&held->to) - offsetof(struct held, to));
	return to;
}

static struct sampled_window *find(struct assembly *a, uint64_t start, uint32_t thread)
{
	const struct window_key key = {.start = start, .thread = thread};
	struct sampled_window *w;

	HASH_FIND(hh, a->windows.by_key, &key, sizeof(key), w);
	return w;
}

static bool has_room(const struct assembly *a, size_t bytes)
{
	return !a->windows.limit || a->windows.bytes + bytes <= a->windows.limit;
}

struct sampled_window *assembly__window(struct assembly *a, const struct decoded *rec)
{
	const struct pmb_part_window *part = rec->window;
	struct sampled_window *w = find(a, part->start, part->thread);

	if (rec->sample->rec.time > a->windows.latest_ns)
		a->windows.latest_ns = rec->sample->rec.time;
	if (!w) {
		if (!has_room(a, sizeof(*w)))
			return NULL;
		w = xcalloc(1, sizeof(*w));
		w->key = (struct window_key){.start = part->start, .thread = part->thread};
		w->what = part->what;
		w->number = ++a->windows.numbers;
		HASH_ADD(hh, a->windows.by_key, key, sizeof(w->key), w);
		a->windows.bytes += sizeof(*w);
	}
	w->to_come++;
	return w;
}

static uint32_t log2_of(uint64_t n)
{
	return 63 - (uint32_t)__builtin_clzll(n | 1);
}

static void label(const struct assembly *a, const struct sampled_window *w, struct account *to)
{
	if (a->opts.labels & LABEL_WINDOW) {
		to->labels.window = w->what + 1;
		to->labels.duration = (log2_of(w->lasted_ns) + 1) |
				      (w->at_least ? PROFILE_AT_LEAST : 0);
	}
	if (a->opts.labels & LABEL_WINDOW_NUMBER)
		to->labels.window_number = w->number;
}

/* Where there is no room to wait, or nothing to wait for: how long it has lasted is known. */
static void label_so_far(const struct assembly *a, const struct account *to,
			 struct account *labelled)
{
	struct sampled_window so_far = *to->window;

	so_far.lasted_ns = to->time > so_far.key.start ? to->time - so_far.key.start : 0;
	so_far.at_least = true;
	label(a, &so_far, labelled);
}

enum column { COLUMN_QUICK, COLUMN_UNHELD };

static void leave_out_one(struct assembly *a, uint32_t event, uint64_t weight, enum column column)
{
	struct ledger_event *e = &a->books.events[event];

	*(column == COLUMN_QUICK ? &e->quick : &e->unheld) += 1;
	*(column == COLUMN_QUICK ? &e->weight_quick : &e->weight_unheld) += weight;
}

static void leave_out(struct assembly *a, const struct account *to, enum column column)
{
	leave_out_one(a, to->event, to->weight, column);
	for (size_t i = 0; i < to->n_reads; i++) {
		if (to->reads[i].weight)
			leave_out_one(a, to->reads[i].event, to->reads[i].weight, column);
	}
}

/* Nothing of it is to come, and nothing waits. */
static void forget_if_done(struct assembly *a, struct sampled_window *w)
{
	if (w->to_come || w->state == WINDOW_OPEN || w->state == WINDOW_AMONG_SLOWEST)
		return;
	HASH_DEL(a->windows.by_key, w);
	a->windows.bytes -= sizeof(*w);
	free(w);
}

static void settle(struct assembly *a, struct sampled_window *w, enum window_state state)
{
	struct held *next;

	w->state = state;
	a->books.windows.kept += state == WINDOW_KEPT;
	for (struct held *held = w->first; held; held = next) {
		struct account to = held_account(held);

		next = held->next;
		a->windows.bytes -= held_size(&to);
		free(held);
		if (state == WINDOW_KEPT) {
			label(a, w, &to);
			assembly__account_now(a, &to);
		} else {
			leave_out(a, &to, COLUMN_QUICK);
		}
	}
	w->first = w->last = NULL;
	forget_if_done(a, w);
}

/* One of so many that are kept, until a longer one comes. */
static void settle_slowest(struct assembly *a, struct sampled_window *w)
{
	struct windows *all = &a->windows;
	size_t least = 0;

	w->state = WINDOW_AMONG_SLOWEST;
	if (!all->slowest)
		all->slowest = xcalloc(a->opts.windows.slowest, sizeof(struct sampled_window *));
	if (all->n_slowest < a->opts.windows.slowest) {
		all->slowest[all->n_slowest++] = w;
		return;
	}
	for (size_t i = 1; i < all->n_slowest; i++) {
		if (all->slowest[i]->lasted_ns < all->slowest[least]->lasted_ns)
			least = i;
	}
	if (w->lasted_ns > all->slowest[least]->lasted_ns) {
		struct sampled_window *other = all->slowest[least];

		all->slowest[least] = w;
		w = other;
	}
	settle(a, w, WINDOW_LEFT_OUT);
}

static void ended(struct assembly *a, struct sampled_window *w, uint64_t lasted_ns)
{
	const struct window_opts *opts = &a->opts.windows;

	w->lasted_ns = lasted_ns;
	a->books.windows.sampled++;
	if (lasted_ns < opts->longer_ns)
		settle(a, w, WINDOW_LEFT_OUT);
	else if (opts->slowest)
		settle_slowest(a, w);
	else
		settle(a, w, WINDOW_KEPT);
}

void assembly__window_end(struct assembly *a, const struct pmb_window_end *end)
{
	struct sampled_window *w = find(a, end->start, end->thread);

	if (end->rec.time > a->windows.latest_ns)
		a->windows.latest_ns = end->rec.time;
	/* else its samples were lost on the way, or there was no room for them */
	if (w && w->state == WINDOW_OPEN)
		ended(a, w, end->end > end->start ? end->end - end->start : 0);
}

static bool hold(struct assembly *a, const struct account *to)
{
	struct sampled_window *w = to->window;
	size_t size = held_size(to);
	struct held *held;

	if (!has_room(a, size))
		return false;
	held = xcalloc(1, size);
	held->next = NULL;
	memcpy(&held->to, to, size - offsetof(struct held, to));
	if (w->last)
		w->last->next = held;
	else
		w->first = held;
	w->last = held;
	a->windows.bytes += size;
	return true;
}

/* The window has not ended, or may still be left out for slower ones. */
static bool must_wait(const struct assembly *a)
{
	return a->opts.windows.longer_ns || a->opts.windows.slowest ||
	       (a->opts.labels & LABEL_WINDOW);
}

static bool known_to_be_kept(const struct assembly *a, const struct account *to)
{
	return !a->opts.windows.slowest &&
	       to->time - to->window->key.start >= a->opts.windows.longer_ns;
}

bool assembly__waits(struct assembly *a, struct account *to)
{
	struct sampled_window *w = to->window;
	bool waits = true;

	if (!w) { /* there was no room to know it */
		waits = a->opts.windows.longer_ns || a->opts.windows.slowest;
		if (waits)
			leave_out(a, to, COLUMN_UNHELD);
		return waits;
	}
	w->to_come--;
	if (w->state == WINDOW_KEPT) {
		label(a, w, to);
		waits = false;
	} else if (w->state == WINDOW_LEFT_OUT) {
		leave_out(a, to, COLUMN_QUICK);
	} else if (!must_wait(a)) {
		label_so_far(a, to, to);
		waits = false;
	} else if (!hold(a, to)) {
		waits = !known_to_be_kept(a, to);
		if (waits)
			leave_out(a, to, COLUMN_UNHELD);
		else
			label_so_far(a, to, to);
	}
	forget_if_done(a, w);
	return waits;
}

void assembly__windows_end(struct assembly *a)
{
	struct sampled_window *w, *next, **open = NULL;
	size_t n = 0, cap = 0;

	HASH_ITER(hh, a->windows.by_key, w, next) {
		if (w->state != WINDOW_OPEN)
			continue;
		GROW(open, n, cap);
		open[n++] = w;
	}
	for (size_t i = 0; i < n; i++) {
		uint64_t latest = a->windows.latest_ns, start = open[i]->key.start;

		open[i]->at_least = true;
		a->books.windows.open++;
		ended(a, open[i], latest > start ? latest - start : 0);
	}
	for (size_t i = 0; i < a->windows.n_slowest; i++)
		settle(a, a->windows.slowest[i], WINDOW_KEPT);
	a->windows.n_slowest = 0;
	free(open);
}

void assembly__each_held(const struct assembly *a, void (*fn)(void *ctx, struct account *to),
			 void *ctx)
{
	struct sampled_window *w, *next;

	HASH_ITER(hh, a->windows.by_key, w, next) {
		for (struct held *held = w->first; held; held = held->next)
			fn(ctx, &held->to);
	}
}

struct move {
	struct profile *to;
	const struct profile *from;
};

static void move_key(void *ctx, struct account *to)
{
	const struct move *move = ctx;
	struct profile_key *key = &to->key;

	key->comm = profile__comm(move->to, profile__comm_text(move->from, key->comm));
	key->kernel_stack = profile__copy_stack(move->to, move->from, key->kernel_stack);
	key->user_stack = profile__copy_stack(move->to, move->from, key->user_stack);
	key->data = profile__copy_stack(move->to, move->from, key->data);
}

void assembly__move_held(struct assembly *a, struct profile *to, const struct profile *from)
{
	struct move move = {to, from};

	assembly__each_held(a, move_key, &move);
}

void assembly__windows_done(struct assembly *a)
{
	struct sampled_window *w, *next;

	HASH_ITER(hh, a->windows.by_key, w, next) {
		struct held *after;

		for (struct held *held = w->first; held; held = after) {
			after = held->next;
			free(held);
		}
		HASH_DEL(a->windows.by_key, w);
		free(w);
	}
	free(a->windows.slowest);
	a->windows = (struct windows){0};
}
