/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The processes behind opener.h: a spawner, which touches nothing of anybody, and the openers that
 * it forks, one at work at a time. What the spawner is told, each answered with an int32_t:
 *
 *	SHARE	+fd: the page of culprits		0
 *	NEXT	+fd: a socket; an opener that answers there, in place of the one before		its pid; -EBUSY: so many
 *							that were killed are not gone
 *	SETTLED	no counters of tasks will be asked for any more		0
 *	COUNTER	a struct spawner_counter; +fd: the first of its group	0 with a descriptor, or a negative errno
 */
#ifndef PMUBPF_OPENER_PROCESS_H
#define PMUBPF_OPENER_PROCESS_H

#include <linux/perf_event.h>
#include <stdint.h>

enum spawner_word { SPAWNER_SHARE = 1, SPAWNER_NEXT, SPAWNER_SETTLED, SPAWNER_COUNTER };

/* Of a CPU that comes later: no target has a say in it. */
struct spawner_counter {
	uint32_t word;
	int32_t cpu;
	struct perf_event_attr attr;
};

int opener_main(int sock);

#endif
