// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/live.h"

#include <malloc.h>
#include <stdlib.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/remarks.h"
#include "cmd/units.h"
#include "pmubpf/budgets.h"
#include "prof/recorded.h"
#include "sym/known.h"
#include "sym/names.h"
#include "sys/clock.h"

enum { LARGE_BLOCK = 16 * 1024 * 1024 };

struct live {
	struct live_opts opts;
	struct cutting cutting;
	struct session_result result;
	struct known *known; /* names of earlier parts */
	struct measure *measures;
	const char **events; /* their names */
	uint64_t n;          /* parts so far, */
	uint64_t part_ns;    /* the end of the last one, */
	uint64_t covered_ns; /* how long they were, all together */
	bool closed;
	bool given_up;      /* it was ended before it had */
	uint64_t names_ns;  /* CPU time of helpers that named */
	struct cost before; /* at the last part */
	uint64_t names_before_ns;
};

void part__done(struct part *part)
{
	prof__free(part->prof);
	ledger__done(&part->ledger);
	*part = (struct part){0};
}

double part__percent(const struct part *part, uint64_t cpu_ns)
{
	double span = (double)(part->end_ns - part->begin_ns) * part->cost.n_cpus;

	return span > 0 ? 100 * (double)cpu_ns / span : 0;
}

/* A recording gives large blocks back, since there is one end to come. Here there is one each
 * second, and its blocks are those of the next. */
static void keep_large_blocks(void)
{
	mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK);
	mallopt(M_TRIM_THRESHOLD, LARGE_BLOCK);
}

int live__open(struct live **ret, const struct live_opts *opts, struct err *err)
{
	const struct sampling_args *sampling = opts->sampling;
	const struct event_list *events = &sampling->events;
	struct live *live = xcalloc(1, sizeof(*live));
	int r;

	live->opts = *opts;
	live->measures = xcalloc(events->n, sizeof(*live->measures));
	live->events = xcalloc(events->n, sizeof(*live->events));
	for (size_t i = 0; i < events->n; i++)
		live->events[i] = events->events[i].name;
	live->known = known__new(sampling->session.max_memory / BUDGET_NAMES_PART);
	cutting__init(&live->cutting);
	r = session__open(&live->cutting.session, &sampling->session, &live->result, err);
	if (r < 0) {
		live->cutting.session = NULL;
		live__free(live);
		return r;
	}
	if (!opts->lean)
		keep_large_blocks();
	live->part_ns = now_ns();
	live->cutting.next_ns = live->part_ns + opts->part_ns;
	live->cutting.stepped = opts->stepped;
	live->cutting.stepped_ctx = opts->stepped_ctx;
	*ret = live;
	return 0;
}

enum cutting_news live__wait(struct live *live, int fd)
{
	return cutting__wait(&live->cutting, fd);
}

static int live__name(struct live *live, const struct profile *profile, struct names *ret,
		      struct err *err)
{
	const struct names_opts how = {
		.kernel = live->opts.sampling->session.kernel,
		.inlined = live->opts.inlined,
		.lines = live->opts.lines,
		.blocks = live->opts.sampling->session.labels & (LABEL_BLOCKCLASS | LABEL_OPCODE),
		.objects = live->result.objects,
		.stop_fd = live->cutting.ended_fd,
		.known = live->known,
		.meanwhile = live->closed ? NULL : cutting__meanwhile,
		.meanwhile_ctx = &live->cutting,
	};
	int r = names__resolve(ret, profile, live->result.files, &how, err);

	live->names_ns += ret->work.helper_ns;
	return r;
}

static struct prof *make_prof(const struct live *live, const struct profile *profile,
			      const struct names *names)
{
	const struct sampling_args *a = live->opts.sampling;
	const struct window_spec *window = &a->window.spec;
	const struct recorded recorded = {
		.profile = profile,
		.files = live->result.files,
		.names = names,
		.measures = live->measures,
		.events = live->events,
		.n_events = a->events.n,
		.contexts = live->result.contexts,
		.cgroups = live->result.cgroups,
		.want_language = a->session.labels & LABEL_LANGUAGE,
		.want_blockclass = a->session.labels & LABEL_BLOCKCLASS,
		.want_opcode = a->session.labels & LABEL_OPCODE,
		.want_cgroup = a->label_cgroup,
		.window = window->name,
		.window_calls = window_spec__is_any_call(window),
	};

	return prof__recorded(&recorded);
}

static uint64_t later(uint64_t before, uint64_t now)
{
	return now > before ? now : before;
}

/* What was spent since the part before; names of that one, too. */
static void live__charge(struct live *live, const struct cost *now, struct part_cost *ret)
{
	const struct cost *before = &live->before;
	/* an estimate: the mean of all that were timed may have become less than it was */
	uint64_t kernel_ns = later(before->kernel_ns, now->kernel_ns);
	/* of a process that has ended it is known in microseconds, of others in nanoseconds */
	uint64_t helper_ns = later(before->helper_ns, now->helper_ns);
	uint64_t names_ns = later(live->names_before_ns, live->names_ns);

	*ret = (struct part_cost){
		.n_cpus = now->n_cpus,
		.kernel_ns = kernel_ns - before->kernel_ns,
		.process_ns = now->reader_ns + now->after_ns - before->reader_ns - before->after_ns,
		.looks_ns = now->looks_ns - before->looks_ns,
		.helpers_ns = helper_ns - before->helper_ns + names_ns - live->names_before_ns,
	};
	live->before = *now;
	live->before.kernel_ns = kernel_ns;
	live->before.helper_ns = helper_ns;
	live->names_before_ns = names_ns;
}

/* Takes the ledger; the profile stays whose it is. */
static int live__finish(struct live *live, struct part *part, const struct profile *profile,
			struct ledger *ledger, const struct clock_rate *rates, struct err *err)
{
	const struct event_list *events = &live->opts.sampling->events;
	_cleanup_(names__done) struct names names = {0};
	const struct summary summary = {
		.ledger = &part->ledger,
		.events = events,
		.rates = rates,
	};
	struct timespec now;
	int r;

	clock_gettime(CLOCK_REALTIME, &now);
	part->number = ++live->n;
	part->ledger = *ledger;
	*ledger = (struct ledger){0};
	r = live__name(live, profile, &names, err);
	units__choose(live->measures, events, NULL, NULL);
	units__set_rates(live->measures, events, &part->ledger, rates, NULL, NULL);
	part->prof = make_prof(live, profile, &names);
	part->prof->duration_ns = (int64_t)(part->end_ns - part->begin_ns);
	part->prof->time_ns =
		now.tv_sec * 1000000000LL + now.tv_nsec - (int64_t)(now_ns() - part->begin_ns);
	add_remarks_of_books(part->prof, &summary, true);
	return r;
}

int live__cut(struct live *live, struct part *ret, struct err *err)
{
	struct session_cut *cut = session__cut(live->cutting.session);
	const struct cost cost = session__cost(live->cutting.session);
	uint64_t now;
	int r;

	*ret = (struct part){.begin_ns = cut->begin_ns, .end_ns = cut->end_ns};
	live->part_ns = ret->end_ns;
	live->covered_ns += ret->end_ns - ret->begin_ns;
	live__charge(live, &cost, &ret->cost);
	r = live__finish(live, ret, cut->profile, &cut->ledger, cut->rates, err);
	session__give_up(live->cutting.session, cut);
	if (live->opts.lean)
		malloc_trim(0);
	now = now_ns();
	live->cutting.next_ns += live->opts.part_ns;
	if (live->cutting.next_ns < now) /* it took longer than that */
		live->cutting.next_ns = now + live->opts.part_ns;
	return r;
}

int live__end(struct live *live, struct part *ret, struct err *err)
{
	uint64_t span_ns;

	live->given_up = !live->cutting.ended;
	session__close(live->cutting.session);
	live->cutting.ended = live->closed = true;
	span_ns = live->result.duration_ns > live->covered_ns ?
			  live->result.duration_ns - live->covered_ns :
			  0;
	*ret = (struct part){.begin_ns = live->part_ns,
			     .end_ns = live->part_ns + span_ns,
			     .last = true};
	live__charge(live, &live->result.cost, &ret->cost);
	return live__finish(live, ret, live->result.profile, &live->result.ledger,
			    live->result.rates, err);
}

void live__set_part(struct live *live, uint64_t part_ns)
{
	live->opts.part_ns = part_ns;
	live->cutting.next_ns = live->part_ns + part_ns;
}

int live__status(struct live *live)
{
	int status = session__wait(live->cutting.session);

	return live->given_up || session_cut_short(live->result.end) ? EXIT_DONE : status;
}

bool live__target_ended(const struct live *live)
{
	return live->cutting.ended && live->result.end == END_TARGET;
}

bool live__out_of_memory(const struct live *live)
{
	return live->result.end == END_MEMORY;
}

struct session *live__session(const struct live *live)
{
	return live->cutting.session;
}

const struct cgroups *live__cgroups(const struct live *live)
{
	return live->result.cgroups;
}

struct live *live__free(struct live *live)
{
	if (!live)
		return NULL;
	if (live->cutting.session) {
		if (!live->closed)
			session__close(live->cutting.session);
		session__wait(live->cutting.session);
		session_result__done(&live->result);
		session__free(live->cutting.session);
	}
	known__free(live->known);
	cutting__done(&live->cutting);
	free(live->measures);
	free(live->events);
	free(live);
	return NULL;
}
