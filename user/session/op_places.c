// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: a lock may be met ten million times a second, and each hit of a breakpoint costs
 * the program a microsecond. So a trial is short, four places at a time, and only counts.
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
	TRIAL_MS = 10,    /* of four places */
	THREADS_MAX = 64, /* that are looked at */
	TRIAL_FDS = OP_BREAKPOINTS * THREADS_MAX,
};

struct trial {
	pid_t *tids;
	size_t n_tids;
	int fds[TRIAL_FDS];
	size_t n;
};

/* Threads that have ended meanwhile are none. */
static int put_in(struct trial *t, const struct op_place *places, size_t n)
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
		attr.bp_addr = places[i].address;
		for (size_t k = 0; k < t->n_tids; k++) {
			int fd = perf_open(&attr, t->tids[k], -1);

			if (fd < 0 && fd != -ESRCH)
				return fd;
			t->fds[t->n++] = fd;
		}
	}
	return 0;
}

static void take_out(struct trial *t, struct op_place *places)
{
	for (size_t i = 0; i < t->n; i++) {
		struct perf_count count;

		if (t->fds[i] >= 0 && perf_read(t->fds[i], &count) == 0)
			places[i / t->n_tids].hits += count.value;
	}
	for (size_t i = 0; i < t->n; i++)
		cleanup_close(&t->fds[i]);
	t->n = 0;
}

static int try_all(struct op_places *ret, const struct branch_whom *whom, struct err *err)
{
	static const struct timespec span = {.tv_nsec = TRIAL_MS * 1000000};
	struct trial t = {0};
	int r = procfs_threads(whom->pid, &t.tids);

	if (r > 0)
		t.n_tids = r < THREADS_MAX ? (size_t)r : THREADS_MAX;
	r = r < 0 ? r : 0;
	for (size_t i = 0; r == 0 && i < ret->n; i += OP_BREAKPOINTS) {
		size_t n = ret->n - i < OP_BREAKPOINTS ? ret->n - i : OP_BREAKPOINTS;

		r = put_in(&t, &ret->list[i], n);
		if (r == 0)
			nanosleep(&span, NULL);
		take_out(&t, &ret->list[i]);
	}
	free(t.tids);
	ret->each_ns = TRIAL_MS * 1000000;
	return r < 0 ? err__cannot(err, "%s: no breakpoint can be set in process %d: %s",
				   whom->option, whom->pid,
				   r == -ENOSPC ? "all are in use (a debugger?)" : strerror(-r)) :
		       0;
}

static int by_hits(const void *a, const void *b)
{
	const struct op_place *x = a, *y = b;

	return x->hits != y->hits ? CMP3(y->hits, x->hits) : CMP3(x->address, y->address);
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
	qsort(ret->list, ret->n, sizeof(*ret->list), by_hits);
	for (size_t i = 0; i < ret->n; i++) {
		ret->of += ret->list[i].hits;
		ret->hits += i < OP_BREAKPOINTS ? ret->list[i].hits : 0;
	}
	return 0;
}
