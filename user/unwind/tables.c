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

/* A 100 MB binary takes a second or two; a hostile one may take all of it, once. */
static const uint64_t BUILD_NS = 10ULL * 1000 * 1000 * 1000;

/* What was forgotten is free once no overflow can be reading it (unwind/store.c), seen at two rounds. */
static const uint64_t ROOM_NS = 400ULL * 1000 * 1000;

/* By a number of unwind/parts.h. */
struct wish {
	uint64_t hits; /* samples that needed its table; 0: not wanted, or answered */
	bool unopened; /* it gets none only because nobody could open it: another process may bring it */
	bool known; /* of a file: it counts among those that have a table */
};

struct tables {
	struct store *store;
	struct files *files;
	struct table_client *client;
	struct wish *wishes;
	size_t wanted; /* wishes that wait */
	size_t n_unopened;
	uint32_t building; /* 0: the helper has nothing to do */
	uint64_t since;
	bool swept;          /* what is being built is of a file that is no longer known */
	uint32_t crowded;    /* the file whose table found no room; 0: none */
	uint32_t second_try; /* the file for which room was made */
	uint32_t
		asked_twice; /* the file at which a helper was stuck that had been asked about others */
	uint64_t not_before; /* room that was made becomes free after a while */
	struct silent silent;
	struct tables_totals totals;
	struct set_aside aside;
};

struct tables *tables__new(struct store *store, struct files *files)
{
	struct tables *t = xcalloc(1, sizeof(*t));

	t->store = store;
	t->files = files;
	t->client = table_client__new(NULL);
	t->wishes = xcalloc(FILE_BEYOND, sizeof(*t->wishes));
	return t;
}

struct tables *tables__free(struct tables *t)
{
	if (!t)
		return NULL;
	table_client__free(t->client);
	set_aside__done(&t->aside);
	free(t->wishes);
	free(t);
	return NULL;
}

void tables__prepare(struct tables *t)
{
	table_client__prepare(t->client);
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

bool tables__want(struct tables *t, uint32_t file)
{
	if (!file || file >= FILE_BEYOND || store__state(t->store, file) == PMB_FILE_NEVER)
		return false;
	t->wanted += t->wishes[file].hits == 0;
	t->wishes[file].hits++;
	return true;
}

static uint32_t most_wanted(const struct tables *t)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < FILE_BEYOND; i++) {
		if (t->wishes[i].hits > t->wishes[best].hits)
			best = i;
	}
	return best;
}

static const struct file *file_of(const struct tables *t, uint32_t number)
{
	uint64_t from, to;

	return files__get(t->files, store__file(t->store, number, &from, &to));
}

static struct silent_place place_of(const struct tables *t, uint32_t number)
{
	const struct file *f = file_of(t, number);

	return f ? (struct silent_place){f->dev, f->mnt_ns} : (struct silent_place){0};
}

/* 0; -EBUSY: the helper can't take it now; another negative errno: there is no such file any more. */
static int start(struct tables *t, uint32_t number)
{
	uint64_t from, to;
	uint32_t file = store__file(t->store, number, &from, &to);
	const struct file *f = files__get(t->files, file);
	_cleanup_close_ int again = f && f->fd < 0 ? files__reopen(t->files, file) : -1;
	int found = f && f->fd >= 0 ? f->fd : again;
	_cleanup_close_ int fd = found < 0 ? -1 : files__lend(t->files, file, found);

	t->since = now_ns();
	return fd < 0 ? -ENOENT : table_client__start(t->client, fd, from, to, t->since + BUILD_NS);
}

static void failed(struct tables *t, uint32_t file)
{
	t->totals.failed++;
	store__never(t->store, file);
}

/* Gives the helper the next file. True if one is known now not to get a table. */
static bool start_next(struct tables *t)
{
	bool changed = false;
	uint32_t file;
	int r;

	if (t->crowded || now_ns() < t->not_before)
		return false;
	while (!t->building && (file = t->wanted ? most_wanted(t) : 0)) {
		r = silent__refuses(&t->silent, place_of(t, file), now_ns()) ? -EHOSTDOWN :
									       start(t, file);
		if (r == 0)
			t->building = file;
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
	for (uint32_t i = 1; t->n_unopened && i < FILE_BEYOND; i++) {
		const struct file *f = t->wishes[i].unopened ? file_of(t, i) : NULL;

		if (!f || f->fd < 0)
			continue;
		t->wishes[i].unopened = false;
		t->n_unopened--;
		t->totals.failed--;
		store__forget(t->store, i);
	}
}

static void no_room(struct tables *t, uint32_t file)
{
	t->totals.no_room++;
	store__never(t->store, file);
}

bool tables__crowded(const struct tables *t)
{
	return t->crowded;
}

void tables__make_room(struct tables *t, const bool *used, size_t n_used)
{
	uint64_t before = t->totals.evicted, from, to;

	for (uint32_t i = 1; i < FILE_BEYOND; i++) {
		uint32_t file = store__file(t->store, i, &from, &to);

		if ((file < n_used && used[file]) || store__state(t->store, i) != PMB_FILE_TABLE)
			continue;
		store__forget(t->store, i);
		t->totals.evicted++;
	}
	if (t->totals.evicted > before) {
		t->second_try = t->crowded;
		t->not_before = now_ns() + ROOM_NS;
	} else {
		no_room(t, t->crowded);
		answered(t, t->crowded);
	}
	t->crowded = 0;
}

static void set_aside(struct tables *t, uint32_t file)
{
	const struct file *f = file_of(t, file);

	set_aside__add(&t->aside, f ? f->path : NULL, "unwind table",
		       table_client__trouble(t->client));
}

/* Of a large file other parts may have been counted. */
static bool is_new(struct tables *t, uint32_t number)
{
	uint64_t from, to;
	struct wish *of_file = &t->wishes[store__file(t->store, number, &from, &to)];
	bool known = of_file->known;

	of_file->known = true;
	return !known;
}

static void put(struct tables *t, uint32_t file, int fd)
{
	struct unwind_table table;

	if (unwind_table__read(fd, &table) < 0) {
		table_client__distrust(t->client);
		set_aside(t, file);
		failed(t, file);
		return;
	}
	if (store__put(t->store, file, &table))
		t->totals.built += is_new(t, file);
	else if (t->second_try != file)
		t->crowded = file;
	else
		no_room(t, file);
	unwind_table__done(&table);
}

static void take(struct tables *t, uint32_t file, enum table_status status, int fd)
{
	if (status == TABLE_BUILT) {
		put(t, file, fd);
	} else if (status == TABLE_BAD_FILE) {
		/* code that somebody wrote into a file: a JIT's, an archive of Java's */
		t->totals.frames += is_new(t, file);
		store__put_frames(t->store, file);
	} else {
		if (status == TABLE_HELPER)
			set_aside(t, file);
		if (status == TABLE_HELPER && table_client__was_stuck(t->client))
			silent__add(&t->silent, place_of(t, file), now_ns());
		failed(t, file);
	}
}

/* A file that was not closed yet may be what it was stuck at: then a new one is asked. */
static bool asks_again(struct tables *t, enum table_status status)
{
	bool again = status == TABLE_HELPER && table_client__was_stuck(t->client) &&
		     table_client__was_used(t->client) && t->asked_twice != t->building;

	t->asked_twice = again ? t->building : 0;
	return again;
}

bool tables__work(struct tables *t)
{
	_cleanup_close_ int fd = -1;
	enum table_status status;
	uint64_t now = now_ns();
	bool again;

	look_again(t);
	if (!t->building)
		return start_next(t);
	status = table_client__finish(t->client, now, &fd);
	if (status == TABLE_PENDING)
		return false;
	t->totals.build_ns += now - t->since;
	again = asks_again(t, status);
	if (!t->swept && !again)
		take(t, t->building, status, fd);
	t->swept = false;
	if (!t->crowded && !again)
		answered(t, t->building);
	t->building = 0;
	start_next(t);
	return true;
}

bool tables__busy(const struct tables *t)
{
	return t->wanted;
}

int tables__fd(const struct tables *t)
{
	return table_client__poll_fd(t->client);
}

/* True if the number's file is no longer known. */
static bool is_gone(const struct tables *t, uint32_t number)
{
	uint64_t from, to;
	uint32_t file = store__file(t->store, number, &from, &to);

	return file && !files__get(t->files, file);
}

void tables__swept(struct tables *t)
{
	for (uint32_t i = 1; i < FILE_BEYOND; i++) {
		if (!is_gone(t, i))
			continue;
		t->swept |= t->building == i;
		answered(t, i);
		t->n_unopened -= t->wishes[i].unopened;
		t->wishes[i].unopened = t->wishes[i].known = false;
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

uint64_t tables__helper_ns(const struct tables *t)
{
	return table_client__cpu_ns(t->client);
}

uint64_t tables__helper_rss_bytes(const struct tables *t)
{
	return table_client__rss_bytes(t->client);
}

struct set_aside *tables__set_aside(struct tables *t)
{
	return &t->aside;
}
