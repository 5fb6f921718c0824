// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/ratios.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "model/derive.h"
#include "render/roles.h"

static struct perf_count count_of_target(const struct ledger_event *e)
{
	double share = e->kernel.weight_seen ? (double)e->weight / (double)e->kernel.weight_seen :
					       0;

	return (struct perf_count){
		.value = (uint64_t)(share * (double)e->value),
		.enabled_ns = e->enabled_ns,
		.running_ns = e->running_ns,
	};
}

/* The caller frees *ret. */
static size_t find(const struct summary *s, struct derived **ret)
{
	_cleanup_free_ struct derive_event *roles = event_roles(s->events);
	_cleanup_free_ struct perf_count *counts = xcalloc(s->events->n, sizeof(*counts));
	struct derived *figures = xcalloc(DERIVE_MAX * s->events->n, sizeof(*figures));
	size_t n, kept = 0;

	for (size_t i = 0; i < s->events->n; i++)
		counts[i] = count_of_target(&s->ledger->events[i]);
	n = derive(roles, counts, s->events->n, s->duration_ns, false, figures);
	for (size_t i = 0; i < n; i++) {
		if (!derived__is_ratio(&figures[i]))
			continue;
		/* passes may happen to take equally long */
		if (s->passes && s->plan->set[figures[i].event] != s->plan->set[figures[i].other])
			figures[i].apart = true;
		figures[kept++] = figures[i];
	}
	*ret = figures;
	return kept;
}

void ratios__text(const struct summary *s, struct buf *out)
{
	_cleanup_free_ struct derived *figures = NULL;
	size_t n = find(s, &figures);
	bool apart = false;

	for (size_t i = 0; i < n; i++) {
		const struct derived *f = &figures[i];

		buf__printf(out, "%s%s %s%.3f %s", i ? ", " : "  ratios of what was sampled: ",
			    event__label(&s->events->events[f->event]), f->apart ? "~" : "",
			    f->value, derived_texts[f->kind]);
		apart |= f->apart;
	}
	if (n)
		buf__printf(out, "%s\n",
			    apart ? " (~: the two did not run together all the time)" : "");
}

void ratios__json(const struct summary *s, struct json *j)
{
	_cleanup_free_ struct derived *figures = NULL;
	size_t n = find(s, &figures);

	json__arr(j, "ratios");
	for (size_t i = 0; i < n; i++) {
		json__obj(j, NULL);
		json__str(j, "event", event__label(&s->events->events[figures[i].event]));
		json__str(j, "other", event__label(&s->events->events[figures[i].other]));
		json__str(j, "kind", derived_keys[figures[i].kind]);
		json__f64(j, "value", figures[i].value, 6);
		json__bool(j, "apart", figures[i].apart);
		json__end_obj(j);
	}
	json__end_arr(j);
}
