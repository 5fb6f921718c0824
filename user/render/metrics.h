/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What an agent says to Prometheus: sums over its windows so far, in the text format. Bounded
 * however many containers come and go: no more than METRICS_CONTAINERS have series of their own,
 * the others are "[other]" together, and one that has had no sample for an hour gives its place up.
 */
#ifndef PMUBPF_RENDER_METRICS_H
#define PMUBPF_RENDER_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "model/ledger.h"
#include "prof/prof.h"

enum { METRICS_CONTAINERS = 200, METRICS_EVENTS = 32 };
#define METRICS_IDLE_NS (3600 * 1000000000ULL)

struct metrics;
struct metrics *metrics__new(void);
struct metrics *metrics__free(struct metrics *m); /* NULL is fine; returns NULL */

/* A window, and its CPU time. end_ns: of a clock that isn't set. */
struct metrics_window {
	const struct prof *prof;
	const struct ledger *ledger;
	uint64_t end_ns;
	uint64_t kernel_ns, process_ns, helpers_ns;
};
void metrics__add(struct metrics *m, const struct metrics_window *window);

struct metrics_destination {
	const char *to;
	uint64_t sent, refused, expired, uncertain;
	uint64_t starts;
	bool running;
};
struct metrics_alarm {
	const char *relation;
	uint64_t raised; /* times */
	bool active;
};
/* What is so when it is printed. */
struct metrics_now {
	uint64_t windows, bytes; /* in the folder */
	uint64_t written, lost, waiting, expired, over;
	uint64_t rss_bytes; /* at its most */
	int64_t last_ns;    /* end of the last window, since 1970 */
	const struct metrics_destination *destinations;
	size_t n_destinations;
	const struct metrics_alarm *alarms; /* of each relation that is watched */
	size_t n_alarms;
	bool may_detail, detail; /* it is recorded in detail around them; it is now */
	uint64_t detail_ns, detail_refused;
};
void metrics__print(const struct metrics *m, const struct metrics_now *now, struct buf *out);

#endif
