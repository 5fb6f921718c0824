// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/watched.h"

#include <stddef.h>

#include "cmd/target_cgroups.h"

int watched_find(struct alarms *alarms, struct sampling_args *sampling, struct event_list *events,
		 struct err *err)
{
	const struct window_spec *window = &sampling->window.spec;
	struct event_names counting = sampling->what.names; /* borrowed */
	int r;

	counting.counting = true;
	r = alarms__settle(alarms, &counting, events,
			   window->kind == WINDOW_NONE ? NULL : window->name, err);
	if (r == 0)
		r = alarms__expect(alarms, events, WATCHED_LOOK_NS, &sampling->notes, err);
	return r == 0 ? alarm_run__start(&alarms->run, err) : r;
}

/* Counters are of cgroups, and a recording's containers aren't. */
int watched__settle(struct watched *w, struct alarms *alarms, struct sampling_args *sampling,
		    const struct event_list *events, struct err *err)
{
	struct opener *opener = sampling->session.opener;
	int r = target_cgroups__find(&sampling->target, opener, err);

	for (size_t i = 0; r == 0 && i < alarms->targets.n; i++)
		r = target_cgroups__find(&alarms->targets.list[i].args, opener, err);
	if (r < 0)
		return r;
	w->alarms = alarms;
	w->opts = (struct counting_opts){
		.events = events,
		.whom = target_args__target(&sampling->target, false),
		.opener = opener,
		.beside = alarm_targets__beside(&alarms->targets),
		.n_beside = alarms->targets.n,
	};
	return 0;
}

int watched__open(void *ctx, pid_t command, struct err *err)
{
	struct watched *w = ctx;
	int r = watching__open(&w->watching, &w->opts, command, &w->counted, err);

	if (r < 0 || alarms__any_watched(w->alarms, &w->counted))
		return r;
	return err__cannot(err, "%s '%s': not both are counted here", w->alarms->option,
			   w->alarms->texts[0]);
}

void watched__begin(struct watched *w, uint64_t now)
{
	w->next_ns = now + WATCHED_LOOK_NS;
}

unsigned watched__look(struct watched *w, const struct session *s, uint64_t now, struct buf *talk)
{
	struct session_windows part;

	watching__read(w->watching, now);
	/* those that ended since, as a term of relations */
	part = session__windows(s, &w->windows);
	w->counted.n_units = part.ended;
	w->counted.work.probed = part.probed;
	w->next_ns += WATCHED_LOOK_NS;
	if (w->next_ns < now)
		w->next_ns = now + WATCHED_LOOK_NS;
	return alarms__add(w->alarms, &w->counted, talk);
}

void watched__done(struct watched *w)
{
	w->watching = watching__free(w->watching);
	counting_result__done(&w->counted);
}
