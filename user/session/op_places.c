// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Breakpoints that count, and interrupt nobody but by their traps, in the threads that there are.
 * Which are tried together, and how often, is model/trial.c's business.
 */
#include "session/op_places.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "sys/perf.h"
#include "sys/procfs.h"

enum {
	TRIAL_MS = 10,    /* of four places, each time */
	THREADS_MAX = 64, /* that are looked at */
	TRIAL_FDS = OP_BREAKPOINTS * THREADS_MAX,
};

struct threads {
	const struct op_place *places;
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

static int look(void *threads, const size_t *which, size_t n, uint64_t *ret_hits)
{
	static const struct timespec span = {.tv_nsec = TRIAL_MS * 1000000};
	int r = put_in(threads, which, n);

	if (r == 0)
		nanosleep(&span, NULL);
	take_out(threads, ret_hits);
	return r;
}

static int try_all(struct op_places *ret, const struct branch_whom *whom, struct err *err)
{
	struct threads threads = {.places = ret->list};
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
	return r < 0 ? err__cannot(err, "%s: no breakpoint can be set in process %d: %s",
				   whom->option, whom->pid,
				   r == -ENOSPC ? "all are in use (a debugger?)" : strerror(-r)) :
		       0;
}

static int by_rate(const void *a, const void *b)
{
	const struct op_place *x = a, *y = b;

	return x->rate != y->rate ? CMP3(y->rate, x->rate) : CMP3(x->address, y->address);
}

static void take_places(struct op_places *ret, const struct branch_site *site)
{
	for (size_t a = 0; a < site->n_addresses; a++) {
		for (size_t i = 0; i < site->jumps.n; i++) {
			uint64_t at = site->jumps.list[i].at;

			ret->n_all++;
			if (ret->n < OP_PLACES_MAX)
				ret->list[ret->n++] = (struct op_place){
					.address = site->addresses[a] + at,
					.at = at,
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

int op_places__find(struct op_places *ret, const struct branch_whom *whom, struct buf *notes,
		    struct err *err)
{
	struct branch_site site;
	int r = branch_site__find(&site, whom, notes, err);

	*ret = (struct op_places){0};
	if (r == 0)
		take_places(ret, &site);
	branch_site__done(&site);
	if (r == 0 && !ret->n)
		return err__usage(err, "%s: '%s' has no such instruction", whom->option,
				  whom->function);
	if (r == 0 && ret->n > OP_BREAKPOINTS)
		r = try_all(ret, whom, err);
	if (r < 0)
		return r;
	qsort(ret->list, ret->n, sizeof(*ret->list), by_rate);
	ret->share = share_of_first(ret);
	return 0;
}
