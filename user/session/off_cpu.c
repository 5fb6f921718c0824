// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Time without a CPU, when a recording ends: of those that still have none. */
#include "collect/off_cpu.h"

#include "session/internal.h"

bool session__wants_off_cpu(const struct session *s)
{
	for (size_t i = 0; i < s->opts->events->n; i++) {
		if (s->opts->events->events[i].off_cpu)
			return true;
	}
	return false;
}

struct pmb_off_stats session__off_stats(const struct session *s)
{
	struct pmb_off_stats stats = {0};
	struct off_threads threads;

	if (!session__wants_off_cpu(s))
		return stats;
	threads = programs__off_threads(s->programs);
	(void)off_threads__stats(&threads, &stats);
	return stats;
}

void session__end_off_cpu(struct session *s,
			  void (*record)(void *session, const void *data, size_t size))
{
	struct off_threads threads;

	if (!session__wants_off_cpu(s))
		return;
	threads = programs__off_threads(s->programs);
	off_threads__end(&threads, s->stopped_ns, record, s, &s->off_cpu);
}

void session__close_off_cpu(struct session *s, struct ledger *ledger, bool final)
{
	struct off_threads threads;
	struct pmb_off_stats now;

	if (!session__wants_off_cpu(s))
		return;
	threads = programs__off_threads(s->programs);
	if (final)
		now = s->off_cpu;
	else if (off_threads__stats(&threads, &now) < 0)
		return;
	else /* that of those that go on is known at the end */
		now.wall_ns = now.on_ns + now.off_ns + now.outside_ns + now.unseen_ns;
	ledger->off_cpu = now;
	off_stats__take(&ledger->off_cpu, &s->told.off_cpu);
	s->told.off_cpu = now;
}
