// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * pmubpf symbolize: names for what was recorded where they were missing. All places are collected
 * first, so that each file is read once; windows of a folder are then written anew, and a server
 * gets the names as rows of their own.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/cmd.h"
#include "cmd/output.h"
#include "cmd/profiles.h"
#include "cmd/symbolize_args.h"
#include "prof/symbolize.h"
#include "render/escape.h"
#include "session/signals.h"
#include "ship/fleet.h"
#include "ship/fleet_names.h"
#include "spool/folder.h"
#include "sym/debuginfod.h"

enum { MOST_LINES = 20 };

struct symbolize_run {
	struct symbolize_args args;
	struct name_book *book; /* of what has no name */
	struct symbolized did;
	struct folder folder; /* that is rewritten */
	struct folder_news news;
	uint64_t rewritten, without_room;
};

static void symbolize_run__done(struct symbolize_run *run)
{
	name_book__free(run->book);
	folder__done(&run->folder);
	symbolize_args__done(&run->args);
}

/* ---------------------------------------------------------------- names */

/* Places without a name, by their files. */
static void say_unnamed(const struct symbolize_run *run)
{
	const struct prof *p = name_book__prof(run->book);
	_cleanup_free_ size_t *places = xcalloc(p->n_mappings, sizeof(*places));
	size_t files = 0;

	for (uint32_t i = 1; i < p->n_locations; i++)
		places[p->locations[i].mapping] += !p->locations[i].n_lines;
	for (uint32_t m = 1; m < p->n_mappings; m++) {
		_cleanup_(buf__done) struct buf file = {0};

		if (!places[m] || ++files > MOST_LINES)
			continue;
		escape_name(&file, prof__text(p, p->mappings[m].file));
		buf__puts(&file, " (build-id ");
		escape_name(&file, prof__text(p, p->mappings[m].build_id));
		fprintf(stderr, "pmubpf: no names for %zu addresses of %s)\n", places[m],
			file.data);
	}
	if (files > MOST_LINES)
		fprintf(stderr, "pmubpf: and for some of %zu more files\n", files - MOST_LINES);
}

static int find_names(struct symbolize_run *run, struct err *err)
{
	const struct symbolize_args *a = &run->args;
	struct debuginfod *servers = a->debuginfod ? debuginfod__new() : NULL;
	const struct symbol_files where = {
		.dirs = a->dirs,
		.n_dirs = a->n_dirs,
		.here = true,
		.servers = servers,
	};
	struct sym *sym;
	int r = sym__new(&sym, err);

	if (r == 0) {
		sym__want(sym, true, true, false);
		r = name_book__find(run->book, &where, sym, &run->did, err);
		sym__free(sym);
	}
	debuginfod__done(&servers);
	if (r < 0 || a->quiet)
		return r;
	fprintf(stderr, "pmubpf: %zu of %zu files found, %zu of %zu addresses named\n",
		run->did.found, run->did.mappings, run->did.named, run->did.locations);
	say_unnamed(run);
	return 0;
}

/* ---------------------------------------------------------------- a folder */

static int want(void *ctx, const struct window_id *id, struct prof **p, struct err *err)
{
	struct symbolize_run *run = ctx;

	(void)id;
	(void)err;
	name_book__want_all(run->book, *p);
	return 0;
}

static int rewrite(void *ctx, const struct window_id *id, struct prof **p, struct err *err)
{
	struct symbolize_run *run = ctx;
	_cleanup_close_ int fd = -1;
	int r;

	if (!name_book__apply(run->book, p))
		return 0;
	fd = profile__pack(*p);
	r = fd < 0 ? fd : folder__replace(&run->folder, id, fd, &run->news);
	if (r == -ENOENT) /* the agent has just removed it */
		return 0;
	run->rewritten += r == 0;
	run->without_room += r == -EFBIG;
	if (r == 0 || r == -EFBIG)
		return 0;
	return err__set(err, r, "can't write to '%s': %s", run->args.from.dir,
			r == -EBUSY ? "its agent has been writing to it for some seconds" :
				      strerror(-r));
}

static int open_folder(struct symbolize_run *run, struct err *err)
{
	const char *path = run->args.from.dir;
	int r, dir = folder__open_there(path, err);

	if (dir < 0)
		return dir;
	r = folder__join(&run->folder, dir);
	if (r == -EBUSY)
		return err__set(err, r,
				"the agent that writes to '%s' is of an older version, which "
				"wouldn't know of other writers: restart it first",
				path);
	return r < 0 ? err__set(err, r, "can't write to '%s': %s", path, strerror(-r)) : 0;
}

static void say_windows(const struct symbolize_run *run, int n)
{
	if (!run->args.quiet)
		fprintf(stderr, "pmubpf: %" PRIu64 " of %d windows have more names now\n",
			run->rewritten, n);
	if (run->news.over)
		fprintf(stderr,
			"pmubpf: the oldest %" PRIu64
			" windows were removed: with names there would be more than --max-disk\n",
			run->news.over);
	if (run->without_room)
		fprintf(stderr,
			"pmubpf: %" PRIu64
			" windows stay as they were: with names there would be more than "
			"--max-disk\n",
			run->without_room);
}

static int symbolize_folder(struct symbolize_run *run, struct err *err)
{
	const struct symbolize_args *a = &run->args;
	int r = open_folder(run, err);

	if (r == 0)
		r = from__each_window(&a->from, &a->limits, want, run, err);
	if (r < 0)
		return r;
	if (name_book__n(run->book)) {
		r = find_names(run, err);
		if (r == 0)
			r = from__each_window(&a->from, &a->limits, rewrite, run, err);
	}
	if (r >= 0)
		say_windows(run, r);
	return r < 0 ? r : 0;
}

/* ---------------------------------------------------------------- a server */

/* What the server knows already is wanted no more. */
static int leave_out_known(struct symbolize_run *run, struct http_client *http, struct err *err)
{
	int r = fleet_names__get(run->book, http, run->args.limits.max_bytes, err);
	const struct prof *p = name_book__prof(run->book);
	struct name_book *rest;

	if (r == -ENOENT)
		return err__set(err, r,
				"the database has no table `names': `pmubpf ship --schema "
				"clickhouse' prints it");
	if (r < 0)
		return r;
	rest = name_book__new();
	for (size_t i = 0; i < name_book__n(run->book); i++) {
		struct name_place place;

		name_book__get(run->book, i, &place);
		if (!p->locations[place.location].n_lines)
			name_book__want(rest, place.file, place.build_id, place.offset);
	}
	name_book__free(run->book);
	run->book = rest;
	return 0;
}

static int symbolize_server(struct symbolize_run *run, struct err *err)
{
	_cleanup_(fleet_connection__done) struct fleet_connection c;
	const struct symbolize_args *a = &run->args;
	const struct fleet_ask ask = {
		.since_ns = a->from.range.since_ns,
		.until_ns = a->from.range.until_ns,
		.host = a->from.fleet.host,
		.max_bytes = a->limits.max_bytes,
	};
	bool all = true;
	int r = fleet_from__connect(&c, a->from.dir, &a->from.fleet, err);

	if (r == 0)
		r = fleet__unnamed(run->book, c.http, &ask, &all, err);
	if (r == 0)
		r = leave_out_known(run, c.http, err);
	if (r == 0 && name_book__n(run->book))
		r = find_names(run, err);
	if (r == 0)
		r = fleet_names__put(run->book, c.http, err);
	if (r < 0)
		return r;
	if (!a->quiet)
		fprintf(stderr, "pmubpf: the server has %zu more names now\n", run->did.named);
	if (!all)
		fprintf(stderr, "pmubpf: there are more than could be asked for at once: name less "
				"time or a host\n");
	return 0;
}

int cmd_symbolize(int argc, char **argv)
{
	_cleanup_(symbolize_run__done) struct symbolize_run run = {
		.folder = {.dir = -1, .turn.fd = -1},
	};
	struct err err = {.exit_code = EXIT_FAILED};
	int r;

	signals__ignore_of_files();
	run.book = name_book__new();
	r = symbolize_args__parse(&run.args, argc, argv, &err);
	if (r == 0)
		r = ship_url__is(run.args.from.dir) ? symbolize_server(&run, &err) :
						      symbolize_folder(&run, &err);
	return r < 0 ? complain(&err) : EXIT_DONE;
}
