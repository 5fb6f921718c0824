// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "unwind/tables.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "sym/silent.h"
#include "sym/table.h"
#include "sym/table_client.h"
#include "sys/clock.h"
#include "unwind/descriptions.h"
#include "unwind/lane.h"
#include "unwind/shares.h"
#include "unwind/waiting.h"

/* Room that was made for a file whose samples don't ask for it any more is anybody's. */
static const uint64_t RESERVED_NS = 3ULL * 1000 * 1000 * 1000;
/* Whose table was there for so long waits no longer for what was before. */
static const uint64_t PARDON_NS = 60ULL * 1000 * 1000 * 1000;
/* Files that a stack would have gone through behind that without a table: a program, libc. */
enum { BEYOND = 2 };
/* Of those that wait, in a round: each is compared with all that have a table. */
enum { AT_ONCE = 2 };

/* Of a file of more than 16 MiB a table may take seconds, and of one on a slow server. */
enum { LANE_SMALL, LANE_LARGE, N_LANES };
_Static_assert((int)N_LANES == (int)TABLES_HELPERS, "one each");
static const uint64_t SMALL_MOST = 1ULL << PART_SHIFT;

/* By a number of unwind/parts.h. */
struct wish {
	uint64_t hits;  /* samples that needed its table; 0: not wanted, or answered */
	bool unopened;  /* that is all that is wrong: another process may bring it */
	bool known;     /* of a file: it counts among those that have a table */
	bool large;     /* of a file: its tables, which may take long, are LANE_LARGE's */
	bool postponed; /* until there is room for whom it is being made */
};

struct tables {
	struct store *store;
	struct files *files;
	struct runtimes *runtimes;
	struct descriptions *descriptions;
	struct lane lanes[N_LANES];
	struct wish *wishes;
	size_t wanted; /* wishes that wait */
	size_t n_unopened;
	struct shares *shares;
	struct waiting *waiting; /* those that were refused, or evicted */
	uint64_t *cgroups;       /* by number: of the first sample that wanted it */
	struct claim crowded;    /* its table found no room; number 0: none */
	uint32_t second_try;     /* the file for which room was made; 0: none */
	struct table_room needs; /* that file */
	size_t n_postponed;      /* since then */
	uint64_t reserved_until; /* its samples don't ask for it any more: it is anybody's */
	struct silent silent;
	struct silent slow; /* where files lie that kept LANE_SMALL waiting */
	struct tables_totals totals;
	struct set_aside aside;
};

struct tables *tables__new(struct store *store, struct files *files, struct runtimes *runtimes,
			   int (*child)(int sock))
{
	struct tables *t = xcalloc(1, sizeof(*t));
	struct table_room room = store__room(store);

	t->store = store;
	t->files = files;
	t->runtimes = runtimes;
	t->descriptions = descriptions__new(files, runtimes, &t->silent);
	lane__init(&t->lanes[LANE_SMALL], child, SMALL_MOST);
	lane__init(&t->lanes[LANE_LARGE], child, UINT64_MAX);
	t->wishes = xcalloc(FILE_BEYOND, sizeof(*t->wishes));
	t->cgroups = xcalloc(FILE_BEYOND, sizeof(*t->cgroups));
	t->waiting = waiting__new();
	t->shares = shares__new(&room);
	return t;
}

struct tables *tables__free(struct tables *t)
{
	if (!t)
		return NULL;
	for (size_t i = 0; i < N_LANES; i++)
		lane__done(&t->lanes[i]);
	set_aside__done(&t->aside);
	descriptions__free(t->descriptions);
	shares__free(t->shares);
	waiting__free(t->waiting);
	free(t->cgroups);
	free(t->wishes);
	free(t);
	return NULL;
}

void tables__prepare(struct tables *t)
{
	table_client__prepare(t->lanes[LANE_SMALL].client);
}

static void answered(struct tables *t, uint32_t file)
{
	t->wanted -= t->wishes[file].hits > 0;
	t->wishes[file].hits = 0;
}

bool tables__waits(const struct tables *t, uint32_t file)
{
	return file && file < FILE_BEYOND && t->wishes[file].hits;
}

bool tables__want(struct tables *t, uint32_t file, uint64_t cgroup)
{
	if (!file || file >= FILE_BEYOND || store__state(t->store, file) == PMB_FILE_NEVER)
		return false;
	if (!t->wishes[file].hits++) {
		t->cgroups[file] = cgroup;
		t->wanted++;
	}
	return true;
}

/* Of a number's file; NULL: it is of none any more. */
static struct wish *of_file(const struct tables *t, uint32_t number)
{
	uint64_t from, to;
	uint32_t file = store__file(t->store, number, &from, &to);

	return file ? &t->wishes[file] : NULL;
}

/* Whose table it is, as far as is known: that a file is large its first answer says. */
static const struct lane *lane_of(const struct tables *t, uint32_t number)
{
	const struct wish *file = of_file(t, number);

	return &t->lanes[file && file->large ? LANE_LARGE : LANE_SMALL];
}

static const struct file *file_of(const struct tables *t, uint32_t number)
{
	uint64_t from, to;

	return files__get(t->files, store__file(t->store, number, &from, &to));
}

static struct silent_fs fs_of(const struct tables *t, uint32_t number)
{
	const struct file *f = file_of(t, number);

	return f ? (struct silent_fs){f->dev, f->mnt_ns} : (struct silent_fs){0};
}

/* Last what lies where files kept LANE_SMALL waiting; of equals whoever has more samples. The one
 * that room is being made for has to wait for it. */
static uint32_t most_wanted(const struct tables *t, const struct lane *lane)
{
	uint32_t best = 0, too_early = store__is_reserved(t->store) ? 0 : t->second_try;
	uint64_t most = 0, each, now = now_ns();
	size_t left = t->wanted;

	for (uint32_t i = 1; left && i < FILE_BEYOND; i++) {
		each = t->wishes[i].hits;
		left -= each > 0;
		if (each && !silent__refuses(&t->slow, fs_of(t, i), now))
			each |= 1ULL << 62;
		if (each > most && i != too_early && !t->wishes[i].postponed &&
		    lane_of(t, i) == lane) {
			best = i;
			most = each;
		}
	}
	return best;
}

/* 0; -EBUSY: the helper can't take it now; another negative errno: that file has gone. */
static int start(struct tables *t, struct lane *lane, uint32_t number)
{
	uint64_t from, to;
	uint32_t file = store__file(t->store, number, &from, &to);
	_cleanup_close_ int fd = files__lend_any(t->files, file);

	return fd < 0 ? -ENOENT : lane__start(lane, number, fd, from, to);
}

static void failed(struct tables *t, uint32_t file)
{
	t->totals.failed++;
	store__never(t->store, file);
}

/* Gives the helper the next file. True if one is known now not to get a table. */
static bool start_next(struct tables *t, struct lane *lane)
{
	bool changed = false;
	uint32_t file;
	int r;

	if (t->crowded.number)
		return false;
	while (!lane->building && (file = t->wanted ? most_wanted(t, lane) : 0)) {
		r = silent__refuses(&t->silent, fs_of(t, file), now_ns()) ? -EHOSTDOWN :
									    start(t, lane, file);
		if (r == 0 || r == -EBUSY)
			break;
		failed(t, file);
		t->n_unopened += r != -EHOSTDOWN && !t->wishes[file].unopened;
		t->wishes[file].unopened |= r != -EHOSTDOWN;
		answered(t, file);
		changed = true;
	}
	return changed;
}

/* Files that a process has brought since: their samples may ask again. */
static void look_again(struct tables *t)
{
	size_t left = t->n_unopened;

	for (uint32_t i = 1; left && i < FILE_BEYOND; i++) {
		const struct file *f = t->wishes[i].unopened ? file_of(t, i) : NULL;

		left -= t->wishes[i].unopened;
		if (!f || f->fd < 0)
			continue;
		t->wishes[i].unopened = false;
		t->n_unopened--;
		t->totals.failed--;
		store__forget(t->store, i);
	}
}

/* Until a busy helper listens the file stays open: LANE_LARGE may be busy for a minute. */
void tables__let_go(struct tables *t, uint32_t file, int fd)
{
	table_client__forget(t->lanes[LANE_SMALL].client, fd);
	if (file < FILE_BEYOND && t->wishes[file].large)
		table_client__forget(t->lanes[LANE_LARGE].client, fd);
}

static void set_aside(struct tables *t, const struct lane *lane, uint32_t file)
{
	const struct file *f = file_of(t, file);

	set_aside__add(&t->aside, f ? f->path : NULL, "unwind table",
		       table_client__trouble(lane->client));
}

/* Of a large file other parts may have been counted. */
static bool is_new(struct tables *t, uint32_t number)
{
	struct wish *file = of_file(t, number);
	bool known = !file || file->known;

	if (file)
		file->known = true;
	return !known;
}

/* It does without, until its turn comes again. */
static void refuse(struct tables *t, const struct claim *claim)
{
	t->totals.no_room += !waiting__met(t->waiting, claim->number);
	waiting__add(t->waiting, claim, now_ns());
	store__never(t->store, claim->number);
	answered(t, claim->number);
}

/* Its samples may ask for it again. */
static void let_in(struct tables *t, uint32_t number)
{
	waiting__end(t->waiting, number);
	store__forget(t->store, number);
}

static void settled(struct tables *t, const struct claim *claim)
{
	shares__hold(t->shares, claim, store__offsets(t->store, claim->number), now_ns());
	t->totals.built += is_new(t, claim->number);
	t->totals.readmitted += waiting__met(t->waiting, claim->number);
}

static void end_second_try(struct tables *t)
{
	t->second_try = 0;
	store__unreserve(t->store);
	for (uint32_t i = 1; t->n_postponed && i < FILE_BEYOND; i++)
		t->wishes[i].postponed = false;
	t->n_postponed = 0;
}

/* Room is being made for another: its samples wait until that is over. */
static void postpone(struct tables *t, uint32_t number)
{
	t->wishes[number].postponed = true;
	t->n_postponed++;
}

/* A table that was built: it finds room, or room has to be made, or it is refused. */
static void settle(struct tables *t, uint32_t number, const struct unwind_table *table)
{
	uint64_t from, to;
	struct claim claim = {
		.number = number,
		.file = store__file(t->store, number, &from, &to),
		.cgroup = t->cgroups[number],
		.need = {table->head.n_pages, table->head.n_rules, table->head.n_rows},
	};
	bool again = t->second_try == number;
	struct table_room room;

	if (!shares__may(t->shares, &claim)) {
		t->totals.over_budget += !waiting__met(t->waiting, number);
		refuse(t, &claim);
	} else if (t->second_try && !again && store__makes_room(t->store)) {
		postpone(t, number);
	} else if (store__put(t->store, number, table)) {
		settled(t, &claim);
	} else {
		room = store__room(t->store);
		shares__resize(t->shares, &room);
		if (again)
			refuse(t, &claim);
		else if (t->second_try)
			postpone(t, number);
		else
			t->crowded = claim; /* what the other lane brought is built again */
	}
	if (again)
		end_second_try(t);
}

static void put(struct tables *t, const struct lane *lane, const struct lane_answer *a)
{
	struct unwind_table table;
	uint64_t from, to;

	if (unwind_table__read(a->fd, &table) < 0) {
		table_client__distrust(lane->client);
		set_aside(t, lane, a->number);
		failed(t, a->number);
		return;
	}
	runtimes__note(t->runtimes, store__file(t->store, a->number, &from, &to), &table);
	if (table.head.n_pages && table.head.n_rules)
		settle(t, a->number, &table);
	else
		failed(t, a->number);
	unwind_table__done(&table);
}

static void take(struct tables *t, const struct lane *lane, const struct lane_answer *a)
{
	if (a->status == TABLE_BUILT) {
		put(t, lane, a);
	} else if (a->status == TABLE_BAD_FILE) {
		/* code that somebody wrote into a file: a JIT's, an archive of Java's */
		t->totals.frames += is_new(t, a->number);
		store__put_frames(t->store, a->number);
	} else {
		if (a->status == TABLE_HELPER)
			set_aside(t, lane, a->number);
		if (a->status == TABLE_HELPER && table_client__was_stuck(lane->client))
			silent__add(&t->silent, fs_of(t, a->number), now_ns());
		failed(t, a->number);
	}
}

/* What was forgotten becomes free after a while (unwind/store.c): nobody else may be faster
 * then. */
static void reserve(struct tables *t, uint64_t now)
{
	if (!t->second_try)
		return;
	if (!store__is_reserved(t->store))
		store__reserve(t->store, t->second_try, &t->needs);
	if (now < t->reserved_until || t->lanes[LANE_SMALL].building == t->second_try ||
	    t->lanes[LANE_LARGE].building == t->second_try)
		return;
	/* there is room, and nobody wants it; or there is none in spite of all */
	if (!t->wishes[t->second_try].hits || !store__is_reserved(t->store))
		end_second_try(t);
}

/* True if its file changed its state. */
static bool finished(struct tables *t, const struct lane *lane, const struct lane_answer *a)
{
	struct wish *file = of_file(t, a->number);

	t->totals.build_ns += a->took_ns;
	/* the number may be another file's by now, that waits for its turn */
	if (a->swept || a->again || !file)
		return false;
	file->large |= a->status == TABLE_LARGE;
	if (a->late)
		silent__add(&t->slow, fs_of(t, a->number), now_ns());
	else if (a->status == TABLE_LARGE) /* its tables take long, and names need none */
		tables__met(t, (uint32_t)(file - t->wishes));
	if (a->status == TABLE_LARGE)
		return false;
	take(t, lane, a);
	if (t->crowded.number != a->number && !t->wishes[a->number].postponed)
		answered(t, a->number);
	return true;
}

void tables__met(struct tables *t, uint32_t file)
{
	descriptions__want(t->descriptions, file);
}

bool tables__work(struct tables *t)
{
	struct lane *small = &t->lanes[LANE_SMALL];
	uint64_t now = now_ns();
	struct lane_answer a;
	bool changed = false;

	look_again(t);
	shares__tick(t->shares, now);
	reserve(t, now);
	for (size_t i = 0; i < N_LANES; i++) {
		if (!lane__finish(&t->lanes[i], now, &a))
			continue;
		if (a.describes)
			descriptions__take(t->descriptions, &t->lanes[i], &a);
		else
			changed |= finished(t, &t->lanes[i], &a);
		cleanup_close(&a.fd);
	}
	/* in turn with tables: a program that maps file after file doesn't hold these up */
	if (!small->building && !(small->describes && t->wanted && most_wanted(t, small)))
		descriptions__start(t->descriptions, small);
	for (size_t i = 0; i < N_LANES; i++)
		changed |= start_next(t, &t->lanes[i]);
	return changed;
}

bool tables__short(const struct tables *t)
{
	return shares__short(t->shares);
}

/* Each has an equal part in it: who goes through many files has no more to say. */
void tables__sampled(struct tables *t, const uint32_t *files, size_t n, bool whole)
{
	size_t parts = whole ? n : n + BEYOND;

	for (size_t i = 0; i < n; i++)
		shares__credit(t->shares, files[i], (uint32_t)(SHARES_SAMPLE / parts));
}

bool tables__crowded(const struct tables *t)
{
	return t->crowded.number ||
	       (!t->second_try && waiting__due(t->waiting, t->shares, now_ns()));
}

static void evict(struct tables *t, uint32_t number, const bool *used, size_t n_used)
{
	struct claim claim = shares__claim(t->shares, number);
	uint64_t now = now_ns(), since = shares__release(t->shares, number);

	t->totals.evicted++;
	if (claim.file >= n_used || !used[claim.file]) {
		store__forget(t->store, number);
		return;
	}
	t->totals.evicted_mapped++;
	if (now - since > PARDON_NS)
		waiting__forget(t->waiting, number);
	waiting__add(t->waiting, &claim, now);
	store__never(t->store, number);
}

/* True if there is room for it, or others make some. */
static bool room_for(struct tables *t, const struct claim *claim, const bool *used, size_t n_used)
{
	_cleanup_free_ uint32_t *victims = NULL;
	size_t n;

	if (!shares__may(t->shares, claim))
		return false;
	if (!shares__fits(t->shares, claim)) {
		victims = xcalloc(PMB_FILES_MAX, sizeof(*victims));
		n = shares__victims(t->shares, claim, used, n_used, victims);
		for (size_t i = 0; i < n; i++)
			evict(t, victims[i], used, n_used);
		if (!n)
			return false;
	}
	t->second_try = claim->number;
	t->needs = claim->need;
	t->reserved_until = now_ns() + RESERVED_NS;
	store__reserve(t->store, t->second_try, &t->needs);
	return true;
}

void tables__make_room(struct tables *t, const bool *used, size_t n_used)
{
	struct claim claim = t->crowded;
	const struct claim *due;

	t->crowded = (struct claim){0};
	if (claim.number && !room_for(t, &claim, used, n_used))
		refuse(t, &claim);
	for (int i = 0; i < AT_ONCE && !t->second_try; i++) {
		due = waiting__due(t->waiting, t->shares, now_ns());
		if (!due)
			break;
		claim = *due;
		if (room_for(t, &claim, used, n_used))
			let_in(t, claim.number);
		else
			waiting__add(t->waiting, &claim, now_ns());
	}
}

bool tables__busy(const struct tables *t)
{
	return t->wanted;
}

bool tables__undescribed(const struct tables *t)
{
	return descriptions__wait(t->descriptions) || tables__describes(t, LANE_SMALL);
}

bool tables__describes(const struct tables *t, size_t helper)
{
	return t->lanes[helper].building && t->lanes[helper].describes;
}

int tables__fd(const struct tables *t, size_t helper)
{
	return table_client__poll_fd(t->lanes[helper].client);
}

/* True if the number's file is no longer known. */
static bool is_gone(const struct tables *t, uint32_t number)
{
	return of_file(t, number) && !file_of(t, number);
}

void tables__swept(struct tables *t)
{
	for (uint32_t i = 1; i < FILE_BEYOND; i++) {
		if (!is_gone(t, i))
			continue;
		for (size_t n = 0; n < N_LANES; n++)
			lane__swept(&t->lanes[n], i);
		answered(t, i);
		t->n_unopened -= t->wishes[i].unopened;
		t->wishes[i] = (struct wish){0};
		shares__forget(t->shares, i);
		waiting__forget(t->waiting, i);
		if (t->second_try == i)
			end_second_try(t);
		t->crowded.number = t->crowded.number == i ? 0 : t->crowded.number;
	}
	for (uint32_t i = 1; i < PART_FIRST; i++) {
		if (is_gone(t, i))
			store__forget_file(t->store, i);
	}
}

const struct tables_totals *tables__totals(const struct tables *t)
{
	return &t->totals;
}

uint64_t tables__helpers_ns(const struct tables *t)
{
	return lanes__cpu_ns(t->lanes, N_LANES);
}

uint64_t tables__helpers_rss_bytes(const struct tables *t)
{
	return lanes__rss_bytes(t->lanes, N_LANES);
}

unsigned tables__n_helpers(const struct tables *t)
{
	return 1 + t->lanes[LANE_LARGE].used;
}

uint64_t tables__helper_delayed_ns(const struct tables *t, size_t helper)
{
	return table_client__delayed_ns(t->lanes[helper].client);
}

struct set_aside *tables__set_aside(struct tables *t)
{
	return &t->aside;
}
