// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "session/op_clock.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "session/signals.h"
#include "sys/clock.h"
#include "sys/perf.h"
#include "sys/procfs.h"

enum {
	PERIOD_NS = 1000000, /* of the thread's CPU time */
	ENOUGH = 1000,       /* samples */
	LOOK_MS = 100,
	LOOKS_MAX = 20,
	THREADS_MAX = 64,
	ASKED_MAX = 16384,      /* threads whose CPU time is read, where not all can have a clock */
	RING_BYTES = 16 * 1024, /* 1,024 samples */
};

struct clocks {
	struct perf_ring rings[THREADS_MAX];
	int fds[THREADS_MAX];
	size_t n;
};

static void take(void *ctx, const struct perf_event_header *record)
{
	struct op_clock *ret = ctx;

	if (record->type != PERF_RECORD_SAMPLE ||
	    record->size != sizeof(*record) + sizeof(uint64_t) || ret->n >= ENOUGH)
		return;
	GROW(ret->addresses, ret->n, ret->cap);
	ret->addresses[ret->n++] = *(const uint64_t *)(record + 1);
}

/* A thread that has ended meanwhile has none. */
static int start(struct clocks *c, pid_t tid)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.size = sizeof(attr),
		.sample_period = PERIOD_NS,
		.sample_type = PERF_SAMPLE_IP,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int r, fd = perf_open(&attr, tid, -1);

	if (fd < 0)
		return fd == -ESRCH ? 0 : fd;
	r = perf_ring__map(&c->rings[c->n], fd, RING_BYTES);
	if (r < 0)
		close(fd);
	else
		c->fds[c->n++] = fd;
	return r;
}

static void clocks__done(struct clocks *c)
{
	while (c->n) {
		perf_ring__unmap(&c->rings[--c->n]);
		cleanup_close(&c->fds[c->n]);
	}
}

struct thread {
	pid_t tid;
	uint64_t ran_ns;
};

static int by_ran(const void *a, const void *b)
{
	const struct thread *x = a, *y = b;

	return x->ran_ns != y->ran_ns ? CMP3(y->ran_ns, x->ran_ns) : CMP3(x->tid, y->tid);
}

/* What one has used since it was started says little of now. */
static void put_busiest_first(pid_t *tids, size_t n, struct pollfd *end)
{
	_cleanup_free_ struct thread *threads = xcalloc(n, sizeof(*threads));

	for (size_t i = 0; i < n; i++)
		threads[i] = (struct thread){tids[i], procfs_ran_ns(tids[i])};
	poll(end, 1, LOOK_MS);
	for (size_t i = 0; i < n; i++) {
		uint64_t now = procfs_ran_ns(threads[i].tid), before = threads[i].ran_ns;

		threads[i].ran_ns = now > before ? now - before : 0;
	}
	qsort(threads, n, sizeof(*threads), by_ran);
	for (size_t i = 0; i < n; i++)
		tids[i] = threads[i].tid;
}

static int start_all(struct clocks *c, struct op_clock *ret, pid_t pid, struct pollfd *end)
{
	_cleanup_free_ pid_t *tids = NULL;
	int r = procfs_threads(pid, &tids);

	if (r < 0)
		return r;
	ret->n_threads = (size_t)r;
	ret->n_watched = ret->n_threads;
	if (ret->n_threads > THREADS_MAX) {
		put_busiest_first(tids, r < ASKED_MAX ? (size_t)r : ASKED_MAX, end);
		ret->n_watched = THREADS_MAX;
	}
	r = 0;
	for (size_t i = 0; i < ret->n_watched && r == 0; i++)
		r = start(c, tids[i]);
	return r;
}

int op_clock__look(struct op_clock *ret, pid_t pid)
{
	_cleanup_(clocks__done) struct clocks clocks = {.n = 0};
	_cleanup_close_ int end_fd = signals__more_fd();
	struct pollfd end = {.fd = end_fd, .events = POLLIN};
	uint64_t since_ns;
	int r;

	*ret = (struct op_clock){0};
	r = start_all(&clocks, ret, pid, &end);
	since_ns = now_ns();
	for (int i = 0; r >= 0 && i < LOOKS_MAX && ret->n < ENOUGH; i++) {
		const bool ends = poll(&end, 1, LOOK_MS) > 0;

		for (size_t k = 0; k < clocks.n; k++)
			perf_ring__drain(&clocks.rings[k], take, ret);
		if (ends)
			break;
	}
	ret->took_ns = now_ns() - since_ns;
	return r;
}

void op_clock__done(struct op_clock *clock)
{
	free(clock->addresses);
}
