// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What the recording costs, measured while it goes on: overflow programs by the clock reads of some
 * of their runs, this process by its CPU clock, and what of that goes into samples again by some of
 * them. The
 * hard thing is a change of periods: what an instance had counted of its period by then is lost,
 * unless its overflows are placed on the counter's own grid (bpf/lib/weight.h).
 */
#include <stdlib.h>

#include "base/mem.h"
#include "model/budget.h"
#include "opener/opener.h"
#include "session/internal.h"
#include "sys/clock.h"
#include "sys/usage.h"

enum {
	WINDOW_NS = 100 * 1000 * 1000,
	TIMED_EVERY = 16, /* samples, of those that are accounted */
	MEAN_OF = 512,    /* about so many */
	DETAIL_COSTS = 5, /* times the budget, while it is in detail */
};

/* A mean cost, by those that were timed; of late. */
struct mean {
	uint64_t n, ns;
};

/* Of the overflow programs so far. */
struct kernel_totals {
	uint64_t seen, dropped;
	struct mean timed;
};

struct spending {
	struct budget budget;
	uint64_t window_ns;        /* when it began */
	uint64_t cpu_ns;           /* of this thread, at the window's begin */
	uint64_t begun_ns;         /* …when the counters were enabled */
	uint64_t ended_ns;         /* …and when they were disabled */
	uint64_t begun_cpu_ns;     /* of this process: others of its threads read names */
	uint64_t helper_before_ns; /* its helper's */
	/* at the window's begin, by kind of event; and of probes that open and close windows */
	struct kernel_totals adaptive, other, probes;
	struct mean overflow, other_overflow, probe, sample;
	uint64_t accounted; /* samples of adaptive events since the window's begin */
	uint64_t turn;
	uint64_t sample_ns; /* when the sample began that is timed; 0: none is */
	struct settled {
		uint64_t at_ns; /* 0: the start isn't over */
		uint64_t kernel_ns, reader_ns;
	} settled;                 /* what the start had cost */
	uint64_t fixed_ns;         /* of all windows since */
	int n_cpus;                /* that are watched */
	uint64_t *period;          /* per event: the present one; in frequency mode that */
	bool detail;               /* events that have a rate for it have that */
	struct budget_mode unused; /* of the two, that which isn't on */
};

static bool is_adaptive(const struct session *s, size_t event)
{
	return s->opts->budget > 0 && s->opts->events->events[event].adaptive;
}

/* Nobody else's period is another one than it was opened with. */
static bool may_change(const struct session *s, size_t event)
{
	return is_adaptive(s, event) || s->opts->events->events[event].detail;
}

static bool any_adaptive(const struct session *s)
{
	for (size_t i = 0; i < s->opts->events->n; i++) {
		if (is_adaptive(s, i))
			return true;
	}
	return false;
}

/* CPU time of the processes beside this one: those that make tables, those that open files. */
static uint64_t helpers_ns(const struct session *s)
{
	return opener__cpu_ns(s->opts->opener) + thread_contexts__helper_ns(s->thread_contexts) +
	       (s->unwind.tables ? tables__helpers_ns(s->unwind.tables) +
					   hotspots__helpers_ns(s->unwind.hotspots) :
				   0);
}

static uint64_t helpers_rss_bytes(const struct session *s)
{
	return tables__helpers_rss_bytes(s->unwind.tables) +
	       hotspots__helpers_rss_bytes(s->unwind.hotspots);
}

void session__spend_begin(struct session *s)
{
	const struct event_list *events = s->opts->events;
	struct spending *sp = xcalloc(1, sizeof(*sp));

	s->spending = sp;
	sp->n_cpus = s->cpus->n;
	budget__init(&sp->budget, any_adaptive(s) ? s->opts->budget / 100 * s->cpus->n : 0);
	sp->unused = budget__mode(sp->budget.share * DETAIL_COSTS);
	sp->period = xcalloc(events->n, sizeof(*sp->period));
	for (size_t i = 0; i < events->n; i++)
		sp->period[i] = events->events[i].attr.sample_period;
	sp->window_ns = s->start_ns;
	sp->cpu_ns = sp->begun_ns = usage_thread_ns();
	sp->begun_cpu_ns = usage_cpu_ns(0);
	sp->helper_before_ns = helpers_ns(s);
	if (s->opts->looks_part)
		pace__init(&s->when.news_pace,
			   s->opts->budget / 100 * s->cpus->n / s->opts->looks_part, now_ns());
}

static void mean__add(struct mean *m, uint64_t n, uint64_t ns)
{
	m->n += n;
	m->ns += ns;
	if (m->n > 2 * MEAN_OF) {
		m->ns = m->ns * MEAN_OF / m->n;
		m->n = MEAN_OF;
	}
}

/* What n more of them cost. */
static uint64_t mean__times(const struct mean *m, uint64_t n)
{
	return m->n ? (uint64_t)((double)m->ns / (double)m->n * (double)n) : 0;
}

void session__time_sample(struct session *s, const struct decoded *rec)
{
	struct spending *sp = s->spending;

	sp->sample_ns = 0;
	if (!is_adaptive(s, rec->sample->event))
		return;
	sp->accounted++;
	if (++sp->turn % TIMED_EVERY == 0)
		sp->sample_ns = usage_thread_ns();
}

void session__timed_sample(struct session *s)
{
	struct spending *sp = s->spending;

	if (sp->sample_ns)
		mean__add(&sp->sample, 1, usage_thread_ns() - sp->sample_ns);
}

/* Of time without a CPU: what is dear is where threads leave theirs. */
static void add_departures(const struct session *s, struct kernel_totals *sum)
{
	const struct pmb_off_stats stats = session__off_stats(s);

	sum->seen += stats.departures;
	sum->timed.n += stats.timed;
	sum->timed.ns += stats.timed_ns;
}

static struct kernel_totals kernel_totals(const struct session *s, bool adaptive)
{
	struct kernel_totals sum = {0};

	for (size_t i = 0; i < s->opts->events->n; i++) {
		struct pmb_stats stats;

		if (s->opts->events->events[i].mode != EVENT_OVERFLOWS ||
		    is_adaptive(s, i) != adaptive || programs__stats(s->programs, i, &stats) < 0)
			continue;
		sum.dropped += stats.dropped[PMB_DROP_RING_FULL];
		if (s->opts->events->events[i].off_cpu) {
			add_departures(s, &sum);
			continue;
		}
		sum.seen += stats.seen;
		sum.timed.n += stats.timed;
		sum.timed.ns += stats.timed_ns;
	}
	return sum;
}

/* Of probes that open and close windows, and of switches to threads, and where they are woken. */
static struct kernel_totals probe_totals(const struct session *s)
{
	const struct pmb_off_stats off = session__off_stats(s);
	struct pmb_window_stats stats = {0};

	if (s->opts->gates)
		(void)programs__window_stats(s->programs, &stats);
	return (struct kernel_totals){
		.seen = stats.hits + off.hooks,
		.timed = {stats.timed + off.hooks_timed, stats.timed_ns + off.hooks_timed_ns},
	};
}

/* What the overflow programs of one kind have taken since; *before becomes now. */
static uint64_t kernel_ns(const struct kernel_totals *now, struct kernel_totals *before,
			  struct mean *mean)
{
	uint64_t seen = now->seen - before->seen;

	mean__add(mean, now->timed.n - before->timed.n, now->timed.ns - before->timed.ns);
	*before = *now;
	return mean__times(mean, seen);
}

/* As it is now, in detail or not. */
static uint64_t wanted_period(const struct session *s, size_t event)
{
	const struct spending *sp = s->spending;
	const struct event *e = &s->opts->events->events[event];
	uint64_t base = sp->detail && e->detail ? e->detail : e->attr.sample_period;

	return is_adaptive(s, event) ? period__prime((uint64_t)((double)base * sp->budget.factor)) :
				       base;
}

static void set_period(struct session *s, size_t event)
{
	struct ledger_event *e = &s->assembly.books.events[event];
	uint64_t *now = &s->spending->period[event], before = *now;
	enum pmb_weight weight = event_weight(s, event);
	bool freq = s->opts->events->events[event].attr.freq;

	*now = wanted_period(s, event);
	/* the longest of the part: it may have begun with the one that ends now */
	if (!freq && e->period < before)
		e->period = before;
	if (!freq && e->period < *now)
		e->period = *now;
	for (size_t i = 0; i < s->counters.n; i++) {
		if (s->counters.list[i].event != event)
			continue;
		counter__set_period(&s->counters.list[i], *now);
		if (!freq && weight != PMB_WEIGHT_CLOCK_CPU && weight != PMB_WEIGHT_GRID)
			e->cut += before;
	}
}

static void set_periods(struct session *s)
{
	for (size_t i = 0; i < s->opts->events->n; i++) {
		if (may_change(s, i) && wanted_period(s, i) != s->spending->period[i])
			set_period(s, i);
	}
}

void session__set_detail(struct session *s, bool on)
{
	struct spending *sp = s->spending;

	if (sp->detail == on || s->stopped_ns)
		return;
	sp->detail = on;
	budget__swap(&sp->budget, &sp->unused);
	set_periods(s);
}

/* Since the window began. */
static struct budget_window session__window(struct session *s, uint64_t now)
{
	struct spending *sp = s->spending;
	struct kernel_totals adaptive = kernel_totals(s, true), other = kernel_totals(s, false);
	struct kernel_totals probes = probe_totals(s);
	uint64_t cpu_ns = usage_thread_ns(), reader_ns = cpu_ns - sp->cpu_ns;
	uint64_t samples_ns = mean__times(&sp->sample, sp->accounted);
	struct budget_window w = {
		.span_ns = now - sp->window_ns,
		.overflows = adaptive.seen - sp->adaptive.seen,
		.lost = adaptive.dropped > sp->adaptive.dropped,
		.fill = rings__most_fill(s->rings),
	};

	if (samples_ns > reader_ns)
		samples_ns = reader_ns;
	w.varying_ns = kernel_ns(&adaptive, &sp->adaptive, &sp->overflow) + samples_ns;
	w.fixed_ns = kernel_ns(&other, &sp->other, &sp->other_overflow) +
		     kernel_ns(&probes, &sp->probes, &sp->probe) + reader_ns - samples_ns;
	sp->window_ns = now;
	sp->cpu_ns = cpu_ns;
	sp->accounted = 0;
	return w;
}

/* Of all events' programs, and those of probes, since they were attached. */
static uint64_t kernel_cost_ns(const struct session *s, struct kernel_totals *ret)
{
	struct kernel_totals adaptive = kernel_totals(s, true), other = kernel_totals(s, false);
	struct kernel_totals probes = probe_totals(s);

	*ret = (struct kernel_totals){.seen = adaptive.seen + other.seen,
				      .timed.n = adaptive.timed.n + other.timed.n};
	return mean__times(&adaptive.timed, adaptive.seen) + mean__times(&other.timed, other.seen) +
	       mean__times(&probes.timed, probes.seen);
}

/* Samples cost more as long as tables are not there; that is over. */
static void session__settle_costs(struct session *s, uint64_t now)
{
	struct spending *sp = s->spending;
	struct kernel_totals unused;

	sp->settled =
		(struct settled){now, kernel_cost_ns(s, &unused), usage_thread_ns() - sp->begun_ns};
	sp->sample = sp->overflow = sp->other_overflow = sp->probe = (struct mean){0};
}

void session__spend_round(struct session *s)
{
	struct spending *sp = s->spending;
	uint64_t now = now_ns();
	struct budget_window w;

	if (!sp->settled.at_ns && now - s->start_ns >= BUDGET_SETTLING_NS)
		session__settle_costs(s, now);
	if (!(sp->budget.share > 0) || now - sp->window_ns < WINDOW_NS)
		return;
	w = session__window(s, now);
	if (sp->settled.at_ns)
		sp->fixed_ns += w.fixed_ns;
	if (budget__pass(&sp->budget, &w))
		set_periods(s);
}

uint64_t session__period(const struct session *s, size_t event)
{
	return may_change(s, event) ? s->spending->period[event] : 0;
}

void session__spend_on_another(struct session *s)
{
	struct spending *sp = s->spending;

	sp->budget.share += sp->budget.share / sp->n_cpus;
	sp->unused.share += sp->unused.share / sp->n_cpus;
	sp->n_cpus++;
}

/* What the last window had, which isn't whole, is no sample's either. */
void session__spend_stop(struct session *s)
{
	struct spending *sp = s->spending;

	if (sp->settled.at_ns && sp->budget.share > 0)
		sp->fixed_ns += session__window(s, now_ns()).fixed_ns;
	sp->ended_ns = usage_thread_ns();
}

struct cost session__cost(const struct session *s)
{
	const struct spending *sp = s->spending;
	uint64_t end_ns = s->stopped_ns ? s->stopped_ns : now_ns();
	uint64_t thread_ns = sp->ended_ns ? sp->ended_ns : usage_thread_ns();
	uint64_t reader_ns = thread_ns - sp->begun_ns;
	struct kernel_totals kernel;
	struct cost cost = {
		.span_ns = end_ns - s->start_ns,
		.n_cpus = (unsigned)sp->n_cpus,
		.before_ns = sp->begun_cpu_ns - s->opts->cpu_ns,
		.kernel_ns = kernel_cost_ns(s, &kernel),
		.overflows = kernel.seen,
		.timed = kernel.timed.n,
		.reader_ns = reader_ns,
		.looks_ns = s->when.looks_cpu_ns,
		.helper_ns = helpers_ns(s) - sp->helper_before_ns,
		.after_ns = usage_cpu_ns(0) - sp->begun_cpu_ns - reader_ns,
		.rss_bytes = usage_rss_bytes(0),
		.table_helpers = s->unwind.tables ? tables__n_helpers(s->unwind.tables) : 0,
		.helper_rss_bytes = s->unwind.tables ? helpers_rss_bytes(s) : 0,
		.map_bytes = programs__map_bytes(s->programs),
		.budget = s->opts->budget,
		.adaptive = any_adaptive(s),
		.factor = sp->budget.factor,
		.highest = sp->budget.highest,
		.changes = sp->budget.changes,
	};

	if (sp->settled.at_ns) {
		cost.settled_span_ns = end_ns - sp->settled.at_ns;
		cost.settled_ns =
			cost.kernel_ns - sp->settled.kernel_ns + reader_ns - sp->settled.reader_ns;
		cost.fixed_ns = sp->fixed_ns;
	}
	return cost;
}

void session__spend_end(struct session *s)
{
	struct session_result *result = s->result;

	result->cost = session__cost(s);
	result->cpu_ns = s->spending->begun_cpu_ns + result->cost.reader_ns + result->cost.after_ns;
}

void session__spend_free(struct session *s)
{
	if (s->spending)
		free(s->spending->period);
	free(s->spending);
	s->spending = NULL;
}
