// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Breakpoints of the CPU that are in place for slices of time. A hit costs the program a trap,
 * whether it is sampled or not, so no period makes that less: they are turned off instead.
 *
 * What a trap costs here is measured once, at a function of this very process. Of what samples
 * cost besides spending.c takes care.
 */
#include <inttypes.h>
#include <linux/hw_breakpoint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/mem.h"
#include "session/internal.h"
#include "session/probing.h"
#include "sys/clock.h"
#include "sys/perf.h"
#include "sys/usage.h"

enum {
	CALLS = 200,
	ROUNDS = 8,             /* of which the least counts: interrupts make one longer */
	ASSUMED_NS = 10 * 1000, /* where it can't be measured */
};

struct sliced {
	struct probing probing;
	bool assumed; /* what a hit takes */
};

/* ---- what a hit takes */

/* The volatile statement keeps compilers from leaving calls out. */
static __attribute__((noinline)) void be_met(void)
{
	__asm__ volatile("" ::: "memory");
}

static uint64_t calls_ns(void)
{
	uint64_t least = UINT64_MAX;

	for (int round = 0; round < ROUNDS; round++) {
		uint64_t before = usage_thread_ns(); /* whatever else runs here */

		for (int i = 0; i < CALLS; i++)
			be_met();
		least = earlier(least, usage_thread_ns() - before);
	}
	return least;
}

/* 0: none can be set here, or it is never met. */
static uint64_t trap_ns(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(attr),
		.bp_type = HW_BREAKPOINT_X,
		.bp_addr = (uintptr_t)be_met,
		.bp_len = sizeof(long),
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	uint64_t without = calls_ns(), with;
	int fd = perf_open(&attr, 0, -1);

	if (fd < 0)
		return 0;
	with = calls_ns();
	close(fd);
	return with > without ? (with - without) / CALLS : 0;
}

static void set_cost(struct sliced *sliced)
{
	const uint64_t ns = trap_ns();

	sliced->assumed = !ns;
	sliced->probing.each.emulated_ns = ns ? ns : ASSUMED_NS;
}

/* ---- they come and go */

static bool is_sliced(const struct session *s, size_t counter)
{
	return s->opts->events->events[s->counters.list[counter].event].sliced;
}

/* With those of threads that have inherited them. */
static int hits(void *session, struct probe_hits *ret)
{
	const struct session *s = session;

	*ret = (struct probe_hits){0};
	for (size_t i = 0; i < s->counters.n; i++) {
		struct perf_count count;
		int r = is_sliced(s, i) ? perf_read(s->counters.list[i].fd, &count) : 1;

		if (r < 0)
			return r;
		ret->emulated += r ? 0 : count.value;
	}
	return 0;
}

static void turn(const struct session *s, unsigned long how)
{
	for (size_t i = 0; i < s->counters.n; i++) {
		if (is_sliced(s, i))
			ioctl(s->counters.list[i].fd, how, 0);
	}
}

static int take_out(void *session)
{
	turn(session, PERF_EVENT_IOC_DISABLE);
	return 0;
}

static int put_in(void *session, struct err *err)
{
	(void)err;
	turn(session, PERF_EVENT_IOC_ENABLE);
	return 0;
}

static const struct probing_fns fns = {.hits = hits, .take_out = take_out, .put_in = put_in};

void session__sliced_begin(struct session *s)
{
	bool any = false;

	for (size_t i = 0; i < s->counters.n; i++)
		any |= is_sliced(s, i);
	if (!any)
		return;
	s->sliced = xcalloc(1, sizeof(*s->sliced));
	s->sliced->probing.fns = &fns;
	s->sliced->probing.ctx = s;
	set_cost(s->sliced);
	s->sliced->probing.notes = &s->result->notes;
	probing__begin(&s->sliced->probing, s->opts->budget / 100 * s->cpus->n, 0, now_ns());
}

uint64_t session__sliced_due(const struct session *s)
{
	return s->sliced ? probing__due(&s->sliced->probing) : UINT64_MAX;
}

void session__sliced_look(struct session *s)
{
	if (s->sliced)
		probing__look(&s->sliced->probing, now_ns());
}

void session__sliced_end(struct session *s)
{
	struct probing *p = s->sliced ? &s->sliced->probing : NULL;
	struct probed told = {0}, all;

	if (!p || !p->fns)
		return;
	probing__end(p, now_ns());
	all = probing__part(p, &told);
	buf__printf(&s->result->notes,
		    "breakpoints: in place for %.1f %% of %.2f s, in %" PRIu64 " slice%s; %" PRIu64
		    " hits took %.3f s, %" PRIu64 " ns each%s\n",
		    all.span_ns ? 100 * (double)all.on_ns / (double)all.span_ns : 0,
		    (double)all.span_ns / 1e9, all.slices, all.slices == 1 ? "" : "s",
		    p->hits.emulated, (double)all.spent_ns / 1e9, p->each.emulated_ns,
		    s->sliced->assumed ? " (assumed: it could not be measured here)" : "");
}

void session__sliced_free(struct session *s)
{
	free(s->sliced);
	s->sliced = NULL;
}
