// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: a hostile container decides how many files it has, how large their tables are,
 * through how many of them its stacks go and, up to a limit, how often it is sampled. So one sample
 * gives one credit, however many tables it went through; what counts is credit for what a table
 * takes; and below its share a cgroup needs no credit at all. Pages and rules of a table lie in one
 * piece, so those that go have to be neighbours.
 */
#include "unwind/shares.h"

#include <linux/types.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/search.h"
#include "pmubpf/unwind.h"

static const uint64_t FADE_NS = 4ULL * 1000 * 1000 * 1000;
/* Who had no sample for so long while they were counted is idle. */
static const uint64_t IDLE_NS = 12ULL * 1000 * 1000 * 1000;

enum {
	N_KINDS = 3,
	N_PLACED = 2,   /* of these, those that lie in one piece: pages, rules */
	UNIT = 1 << 16, /* all there is of a kind */
	/* Scatter: what has few samples, or hardly more than others, makes nobody go. */
	CREDIT_AT_LEAST = 2 * SHARES_SAMPLE,
	IDLE_CREDIT = SHARES_SAMPLE / 16,
};

struct cgroup {
	uint64_t id;
	uint32_t held[N_KINDS];
	uint32_t tables;
	UT_hash_handle hh;
};

struct holder {
	struct cgroup *cgroup; /* NULL: it has no table */
	uint32_t file;
	uint32_t need[N_KINDS];
	uint32_t at[N_PLACED];
	uint32_t credit;
	uint64_t since_ns;
};

struct shares {
	uint32_t all[N_KINDS];
	uint32_t held[N_KINDS];
	struct cgroup *cgroups;
	struct holder *of;            /* by number */
	struct holder **by[N_PLACED]; /* those that have a table, by where it lies */
	size_t n;
	uint64_t counting_ns; /* since when samples are counted; 0: they are not */
	uint64_t fade_ns;     /* when they fade next */
};

static void kinds(const struct table_room *room, uint32_t ret[N_KINDS])
{
	ret[0] = room->pages;
	ret[1] = room->rules;
	ret[2] = room->rows;
}

struct shares *shares__new(const struct table_room *all)
{
	struct shares *s = xcalloc(1, sizeof(*s));

	kinds(all, s->all);
	s->of = xcalloc(PMB_FILES_MAX, sizeof(*s->of));
	for (int i = 0; i < N_PLACED; i++)
		s->by[i] = xcalloc(PMB_FILES_MAX, sizeof(*s->by[i]));
	return s;
}

struct shares *shares__free(struct shares *s)
{
	struct cgroup *c, *next;

	if (!s)
		return NULL;
	HASH_ITER(hh, s->cgroups, c, next) {
		HASH_DEL(s->cgroups, c);
		free(c);
	}
	for (int i = 0; i < N_PLACED; i++)
		free(s->by[i]);
	free(s->of);
	free(s);
	return NULL;
}

static struct cgroup *find_cgroup(const struct shares *s, uint64_t id)
{
	struct cgroup *c;

	HASH_FIND(hh, s->cgroups, &id, sizeof(id), c);
	return c;
}

/* The first that does not lie before `at`. */
static size_t first_at(const struct shares *s, int kind, uint32_t at)
{
	return FIRST_INDEX(i, s->n, s->by[kind][i]->at[kind] >= at);
}

static void insert(struct shares *s, struct holder *h)
{
	for (int i = 0; i < N_PLACED; i++) {
		struct holder **at = &s->by[i][first_at(s, i, h->at[i])];

		memmove(at + 1, at, (size_t)(&s->by[i][s->n] - at) * sizeof(*at));
		*at = h;
	}
	s->n++;
}

static void take_out(struct shares *s, const struct holder *h)
{
	s->n--;
	for (int i = 0; i < N_PLACED; i++) {
		struct holder **at = s->by[i];

		while (*at != h)
			at++;
		memmove(at, at + 1, (size_t)(&s->by[i][s->n] - at) * sizeof(*at));
	}
}

void shares__resize(struct shares *s, const struct table_room *all)
{
	kinds(all, s->all);
}

void shares__hold(struct shares *s, const struct claim *claim, struct table_offsets offsets,
		  uint64_t now_ns)
{
	struct holder *h = &s->of[claim->number];
	struct cgroup *c;

	shares__release(s, claim->number);
	c = find_cgroup(s, claim->cgroup);
	if (!c) {
		c = xcalloc(1, sizeof(*c));
		c->id = claim->cgroup;
		HASH_ADD(hh, s->cgroups, id, sizeof(c->id), c);
	}
	c->tables++;
	h->cgroup = c;
	h->file = claim->file;
	h->since_ns = now_ns;
	h->at[0] = offsets.pages_at;
	h->at[1] = offsets.rules_at;
	kinds(&claim->need, h->need);
	for (int i = 0; i < N_KINDS; i++) {
		c->held[i] += h->need[i];
		s->held[i] += h->need[i];
	}
	insert(s, h);
}

uint64_t shares__release(struct shares *s, uint32_t number)
{
	struct holder *h = &s->of[number];
	struct cgroup *c = h->cgroup;

	if (!c)
		return 0;
	for (int i = 0; i < N_KINDS; i++) {
		c->held[i] -= h->need[i];
		s->held[i] -= h->need[i];
	}
	h->cgroup = NULL;
	take_out(s, h);
	if (!--c->tables) {
		HASH_DEL(s->cgroups, c);
		free(c);
	}
	return h->since_ns;
}

struct claim shares__claim(const struct shares *s, uint32_t number)
{
	const struct holder *h = &s->of[number];

	return (struct claim){
		.number = number,
		.file = h->file,
		.cgroup = h->cgroup ? h->cgroup->id : 0,
		.need = {h->need[0], h->need[1], h->need[2]},
	};
}

void shares__forget(struct shares *s, uint32_t number)
{
	shares__release(s, number);
	s->of[number].credit = 0;
}

bool shares__may(const struct shares *s, const struct claim *claim)
{
	uint32_t sum[N_KINDS];

	kinds(&claim->need, sum);
	for (size_t n = 0; n < PMB_FILES_MAX; n++) {
		const struct holder *h = &s->of[n];

		if (!h->cgroup || h->file != claim->file || n == claim->number)
			continue;
		for (int i = 0; i < N_KINDS; i++)
			sum[i] += h->need[i];
	}
	return sum[0] <= s->all[0] / SHARES_OF_FILE && sum[1] <= s->all[1] / SHARES_RULES_OF_FILE &&
	       sum[2] <= s->all[2] / SHARES_OF_FILE;
}

bool shares__short(const struct shares *s)
{
	for (int i = 0; i < N_KINDS; i++) {
		if (s->held[i] > s->all[i] / 2)
			return true;
	}
	return false;
}

void shares__credit(struct shares *s, uint32_t number, uint32_t credit)
{
	struct holder *h = &s->of[number];

	h->credit = credit < UINT32_MAX - h->credit ? h->credit + credit : UINT32_MAX;
}

uint32_t shares__credit_of(const struct shares *s, uint32_t number)
{
	return s->of[number].credit;
}

static void fade(struct shares *s, bool all)
{
	for (size_t n = 0; n < PMB_FILES_MAX; n++)
		s->of[n].credit = all ? 0 : s->of[n].credit / 2;
}

void shares__tick(struct shares *s, uint64_t now_ns)
{
	if (!shares__short(s)) {
		s->counting_ns = 0;
		return;
	}
	if (!s->counting_ns) {
		s->counting_ns = now_ns;
		s->fade_ns = now_ns + FADE_NS;
		fade(s, true);
	}
	for (; now_ns >= s->fade_ns; s->fade_ns += FADE_NS)
		fade(s, false);
}

/* What it takes of all there is, of the kinds that are short. At least 1. */
static uint64_t cost(const struct shares *s, const uint32_t need[N_KINDS],
		     const bool lacks[N_KINDS])
{
	uint64_t most = 0;

	for (int i = 0; i < N_KINDS; i++) {
		uint64_t part = s->all[i] ? (uint64_t)need[i] * UNIT / s->all[i] : 0;

		if (lacks[i] && part > most)
			most = part;
	}
	return most + 1;
}

static bool beyond_share(const struct shares *s, const uint32_t held[N_KINDS],
			 const bool lacks[N_KINDS])
{
	for (int i = 0; i < N_KINDS; i++) {
		if (lacks[i] && held[i] > s->all[i] / SHARES_OF_CGROUP)
			return true;
	}
	return false;
}

/* Of the claim: what it lacks, and whether its cgroup is within its share with it. */
struct case_of {
	const struct shares *s;
	const struct claim *claim;
	uint32_t need[N_KINDS];
	bool lacks[N_KINDS];
	bool within;
	uint64_t credit, cost;
	const bool *used;
	size_t n_used;
	bool *goes; /* by number */
};

/* For what it takes. */
static uint64_t worth_of(const struct case_of *c, const struct holder *h)
{
	return (uint64_t)h->credit * UNIT / cost(c->s, h->need, c->lacks);
}

/* Nobody would miss it. */
static bool is_idle(const struct case_of *c, const struct holder *h)
{
	bool mapped = h->file < c->n_used && c->used[h->file];
	uint64_t counted = c->s->fade_ns - c->s->counting_ns;

	if (!mapped)
		return h->credit < SHARES_SAMPLE;
	return h->credit < IDLE_CREDIT && c->s->counting_ns && counted > IDLE_NS;
}

static bool may_go(const struct case_of *c, const struct holder *h)
{
	bool others = h->cgroup->id != c->claim->cgroup;
	bool borrows = beyond_share(c->s, h->cgroup->held, c->lacks);

	if (is_idle(c, h) || (c->within && others && borrows))
		return true;
	/* who is beyond its share takes nothing of those within */
	if (!c->within && others && !borrows)
		return false;
	return c->credit >= CREDIT_AT_LEAST && c->credit * UNIT / c->cost > 2 * worth_of(c, h);
}

/* Neighbours, by where they lie: from `first` to the one before `last`; none if these are equal. */
struct run {
	size_t first, last;
	uint64_t credit;
};

/* From the end of the one before them to the start of the one behind them. */
static uint64_t span(const struct case_of *c, int kind, const struct run *r)
{
	struct holder *const *all = c->s->by[kind];
	const struct holder *before = r->first ? all[r->first - 1] : NULL;
	uint64_t from = before ? before->at[kind] + before->need[kind] : 0;
	uint64_t to = r->last < c->s->n ? all[r->last]->at[kind] : c->s->all[kind];

	return to > from ? to - from : 0;
}

/* Of the runs that make room enough the one with the fewest samples. False: there is none. */
static bool best_run(const struct case_of *c, int kind, bool none_goes, struct run *ret)
{
	struct holder *const *all = c->s->by[kind];
	struct run r = {0};
	bool found = false;

	while (r.first <= c->s->n) {
		if (span(c, kind, &r) >= c->need[kind]) {
			if (!found || r.credit < ret->credit)
				*ret = r;
			found = true;
			if (r.first == r.last) /* a gap: there is nothing better */
				return true;
			r.credit -= all[r.first++]->credit;
		} else if (r.last < c->s->n && !none_goes && may_go(c, all[r.last])) {
			r.credit += all[r.last++]->credit;
		} else {
			r = (struct run){r.last + 1, r.last + 1, 0};
		}
	}
	return found;
}

static uint32_t spare_rows(const struct shares *s)
{
	return s->all[2] > s->held[2] ? s->all[2] - s->held[2] : 0;
}

/* What there is no gap for. */
static void find_lacks(struct case_of *c)
{
	struct run gap;

	for (int i = 0; i < N_PLACED; i++)
		c->lacks[i] = !best_run(c, i, true, &gap);
	c->lacks[2] = c->need[2] > spare_rows(c->s);
}

bool shares__fits(const struct shares *s, const struct claim *claim)
{
	struct case_of c = {.s = s, .claim = claim};

	kinds(&claim->need, c.need);
	find_lacks(&c);
	return !c.lacks[0] && !c.lacks[1] && !c.lacks[2];
}

struct victim {
	uint64_t worth;
	const struct holder *holder;
};

static int by_worth(const void *a, const void *b)
{
	const struct victim *x = a, *y = b;

	return x->worth != y->worth ? (x->worth > y->worth) - (x->worth < y->worth) :
				      (x->holder > y->holder) - (x->holder < y->holder);
}

/* Those with the fewest samples, until there are rows enough. */
static bool choose_for_rows(struct case_of *c)
{
	_cleanup_free_ struct victim *all = xcalloc(c->s->n + 1, sizeof(*all));
	uint64_t there = spare_rows(c->s);
	size_t n = 0;

	for (size_t i = 0; i < c->s->n; i++) {
		const struct holder *h = c->s->by[0][i];

		if (c->goes[h - c->s->of])
			there += h->need[2];
		else if (h->need[2] && may_go(c, h))
			all[n++] = (struct victim){worth_of(c, h), h};
	}
	qsort(all, n, sizeof(*all), by_worth);
	for (size_t i = 0; i < n && there < c->need[2]; i++) {
		c->goes[all[i].holder - c->s->of] = true;
		there += all[i].holder->need[2];
	}
	return there >= c->need[2];
}

static bool choose(struct case_of *c)
{
	struct run r;

	for (int i = 0; i < N_PLACED; i++) {
		if (!c->lacks[i])
			continue;
		if (!best_run(c, i, false, &r))
			return false;
		for (size_t k = r.first; k < r.last; k++)
			c->goes[c->s->by[i][k] - c->s->of] = true;
	}
	return !c->lacks[2] || choose_for_rows(c);
}

size_t shares__victims(const struct shares *s, const struct claim *claim, const bool *used,
		       size_t n_used, uint32_t *ret)
{
	_cleanup_free_ bool *goes = xcalloc(PMB_FILES_MAX, sizeof(*goes));
	struct case_of c = {.s = s, .claim = claim, .used = used, .n_used = n_used, .goes = goes};
	const struct cgroup *cgroup = find_cgroup(s, claim->cgroup);
	uint32_t held[N_KINDS];
	size_t n = 0;

	kinds(&claim->need, c.need);
	find_lacks(&c);
	for (int i = 0; i < N_KINDS; i++)
		held[i] = (cgroup ? cgroup->held[i] : 0) + c.need[i];
	c.within = !beyond_share(s, held, c.lacks);
	c.credit = s->of[claim->number].credit;
	c.cost = cost(s, c.need, c.lacks);
	if (choose(&c)) {
		for (uint32_t i = 1; i < PMB_FILES_MAX; i++) {
			if (goes[i])
				ret[n++] = i;
		}
	}
	return n;
}
