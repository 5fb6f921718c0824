// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hottest place of which nothing is known yet is asked about, and with it all samples of its
 * function are known. Code of no file, and what no symbol or table holds, is in no function.
 */
#include "session/op_hottest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "opener/opener.h"
#include "session/op_clock.h"
#include "sys/clock.h"

enum {
	ASKED_MAX = 64, /* functions */
	SEARCH_S = 10,  /* which all of it may take: hostile files take as long as they like */
	NEAR = 256,     /* bytes; samples within are taken to be of one function, to begin with */
};

/* An address with samples. */
struct spot {
	uint64_t address;
	uint64_t samples;
	bool in_file, known;
};

struct spots {
	struct spot *list; /* ascending */
	size_t n;
	struct buf why; /* the first one's file was not looked into; a line */
};

static int by_address(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return CMP3(*x, *y);
}

static void gather(struct spots *s, struct op_clock *clock)
{
	if (clock->n)
		qsort(clock->addresses, clock->n, sizeof(*clock->addresses), by_address);
	s->list = xcalloc(clock->n + 1, sizeof(*s->list));
	for (size_t i = 0; i < clock->n; i++) {
		if (!s->n || s->list[s->n - 1].address != clock->addresses[i])
			s->list[s->n++].address = clock->addresses[i];
		s->list[s->n - 1].samples++;
	}
}

static void mark_file(void *ctx, const struct map_line *line)
{
	struct spots *s = ctx;

	for (size_t i = 0; i < s->n && line->inode && *line->path == '/'; i++)
		s->list[i].in_file |= line->start <= s->list[i].address &&
				      s->list[i].address < line->end;
}

/* The samples of what is near, added up; NULL: all are known. */
static struct spot *hottest(const struct spots *s)
{
	struct spot *best = NULL, *first = NULL;
	uint64_t most = 0, sum = 0;

	for (size_t i = 0; i < s->n; i++) {
		struct spot *at = &s->list[i];

		if (at->known || !at->in_file)
			continue;
		if (!first || at->address / NEAR != first->address / NEAR) {
			first = at;
			sum = 0;
		}
		sum += at->samples;
		if (sum > most) {
			most = sum;
			best = first;
		}
	}
	return best;
}

/* How many are in it. */
static uint64_t know(struct spots *s, const struct branch_site *site)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->n; i++) {
		struct spot *at = &s->list[i];

		for (size_t a = 0; a < site->n_addresses && !at->known; a++) {
			if (at->address - site->addresses[a] >= site->jumps.size)
				continue;
			at->known = true;
			sum += at->samples;
		}
	}
	return sum;
}

static int by_samples(const void *a, const void *b)
{
	const struct op_function *x = a, *y = b;

	return CMP3(y->samples, x->samples);
}

static void ask(struct op_hottest *ret, struct spots *s, struct spot *at,
		const struct branch_whom *whom)
{
	_cleanup_(buf__done) struct buf notes = {0};
	struct branch_whom here = *whom;
	struct op_function f = {0};
	int r;

	here.address = at->address;
	r = branch_site__find(&f.site, &here, s->why.len ? &notes : &s->why, NULL);
	f.samples = r == 0 ? know(s, &f.site) : 0;
	at->known = true;
	ret->looked += f.samples;
	ret->n_looked += r == 0;
	if (r == 0 && f.site.jumps.n)
		ret->of[ret->n++] = f;
	else
		branch_site__done(&f.site);
}

void op_hottest__put_threads(const struct op_hottest *hottest, struct buf *out)
{
	if (hottest->n_watched < hottest->n_threads)
		buf__printf(out, " (the %zu busiest of its %zu threads)", hottest->n_watched,
			    hottest->n_threads);
}

static int refuse(const struct op_hottest *h, const struct branch_whom *whom,
		  const struct spots *spots, struct err *err)
{
	_cleanup_(buf__done) struct buf threads = {0};

	buf__puts(&threads, "");
	op_hottest__put_threads(h, &threads);
	if (!h->samples)
		return err__cannot(err,
				   "%s: process %d ran no code of its own in the %.1f s that a "
				   "clock looked at it%s: name a function, op:CLASS:FUNC",
				   whom->option, whom->pid, (double)h->took_ns / 1e9, threads.data);
	if (!h->n_looked && spots->why.len)
		return err__cannot(err, "%s: %.*s", whom->option, (int)spots->why.len - 1,
				   spots->why.data);
	return err__cannot(err,
			   "%s: no such instruction in the hottest functions of process %d: those "
			   "that were looked through (%zu) have %.1f %% of %" PRIu64
			   " samples of a clock%s; name another, op:CLASS:FUNC",
			   whom->option, whom->pid, h->n_looked,
			   100 * (double)h->looked / (double)h->samples, h->samples, threads.data);
}

int op_hottest__find(struct op_hottest *ret, const struct branch_whom *whom, struct err *err)
{
	_cleanup_(op_clock__done) struct op_clock clock = {0};
	int r = op_clock__look(&clock, whom->pid);
	const uint64_t until = now_ns() + SEARCH_S * 1000000000ull;
	struct spots spots = {0};
	struct spot *at;

	*ret = (struct op_hottest){
		.samples = clock.n,
		.took_ns = clock.took_ns,
		.n_threads = clock.n_threads,
		.n_watched = clock.n_watched,
	};
	if (r < 0)
		return err__cannot(err, "%s: no clock can be had of process %d: %s", whom->option,
				   whom->pid, strerror(-r));
	gather(&spots, &clock);
	r = opener__maps(whom->opener, whom->pid, mark_file, &spots);
	for (int i = 0; r >= 0 && i < ASKED_MAX && ret->n < OP_FUNCTIONS_MAX && now_ns() < until;
	     i++) {
		at = hottest(&spots);
		if (!at)
			break;
		ask(ret, &spots, at, whom);
	}
	free(spots.list);
	if (r < 0)
		branch_site__refuse_maps(whom, r, err);
	else if (!ret->n)
		r = refuse(ret, whom, &spots, err);
	else
		qsort(ret->of, ret->n, sizeof(*ret->of), by_samples);
	buf__done(&spots.why);
	return r < 0 ? r : 0;
}

void op_hottest__done(struct op_hottest *hottest)
{
	for (size_t i = 0; i < hottest->n; i++)
		branch_site__done(&hottest->of[i].site);
}
