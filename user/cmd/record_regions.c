// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is that nothing may be missing at the end: the parts become one profile again,
 * which is that of the first cut, so that the session keeps the files that it refers to. And that
 * all of it costs no more than without: each of the two profiles has half of the memory.
 */
#include "cmd/record_regions.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/units.h"
#include "pmu/skid.h"
#include "pmubpf/budgets.h"
#include "prof/recorded.h"
#include "prof/regions.h"
#include "render/regions_list.h"
#include "session/signals.h"
#include "sym/known.h"
#include "sym/places.h"
#include "sys/clock.h"
#include "sys/usage.h"

enum {
	EACH_NS = 1000000000,
	REST = 4, /* times the CPU time that a list took, at least, until the next one */
	LAST_MS = 2000,
};

int record_regions__start(struct record_regions *g, struct err *err)
{
	cutting__init(&g->cutting);
	return renewal__start(&g->renewal, g->args->regions, err);
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void put_list(struct record_regions *g, const struct prof *part, bool ended)
{
	_cleanup_(buf__done) struct buf text = {0};
	const struct regions_list list = {
		.log = &g->log,
		.part = part,
		.factor = REGIONS_FACTOR,
		.number = g->number++,
		.ended = ended,
		.at_ms = now_ms(),
		.elapsed_ms = (now_ns() - g->start_ns) / 1000000,
	};

	regions_list__text(&list, &text);
	if (ended) /* this one is not skipped */
		renewal__settle(&g->renewal, LAST_MS);
	renewal__write(&g->renewal, &text);
}

/* ---------------------------------------------------------------- a part by its names */

/* Types of data aren't asked for: they are of no region, and dear. */
static void look_at_code(struct record_regions *g, struct profile *profile, int stop_fd,
			 struct places *ret)
{
	const struct event_list *events = &g->args->sampling.events;
	struct err err;

	*ret = (struct places){
		.profile = profile,
		.skids = xcalloc(events->n, sizeof(*ret->skids)),
		.known = g->known,
		.meanwhile = g->cutting.ended ? NULL : cutting__meanwhile,
		.meanwhile_ctx = &g->cutting,
	};
	for (size_t i = 0; i < events->n; i++)
		ret->skids[i] = (uint8_t)event_skid(&events->events[i]);
	places__resolve(ret, g->result->files, stop_fd, &err);
	g->helper_ns += ret->helper_ns;
}

static void find_names(struct record_regions *g, const struct profile *profile, int stop_fd,
		       struct names *ret)
{
	const struct names_opts how = {
		.kernel = g->args->sampling.session.kernel,
		.inlined = g->args->names.inlined,
		.objects = g->result->objects,
		.stop_fd = stop_fd,
		.known = g->known,
		.meanwhile = g->cutting.ended ? NULL : cutting__meanwhile,
		.meanwhile_ctx = &g->cutting,
	};
	struct err err;

	names__resolve(ret, profile, g->result->files, &how, &err);
	g->helper_ns += ret->work.helper_ns;
}

static struct prof *make_prof(const struct record_regions *g, const struct profile *profile,
			      const struct names *names, const struct places *places,
			      const uint32_t *sites)
{
	const struct event_list *events = &g->args->sampling.events;
	_cleanup_free_ const char **texts = xcalloc(events->n, sizeof(*texts));
	_cleanup_free_ struct measure *measures = xcalloc(events->n, sizeof(*measures));
	const struct recorded recorded = {
		.profile = profile,
		.files = g->result->files,
		.names = names,
		.places = places,
		.sites = g->result->sites,
		.site_stacks = sites,
		.measures = measures,
		.events = texts,
		.n_events = events->n,
		.no_symbols = g->args->no_symbols,
	};

	for (size_t i = 0; i < events->n; i++)
		texts[i] = events->events[i].name;
	units__choose(measures, events, NULL, NULL);
	return prof__recorded(&recorded);
}

/* False: the recording ended meanwhile, and some names are missing. */
static bool tell(struct record_regions *g, struct profile *profile, bool last)
{
	_cleanup_(places__done) struct places places = {0};
	_cleanup_(names__done) struct names names = {0};
	_cleanup_free_ uint32_t *sites = NULL;
	_cleanup_close_ int more = last ? signals__more_fd() : -1;
	int stop_fd = last ? more : g->cutting.ended_fd;
	struct prof *part;

	look_at_code(g, profile, stop_fd, &places);
	sites = sites__stacks(g->result->sites, profile);
	find_names(g, profile, stop_fd, &names);
	if (g->cutting.ended && !last)
		return false;
	part = make_prof(g, profile, &names, &places, sites);
	region_log__add(&g->log, part);
	put_list(g, part, last);
	prof__free(part);
	return true;
}

/* ---------------------------------------------------------------- all parts */

static void merge(struct profile *to, const struct profile *from)
{
	profile__merge(to, from);
	profile__trim(to);
}

static void cut(struct record_regions *g)
{
	uint64_t before = usage_thread_ns() + g->helper_ns, rest;
	struct session_cut *part = session__cut(g->cutting.session);

	ledger__take(&g->ledger, &part->ledger);
	if (g->all)
		clock_rates__follow(g->all->rates, part->rates, g->opts.events->n);
	if (!tell(g, part->profile, false))
		g->untold = part;
	else if (g->all)
		merge(g->all->profile, part->profile);
	if (!g->all)
		g->all = part;
	else if (!g->untold)
		session__give_up(g->cutting.session, part);
	rest = now_ns() + REST * (usage_thread_ns() + g->helper_ns - before);
	g->cutting.next_ns += EACH_NS;
	if (g->cutting.next_ns < rest)
		g->cutting.next_ns = rest;
}

/* The last part, and with it all of them. */
static void end(struct record_regions *g)
{
	struct session_result *result = g->result;
	struct profile *last = result->profile;

	if (g->untold) {
		merge(g->untold->profile, last);
		last = g->untold->profile;
	}
	tell(g, last, true);
	if (!g->all)
		return;
	if (last != g->all->profile)
		merge(g->all->profile, last);
	last = g->all->profile;
	g->all->profile = result->profile;
	result->profile = last;
	ledger__take(&g->ledger, &result->ledger);
	result->ledger = g->ledger;
	g->ledger = (struct ledger){0};
	clock_rates__follow(g->all->rates, result->rates, g->opts.events->n);
	memcpy(result->rates, g->all->rates, g->opts.events->n * sizeof(*result->rates));
	ledger__uncount_rows(&result->ledger); /* it has those of each part */
	ledger__count_rows(&result->ledger, result->profile);
	result->ledger.memory.limit = g->args->sampling.session.max_memory;
}

static void note_lists(const struct record_regions *g)
{
	const struct renewal *r = &g->renewal;

	if (r->failed || r->skipped)
		buf__printf(&g->result->notes,
			    "--regions: %" PRIu64 " of %" PRIu64
			    " lists could not be written, and %" PRIu64
			    " were left out because the one before wasn't yet\n",
			    r->failed, g->number, r->skipped);
}

int record_regions__record(struct record_regions *g, struct session **ret,
			   struct session_result *result, struct err *err)
{
	int r;

	g->opts = g->args->sampling.session;
	g->opts.max_memory /= 2;
	g->result = result;
	g->log.limit = g->args->sampling.session.max_memory / BUDGET_REGION_LOG_PART;
	g->known = known__new(g->args->sampling.session.max_memory / BUDGET_NAMES_PART);
	r = session__open(ret, &g->opts, result, err);
	if (r < 0)
		return r;
	g->cutting.session = *ret;
	g->start_ns = now_ns();
	g->cutting.next_ns = g->start_ns + EACH_NS;
	put_list(g, NULL, false); /* whatever a recording before has left isn't of this one */
	while (cutting__wait(&g->cutting, -1) != CUTTING_ENDED)
		cut(g);
	session__close(g->cutting.session);
	end(g);
	result->cost.after_ns += g->helper_ns; /* with other names */
	renewal__settle(&g->renewal, LAST_MS);
	note_lists(g);
	return 0;
}

int record_regions__status(struct record_regions *g, struct err *err)
{
	int r = renewal__settle(&g->renewal, 0);

	return r < 0 ? err__set(err, r, "can't renew '%s': %s", g->args->regions, strerror(-r)) : 0;
}

void record_regions__done(struct record_regions *g)
{
	renewal__done(&g->renewal);
	region_log__done(&g->log);
	known__free(g->known);
	ledger__done(&g->ledger);
	cutting__done(&g->cutting);
}
