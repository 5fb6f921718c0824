// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Breakpoints that count, and interrupt nobody but by their traps, in the threads that there are.
 * Which are tried together, and how often, is model/trial.c's business.
 */
#include "session/op_places.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "session/signals.h"
#include "sys/perf.h"
#include "sys/procfs.h"

enum {
	TRIAL_MS = 10,    /* of four places, each time */
	THREADS_MAX = 64, /* that are looked at */
	TRIAL_FDS = OP_BREAKPOINTS * THREADS_MAX,
};

struct threads {
	const struct op_place *places;
	int end_fd; /* readable: somebody wants to end; -1: isn't known */
	pid_t *tids;
	size_t n_tids;
	int fds[TRIAL_FDS];
	size_t n_fds;
};

/* Threads that have ended meanwhile are none. */
static int put_in(struct threads *t, const size_t *which, size_t n)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(attr),
		.bp_type = HW_BREAKPOINT_X,
		.bp_len = sizeof(long),
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.read_format = PERF_COUNT_READ_FORMAT,
	};

	for (size_t i = 0; i < n; i++) {
		attr.bp_addr = t->places[which[i]].address;
		for (size_t k = 0; k < t->n_tids; k++) {
			int fd = perf_open(&attr, t->tids[k], -1);

			if (fd < 0 && fd != -ESRCH)
				return fd;
			t->fds[t->n_fds++] = fd;
		}
	}
	return 0;
}

static void take_out(struct threads *t, uint64_t *hits)
{
	for (size_t i = 0; i < t->n_fds; i++) {
		struct perf_count count;

		if (t->fds[i] >= 0 && perf_read(t->fds[i], &count) == 0)
			hits[i / t->n_tids] += count.value;
	}
	for (size_t i = 0; i < t->n_fds; i++)
		cleanup_close(&t->fds[i]);
	t->n_fds = 0;
}

/* -EINTR: somebody wants to end. */
static int look(void *ctx, const size_t *which, size_t n, uint64_t *ret_hits)
{
	struct threads *t = ctx;
	struct pollfd end = {.fd = t->end_fd, .events = POLLIN};
	int r = put_in(t, which, n);

	if (r == 0 && poll(&end, 1, TRIAL_MS) > 0)
		r = -EINTR;
	take_out(t, ret_hits);
	return r;
}

static int try_all(struct op_places *ret, const struct branch_whom *whom, struct err *err)
{
	_cleanup_close_ int end_fd = signals__more_fd();
	struct threads threads = {.places = ret->list, .end_fd = end_fd};
	const struct trial trial = {.look = look, .ctx = &threads};
	double rates[OP_PLACES_MAX];
	int r = procfs_threads(whom->pid, &threads.tids);

	if (r > 0)
		threads.n_tids = r < THREADS_MAX ? (size_t)r : THREADS_MAX;
	r = r < 0 ? r : trial__run(&trial, rates, ret->n);
	for (size_t i = 0; r == 0 && i < ret->n; i++)
		ret->list[i].rate = rates[i];
	free(threads.tids);
	ret->each_ns = TRIAL_MS * 1000000;
	if (r == 0 || r == -EINTR) /* the recording ends before it begins */
		return 0;
	return err__cannot(err, "%s: no breakpoint can be set in process %d: %s", whom->option,
			   whom->pid, r == -ENOSPC ? "all are in use (a debugger?)" : strerror(-r));
}

static int by_rate(const void *a, const void *b)
{
	const struct op_place *x = a, *y = b;

	return x->rate != y->rate ? CMP3(y->rate, x->rate) : CMP3(x->address, y->address);
}

static void take_places(struct op_places *ret, const struct branch_site *site, size_t function)
{
	for (size_t a = 0; a < site->n_addresses; a++) {
		for (size_t i = 0; i < site->jumps.n; i++) {
			uint64_t at = site->jumps.list[i].at;

			ret->n_all++;
			if (ret->n < OP_PLACES_MAX)
				ret->list[ret->n++] = (struct op_place){
					.address = site->addresses[a] + at,
					.at = at,
					.function = function,
				};
		}
	}
}

static double share_of_first(const struct op_places *p)
{
	double first = 0, all = 0;

	for (size_t i = 0; i < p->n; i++) {
		all += p->list[i].rate;
		first += i < OP_BREAKPOINTS ? p->list[i].rate : 0;
	}
	return all > 0 ? first / all : 0;
}

static int take_named(struct op_places *ret, const struct branch_whom *whom, struct buf *notes,
		      struct err *err)
{
	struct branch_site site;
	int r = branch_site__find(&site, whom, notes, err);

	if (r == 0)
		take_places(ret, &site, 0);
	branch_site__done(&site);
	if (r == 0 && !ret->n)
		return err__usage(err, "%s: '%s' has no such instruction", whom->option,
				  whom->function);
	return r;
}

static int take_hottest(struct op_places *ret, const struct branch_whom *whom, struct err *err)
{
	int r = op_hottest__find(&ret->hottest, whom, err);

	for (size_t i = 0; r == 0 && i < ret->hottest.n; i++)
		take_places(ret, &ret->hottest.of[i].site, i);
	return r;
}

int op_places__find(struct op_places *ret, const struct branch_whom *whom, struct buf *notes,
		    struct err *err)
{
	int r;

	*ret = (struct op_places){0};
	r = whom->function ? take_named(ret, whom, notes, err) : take_hottest(ret, whom, err);
	if (r == 0 && ret->n > OP_BREAKPOINTS)
		r = try_all(ret, whom, err);
	if (r < 0)
		return r;
	qsort(ret->list, ret->n, sizeof(*ret->list), by_rate);
	ret->share = share_of_first(ret);
	return 0;
}
