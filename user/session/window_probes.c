// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Probes in programs, and at the kernel's functions, that open and close windows. They are put in
 * last, for whoever meets them pays, and taken out first.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "session/gate_sites.h"
#include "session/internal.h"
#include "session/probing.h"
#include "sys/clock.h"

struct window_probes {
	struct gates gates; /* with whose, and where in programs */
	struct probing probing;
	struct probed told; /* at the last cut */
	bool over;
};

static int hits(void *session, struct probe_hits *ret)
{
	const struct session *s = session;
	struct pmb_window_stats now;
	int r = programs__window_stats(s->programs, &now);

	*ret = (struct probe_hits){now.emulated, now.stepped, now.timed, now.timed_ns};
	return r;
}

static int take_out(void *session)
{
	const struct session *s = session;

	return programs__take_out(s->programs, &s->window_probes->gates, s->window_probes->over);
}

static int put_in(void *session, struct err *err)
{
	const struct session *s = session;

	return programs__put_in(s->programs, &s->window_probes->gates, err);
}

static const struct probing_fns fns = {.hits = hits, .take_out = take_out, .put_in = put_in};

int session__window_probes_find(struct session *s, const struct pmb_config *whose, struct err *err)
{
	struct window_probes *w = xcalloc(1, sizeof(*w));

	s->window_probes = w;
	w->gates = *s->opts->gates;
	w->gates.whose = *whose;
	w->gates.sliced = gates__by_probes(&w->gates) && s->opts->budget > 0;
	return gate_sites__find(&w->gates, &s->opts->whom, s->opts->opener, &w->probing.each,
				&s->result->notes, err);
}

const struct gates *session__gates(const struct session *s)
{
	return s->window_probes ? &s->window_probes->gates : NULL;
}

bool session__slices_windows(const struct session *s)
{
	return s->window_probes && s->window_probes->gates.sliced;
}

bool session__slices_kernel(const struct session *s)
{
	return session__slices_windows(s) && gates__by_kernel(&s->window_probes->gates);
}

int session__window_probes_begin(struct session *s, struct err *err)
{
	struct window_probes *w = s->window_probes;
	int r;

	if (!w || !gates__by_probes(&w->gates))
		return 0;
	probing__expect(&w->probing, s->opts->opener);
	r = put_in(s, err);
	if (r < 0)
		return r;
	w->probing.fns = &fns;
	w->probing.ctx = s;
	w->probing.notes = &s->result->notes;
	probing__begin(&w->probing, s->opts->budget / 100 * s->cpus->n, 0, now_ns());
	return 0;
}

uint64_t session__window_probes_due(const struct session *s)
{
	return s->window_probes ? probing__due(&s->window_probes->probing) : UINT64_MAX;
}

void session__window_probes_look(struct session *s)
{
	struct window_probes *w = s->window_probes;

	if (!w)
		return;
	probing__look(&w->probing, now_ns());
	if (w->gates.of_go)
		programs__leave_ended(s->programs, now_ns());
}

struct session_windows session__windows(const struct session *s, struct session_windows *told)
{
	struct session_windows part = {0};
	struct pmb_window_stats now;

	if (!s->window_probes || programs__window_stats(s->programs, &now) < 0)
		return part;
	part.ended = now.ended - told->ended;
	part.probed = probing__part(&s->window_probes->probing, &told->probed);
	told->ended = now.ended;
	return part;
}

void session__window_probes_stop(struct session *s)
{
	if (!s->window_probes)
		return;
	s->window_probes->over = true;
	probing__end(&s->window_probes->probing, now_ns());
}

void session__window_probes_close(struct session *s, struct ledger *ledger)
{
	struct window_probes *w = s->window_probes;

	if (!w)
		return;
	ledger->windows.of_go = w->gates.of_go;
	ledger->windows.probed = probing__part(&w->probing, &w->told);
}

void session__window_probes_free(struct session *s)
{
	if (s->window_probes)
		gate_sites__close(&s->window_probes->gates);
	free(s->window_probes);
	s->window_probes = NULL;
}
