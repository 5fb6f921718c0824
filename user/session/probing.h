/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Probes in programs that come and go, so that what they cost stays within the budget: looked at
 * now and then, taken out, and put in again. Whoever has them does both.
 */
#ifndef PMUBPF_SESSION_PROBING_H
#define PMUBPF_SESSION_PROBING_H

#include "base/buf.h"
#include "base/err.h"
#include "model/slices.h"
#include "opener/opener.h"

struct probing_fns {
	/* How often they were met so far; -errno: it isn't known now. */
	int (*hits)(void *ctx, struct probe_hits *ret);
	/* -ETIMEDOUT: a program that has one makes that wait; it goes when that lets it. */
	int (*take_out)(void *ctx);
	/* -errno with the sentence: none is in place, and none will be. */
	int (*put_in)(void *ctx, struct err *err);
	/* The CPU time of those that may meet them; NULL: isn't known, as 0 is. */
	uint64_t (*cpu_ns)(void *ctx);
};

struct probing {
	const struct probing_fns *fns; /* NULL: there are none, or not any more */
	void *ctx;
	const struct opener *opener; /* who does it for us; NULL: nobody */
	uint64_t expected_ns;        /* of its and our time, before; 0: of no interest */
	struct buf *notes;           /* what went wrong, a line each; borrowed */
	bool told_late;              /* that one waits */
	struct probe_costs each;
	struct slices slices;
	struct probe_hits hits; /* at the last look */
	uint64_t looked_ns;     /* when that was, CLOCK_MONOTONIC */
	uint64_t due_ns;        /* when the next one is, at the latest */
	struct probed probed;   /* but for slices and times */
	struct probed slice;    /* that when the present slice began */
	uint64_t cpu_ns;        /* at the last look */
};

/* They are put in next: what that takes counts, as later changes do. */
void probing__expect(struct probing *p, const struct opener *opener);
/* They are in place from now on. share, settling_ns: of model/slices.h. */
void probing__begin(struct probing *p, double share, uint64_t settling_ns, uint64_t now);
/* Looks what they have cost, and takes them out or puts them in. As often as one likes; it is done
 * in time if it is done by then. */
void probing__look(struct probing *p, uint64_t now);
uint64_t probing__due(const struct probing *p); /* UINT64_MAX: never */
/* Takes them out for good. */
void probing__end(struct probing *p, uint64_t now);
/* Since it was called before with the same `told`, which begins with 0. */
struct probed probing__part(const struct probing *p, struct probed *told);

#endif
