// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Who asks the kernel for memory that samples with data are about. */
#include "collect/mapped.h"

#include <linux/types.h>
#include <stdlib.h>

#include "base/mem.h"
#include "collect/features.h"
#include "session/internal.h"
#include "sys/clock.h"
#include "sys/procfs.h"

enum { LONGEST_CALL_NS = 1000 * 1000 * 1000 }; /* and how often that is looked at */

struct mapped_calls {
	struct mapped_programs *programs;
	struct pmb_mapped_stats told; /* at the last cut, what goes on counting */
	uint64_t lost, round_ns;      /* until the last round, and when that was */
	uint64_t told_forgotten;
	uint64_t looked_ns; /* for calls that don't end */
};

bool session__mapped_wanted(const struct session *s)
{
	return s->opts->labels & LABEL_DATA;
}

int session__mapped_open(struct session *s, struct err *err)
{
	const struct session_opts *o = s->opts;
	struct pmb_config config = {
		.user_mask = s->user_mask,
		.filter = target__filter(&o->whom),
		.max_frames = SITE_FRAMES + 4,
		.pidns = procfs_nested_pid_namespace(),
		.by_table = o->want_user && o->by_table,
		.has_task_regs = feature__has(FEATURE_TASK_REGS),
		.patient = o->patient,
		/* half of what overflows' programs have: copies of stacks leave them room */
		.ring_wake = (uint32_t)(s->ring_bytes / 8),
	};
	struct mapped_calls *m = xcalloc(1, sizeof(*m));
	int r = session__choose_cgroup(s, &config, err);

	m->round_ns = m->looked_ns = now_ns();
	if (r == 0)
		r = mapped_programs__load(&m->programs, s->programs, &config, o->budget / 100, err);
	if (r < 0)
		free(m);
	else
		s->mapped = m;
	return r;
}

struct pmb_mapped_stats session__mapped_stats(const struct session *s)
{
	struct pmb_mapped_stats now = {0};

	if (s->mapped)
		(void)mapped_programs__stats(s->mapped->programs, &now);
	return now;
}

/* What was not told of may be somebody else's since the last round; what was told, until now. */
void session__mapped_round(struct session *s)
{
	struct mapped_calls *m = s->mapped;
	const uint64_t begun_ns = now_ns();
	struct pmb_mapped_stats now;

	if (!m)
		return;
	if (begun_ns - m->looked_ns >= LONGEST_CALL_NS) {
		mapped_programs__give_up(m->programs, begun_ns - LONGEST_CALL_NS);
		m->looked_ns = begun_ns;
	}
	if (mapped_programs__stats(m->programs, &now) < 0)
		return;
	if (now.lost > m->lost) {
		assembly__forget_mapped(&s->assembly, m->round_ns);
		assembly__forget_mapped(&s->assembly, now_ns());
	}
	m->lost = now.lost;
	m->round_ns = begun_ns;
}

void session__mapped_close(struct session *s, struct ledger *ledger)
{
	struct mapped_calls *m = s->mapped;
	struct pmb_mapped_stats *now = &ledger->sites.kernel, told;

	if (!m || mapped_programs__stats(m->programs, now) < 0)
		return;
	told = m->told;
	m->told = *now;
	mapped_stats__take(now, &told);
	ledger->sites.no_room += s->assembly.mapped.blocks.forgotten - m->told_forgotten;
	m->told_forgotten = s->assembly.mapped.blocks.forgotten;
}

void session__mapped_free(struct session *s)
{
	if (!s->mapped)
		return;
	mapped_programs__free(s->mapped->programs);
	free(s->mapped);
	s->mapped = NULL;
}
