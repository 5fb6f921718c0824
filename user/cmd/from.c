// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Which windows are of the range is read off the first bytes of each; those are then read one by
 * one, the newest first, so that no more than one and the sum are in memory. The folder is an
 * agent's, which removes windows meanwhile; and anybody may have put files there. A bucket of S3 is
 * such a folder of many hosts.
 */
#include "cmd/from.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/profiles.h"
#include "cmd/window_remarks.h"
#include "prof/label_all.h"
#include "prof/remark_sum.h"
#include "prof/sum.h"
#include "render/escape.h"
#include "ship/s3_windows.h"
#include "ship/url.h"
#include "spool/head.h"
#include "sys/clock.h"

enum { MOST_LINES = 20, MOST_WINDOWS = 4 * 1024 * 1024 };

struct loading {
	const struct from *from;
	int dir;
	struct window_span *spans; /* of the range; then of those that were read */
	struct {
		char **list; /* of files; places of spans are numbers of these */
		size_t n, cap;
	} names;
	size_t n, cap;
	uint64_t in_folder;        /* windows */
	int64_t first_ns, last_ns; /* of all of them */
	uint64_t unread, others;   /* that couldn't be read; of other events */
	struct prof_sum sum;
	struct remark_sum remarks;
	struct fleet_connection server; /* of S3 */
	struct s3_place place;
	struct s3_list list; /* places of spans are numbers of its objects */
};

static void loading__done(struct loading *l)
{
	cleanup_close(&l->dir);
	free(l->spans);
	for (size_t i = 0; i < l->names.n; i++)
		free(l->names.list[i]);
	free(l->names.list);
	prof_sum__done(&l->sum);
	remark_sum__done(&l->remarks);
	s3_list__done(&l->list);
	fleet_connection__done(&l->server);
}

static bool is_s3(const struct loading *l)
{
	return ship_url__is_s3(l->from->dir);
}

int from__option(struct from *f, int key, const char *arg)
{
	switch (key) {
	case FROM_WHERE:
		f->dir = arg;
		return 0;
	case FROM_SINCE:
		f->since = arg;
		return 0;
	case FROM_UNTIL:
		f->until = arg;
		return 0;
	default:
		return fleet_from__option(&f->fleet, key, arg);
	}
}

static void put_word(const char *option, const char *word, struct buf *out)
{
	if (!word)
		return;
	buf__printf(out, "%s--%s ", out->len ? " " : "", option);
	escape_word(out, word);
}

static void put_time(const char *option, const char *given, int64_t ns, struct buf *out)
{
	char text[TIME_TEXT];

	if (!given)
		return;
	time__text(ns, text);
	put_word(option, text, out);
}

void from__put_words(const struct from *f, struct buf *out)
{
	put_word("from", f->dir, out);
	put_time("since", f->since, f->range.since_ns, out);
	put_time("until", f->until, f->range.until_ns, out);
	put_word("host", f->fleet.host, out);
	put_word("credentials", f->fleet.credentials, out);
	put_word("ca", f->fleet.ca, out);
}

int from__settle(struct from *f, struct err *err)
{
	int r;

	f->now_ns = (int64_t)clock_ns(CLOCK_REALTIME);
	f->range = (struct time_range){INT64_MIN, INT64_MAX};
	r = fleet_from__check(&f->fleet, f->dir, err);
	if (r < 0)
		return r;
	if ((f->since || f->until) && !f->dir)
		return err__usage(err, "--since and --until are of --from DIR");
	if (f->since && time__parse(f->since, f->now_ns, &f->range.since_ns) < 0)
		return err__usage(err, "--since '%s': " TIME_WORDS, f->since);
	if (f->until && time__parse(f->until, f->now_ns, &f->range.until_ns) < 0)
		return err__usage(err, "--until '%s': " TIME_WORDS, f->until);
	if (f->range.since_ns >= f->range.until_ns)
		return err__usage(err, "--since '%s' is not before --until '%s'", f->since,
				  f->until ? f->until : "now");
	return 0;
}

int from__settle_range(struct from *f, const char *option, const char *text, struct err *err)
{
	int r;

	f->now_ns = (int64_t)clock_ns(CLOCK_REALTIME);
	r = time_range__parse(text, f->now_ns, &f->range);
	if (r == -ERANGE)
		return err__usage(err, "%s '%s': it ends before it begins", option, text);
	if (r < 0)
		return err__usage(err, "%s '%s' is not a range, as in 3h..2h: " TIME_WORDS, option,
				  text);
	return 0;
}

static const char *whose(const struct loading *l)
{
	return l->from->whose ? l->from->whose : "";
}

/* ---------------------------------------------------------------- what is there */

static void pass_over(struct loading *l, const char *name, const char *why)
{
	_cleanup_(buf__done) struct buf line = {0};

	if (l->unread++ >= MOST_LINES)
		return;
	buf__printf(&line, "pmubpf: %spassed over: ", whose(l));
	escape_name(&line, name);
	buf__puts(&line, ": ");
	escape_line(&line, why);
	fprintf(stderr, "%s\n", line.data);
}

/* -ENOENT: the agent has just removed it. */
static int open_file(const struct loading *l, const char *name)
{
	_cleanup_close_ int fd =
		openat(l->dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return -EINVAL;
	return TAKE_FD(fd);
}

/* When it was is known. */
static void meet(struct loading *l, const struct window_span *span)
{
	if (!l->in_folder || span->time_ns < l->first_ns)
		l->first_ns = span->time_ns;
	if (!l->in_folder++ || span->time_ns + span->duration_ns > l->last_ns)
		l->last_ns = span->time_ns + span->duration_ns;
	if (!window_span__overlaps(span, &l->from->range) || l->n == MOST_WINDOWS)
		return;
	GROW(l->spans, l->n, l->cap);
	l->spans[l->n++] = *span;
}

/* Its first bytes are these. */
static void meet_head(struct loading *l, struct window_span *span, const char *name,
		      const void *head, size_t len)
{
	if (window_head(head, len, &span->time_ns, &span->duration_ns))
		meet(l, span);
	else
		pass_over(l, name, "it doesn't begin as a window does: damaged?");
}

static void meet_file(struct loading *l, const char *name)
{
	struct window_span span = {.place = l->names.n};
	_cleanup_close_ int fd = -1;
	struct window_when when;
	uint8_t head[HEAD_BYTES];
	ssize_t n;

	if (!window_dated_name__parse(name, &span.id, &when))
		return;
	fd = open_file(l, name);
	if (fd == -ENOENT)
		return;
	GROW(l->names.list, l->names.n, l->names.cap);
	l->names.list[l->names.n++] = xstrdup(name);
	n = fd < 0 ? fd : pread(fd, head, sizeof(head), 0);
	if (n < 0)
		pass_over(l, name, fd == -EINVAL ? "it is not a regular file" : strerror(errno));
	else
		meet_head(l, &span, name, head, (size_t)n);
}

static int meet_object(struct loading *l, size_t place, struct err *err)
{
	const struct s3_object *object = &l->list.objects[place];
	struct window_span span = {.id = object->id, .place = place};
	_cleanup_close_ int fd = -1;
	uint8_t head[HEAD_BYTES];
	ssize_t n;

	if (object->when.from_ns) { /* to the ms, rounded outwards; add_window() looks again */
		span.time_ns = object->when.from_ns;
		span.duration_ns = object->when.to_ns - object->when.from_ns;
		meet(l, &span);
		return 0;
	}
	fd = s3_windows__open(&l->place, object, HEAD_BYTES, err);
	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	n = pread(fd, head, sizeof(head), 0);
	meet_head(l, &span, object->name, head, n < 0 ? 0 : (size_t)n);
	return 0;
}

static int list_objects(struct loading *l, const struct pprof_limits *limits, struct err *err)
{
	int r = fleet_from__connect(&l->server, l->from->dir, &l->from->fleet, err);

	if (r < 0)
		return r;
	l->place = (struct s3_place){
		.http = l->server.http,
		.url = &l->server.url,
		.secrets = &l->server.secrets,
		.host = l->from->fleet.host,
		.max_bytes = limits->max_bytes ? limits->max_bytes : PPROF_MAX_BYTES,
	};
	r = s3_windows__list(&l->place, l->from->range.since_ns, &l->list, err);
	for (size_t i = 0; r == 0 && i < l->list.n; i++)
		r = meet_object(l, i, err);
	window_spans__sort(l->spans, l->n);
	return r;
}

static int list_windows(struct loading *l, struct err *err)
{
	const char *path = l->from->dir;
	_cleanup_closedir_ DIR *dir = NULL;
	struct dirent *entry;
	int fd;

	l->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (l->dir < 0)
		return err__set(err, -errno, "can't open the folder '%s': %s", path,
				strerror(errno));
	fd = fcntl(l->dir, F_DUPFD_CLOEXEC, 0);
	dir = fd >= 0 ? fdopendir(fd) : NULL;
	if (!dir) {
		int r = -errno;

		if (fd >= 0)
			close(fd);
		return err__set(err, r, "can't read the folder '%s': %s", path, strerror(-r));
	}
	while ((entry = readdir(dir)))
		meet_file(l, entry->d_name);
	window_spans__sort(l->spans, l->n);
	return 0;
}

static int say_empty(const struct loading *l, struct err *err)
{
	char first[TIME_TEXT], last[TIME_TEXT];

	time__text(l->first_ns, first);
	time__text(l->last_ns, last);
	if (!l->in_folder)
		return err__set(err, -ENOENT, "'%s' has no window that can be read%s; `%s' %s them",
				l->from->dir, is_s3(l) ? ", of that time and host" : "",
				is_s3(l) ? "pmubpf agent --to" : "pmubpf agent --dir",
				is_s3(l) ? "sends" : "writes");
	return err__set(err, -ENOENT,
			"%sno window of '%s' is of that range; it has %" PRIu64 ", from %s to %s",
			whose(l), l->from->dir, l->in_folder, first, last);
}

/* ---------------------------------------------------------------- reading them */

static int check_room(const struct loading *l, const struct pprof_limits *limits, struct err *err)
{
	uint64_t most = profiles__max_output(limits);

	if (prof_sum__bytes(&l->sum) <= most)
		return 0;
	return err__set(err, -EFBIG,
			"windows of that range take more than %.0f MB of memory: name a shorter "
			"range, or allow more (--max-size)",
			(double)most / 1e6);
}

static const char *name_of(const struct loading *l, const struct window_span *span)
{
	return is_s3(l) ? l->list.objects[span->place].name : l->names.list[span->place];
}

/* -ENOENT: it has gone meanwhile. */
static int open_window(const struct loading *l, const struct window_span *span, struct err *err)
{
	return is_s3(l) ? s3_windows__open(&l->place, &l->list.objects[span->place], 0, err) :
			  open_file(l, name_of(l, span));
}

/* By its own words, which are exact. */
static bool is_of_range(const struct loading *l, struct window_span *span, const struct prof *p)
{
	span->time_ns = p->time_ns;
	span->duration_ns = p->duration_ns;
	return window_span__overlaps(span, &l->from->range);
}

/* 1: it is part of the sum; 0: it isn't; a negative errno: nothing more can be had. */
static int add_window(struct loading *l, struct window_span *span,
		      const struct pprof_limits *limits, struct err *err)
{
	_cleanup_close_ int fd = open_window(l, span, err);
	const char *name = name_of(l, span);
	struct err why = {0};
	struct prof *p = NULL;
	bool other = false;
	int r;

	if (fd < 0)
		return is_s3(l) && fd != -ENOENT ? fd : 0;
	r = pprof__read(&p, fd, "it", limits, &why);
	if (r == 0 && is_s3(l))
		prof__label_all(p, "host", l->list.objects[span->place].host);
	other = r == 0 && !is_of_range(l, span, p);
	if (r == 0 && !other)
		r = prof_sum__add(&l->sum, p, "it", &why);
	if (r < 0 && p && r == -EINVAL)
		l->others++;
	else if (r < 0)
		pass_over(l, name, why.text);
	if (r == 0 && !other) {
		remark_sum__add(&l->remarks, p,
				is_s3(l) ? l->list.objects[span->place].host : NULL);
		window_span__read(span, p);
	}
	prof__free(p);
	return r == 0 && !other;
}

static int add_windows(struct loading *l, const struct pprof_limits *limits, struct err *err)
{
	size_t kept = l->n;
	int r = 0;

	for (size_t i = l->n; r >= 0 && i--;) {
		r = add_window(l, &l->spans[i], limits, err);
		if (r <= 0)
			continue;
		l->spans[--kept] = l->spans[i];
		r = check_room(l, limits, err);
	}
	l->n -= kept;
	memmove(l->spans, l->spans + kept, l->n * sizeof(*l->spans));
	return r < 0 ? r : 0;
}

/* ---------------------------------------------------------------- what is said */

/* Of many hosts, what one covers is no gap of another. */
static bool is_of_one_host(const struct loading *l)
{
	for (size_t i = 1; is_s3(l) && i < l->n; i++) {
		if (strcmp(l->list.objects[l->spans[i].place].host,
			   l->list.objects[l->spans[0].place].host) != 0)
			return false;
	}
	return true;
}

static void say_gaps(const struct loading *l)
{
	_cleanup_(coverage__done) struct coverage c = {0};

	if (!is_of_one_host(l))
		return;
	coverage__find(&c, l->spans, l->n, &l->from->range);
	for (size_t i = 0; i < c.n && i < MOST_LINES; i++) {
		const struct gap *g = &c.gaps[i];
		char from[TIME_TEXT], to[TIME_TEXT];

		time__text(g->from_ns, from);
		time__text(g->to_ns, to);
		fprintf(stderr, "pmubpf: %snothing is there from %s to %s, %.1f s%s\n", whose(l),
			from, to, (double)g->span_ns / 1e9,
			g->reboot ? ", in which the host was started anew" : "");
	}
	if (c.n > MOST_LINES)
		fprintf(stderr, "pmubpf: and %zu more gaps\n", c.n - MOST_LINES);
}

static void say_others(const struct loading *l)
{
	_cleanup_(buf__done) struct buf names = {0};
	struct prof_event *events;
	size_t n = prof__events(l->sum.sum, &events);

	for (size_t i = 0; i < n; i++) {
		buf__puts(&names, i ? ", " : "");
		escape_name(&names, events[i].name);
	}
	prof_events__free(events, n);
	fprintf(stderr,
		"pmubpf: %s%" PRIu64
		" windows are left out: they have other events than the newest (%s)\n",
		whose(l), l->others, names.data ? names.data : "none");
}

static void say_trouble(const struct loading *l)
{
	if (l->unread > MOST_LINES)
		fprintf(stderr, "pmubpf: and %" PRIu64 " more are passed over\n",
			l->unread - MOST_LINES);
	if (l->others)
		say_others(l);
}

static struct time_range covered(const struct loading *l)
{
	const struct window_span *last = &l->spans[l->n - 1];

	return (struct time_range){l->spans[0].time_ns, last->time_ns + last->duration_ns};
}

static char *make_title(const struct loading *l)
{
	const struct time_range range = covered(l);
	char from[TIME_TEXT], to[TIME_TEXT];

	time__text(range.since_ns, from);
	time__text(range.until_ns, to);
	return xasprintf("%s: %zu window%s, %s to %s", l->from->dir, l->n, l->n == 1 ? "" : "s",
			 from, to);
}

int from__load(struct prof **ret, char **ret_title, const struct from *from,
	       const struct pprof_limits *limits, struct err *err)
{
	_cleanup_(loading__done) struct loading l = {
		.from = from,
		.dir = -1,
		.server.secrets.ca = -1,
	};
	int r;

	if (ship_url__is(from->dir))
		return fleet_from__load(ret, ret_title, from->dir, &from->range, &from->fleet,
					limits, err);
	r = is_s3(&l) ? list_objects(&l, limits, err) : list_windows(&l, err);
	if (r == 0 && !l.n)
		r = say_empty(&l, err);
	if (r == 0)
		r = add_windows(&l, limits, err);
	if (r == 0 && !l.n)
		r = err__set(err, -EIO, "no window of that range in '%s' can be read", from->dir);
	if (r < 0)
		return r;
	say_trouble(&l);
	say_gaps(&l);
	remark_sum__put(&l.remarks, l.sum.sum);
	if (from->ret_covered)
		*from->ret_covered = covered(&l);
	*ret_title = make_title(&l);
	*ret = prof_sum__take(&l.sum);
	return 0;
}

/* ---------------------------------------------------------------- one by one */

static int hand_out(struct loading *l, const struct window_span *span,
		    const struct pprof_limits *limits, from_window_fn *fn, void *ctx,
		    struct err *err)
{
	const char *name = name_of(l, span);
	_cleanup_close_ int fd = open_file(l, name);
	struct prof *p = NULL;
	struct err why = {0};
	int r;

	if (fd < 0)
		return 0;
	if (strlen(name) != WINDOW_NAME_SIZE - 1) {
		pass_over(l, name, "it is named as objects of S3 are, and no agent's");
		return 0;
	}
	if (pprof__read(&p, fd, "it", limits, &why) < 0) {
		pass_over(l, name, why.text);
		return 0;
	}
	r = fn(ctx, &span->id, &p, err);
	prof__free(p);
	return r;
}

int from__each_window(const struct from *from, const struct pprof_limits *limits,
		      from_window_fn *fn, void *ctx, struct err *err)
{
	_cleanup_(loading__done) struct loading l = {
		.from = from,
		.dir = -1,
		.server.secrets.ca = -1,
	};
	int r = list_windows(&l, err);

	if (r == 0 && !l.n)
		r = say_empty(&l, err);
	for (size_t i = l.n; r >= 0 && i--;)
		r = hand_out(&l, &l.spans[i], limits, fn, ctx, err);
	return r < 0 ? r : (int)l.n;
}
