// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * System counters: a package's energy, a memory controller's reads. Nobody can say which program
 * their counts are due to, so what was counted goes to the artificial function
 * [not-program-related], under the CPU through which it is read. Read from here: in an
 * interrupt it might take a lock that the interrupted code holds.
 */
#include <inttypes.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "session/internal.h"

static void charge(struct session *s, size_t event, int cpu, uint64_t weight)
{
	_cleanup_free_ char *cpu_name = xasprintf("cpu%d", cpu);

	assembly__charge(&s->assembly, event, cpu_name, weight);
}

void session__charge_system_counters(struct session *s)
{
	for (size_t i = 0; i < s->counters.n; i++) {
		struct counter *c = &s->counters.list[i];

		if (s->opts->events->events[c->event].mode != EVENT_SYSTEM ||
		    perf_read(c->fd, &c->count) < 0 || c->count.value <= c->charged)
			continue;
		charge(s, c->event, c->cpu, c->count.value - c->charged);
		c->charged = c->count.value;
	}
}

/* What the user has to know to read the numbers: a sentence for each mode, after the events'
 * names. */
static void note_mode(struct session *s, enum collection_mode mode, const char *sentence)
{
	const struct event_list *events = s->opts->events;
	struct buf *notes = &s->result->notes;
	bool any = false;

	for (size_t i = 0; i < events->n; i++) {
		if (events->events[i].mode != mode)
			continue;
		buf__printf(notes, "%s%s", any ? ", " : "", events->events[i].name);
		any = true;
	}
	if (any)
		buf__printf(notes, ": %s\n", sentence);
}

void session__note_modes(struct session *s)
{
	note_mode(s, EVENT_READ,
		  "no overflow interrupt; read at the overflows of cpu-clock, and what was counted "
		  "since the last reading goes to what that one interrupted");
	note_mode(
		s, EVENT_SYSTEM,
		"counted for a part of the machine, not for a program: all of it, whoever was the "
		"cause, is [not-program-related]");
}
