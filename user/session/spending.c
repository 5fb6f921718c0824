// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What the recording costs, measured while it goes on: overflow programs by the clock reads of some
 * of their runs, this process by its CPU clock, and what of that goes into samples again by some of
 * them. Where threads leave their CPUs is paid for apart: of them there may be any number, and no
 * other event is to have longer periods for that. The
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
	LONGEST = 100,
	LONGEST_OF_SWITCHES = 1000, /* periods, by the default ones */
};

/* Whose periods follow from what they cost, together. */
enum payer { PAYS_EVENTS, PAYS_SWITCHES, N_PAYERS, PAYS_NOTHING = N_PAYERS };

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
	struct {
		struct budget budget;
		struct budget_mode unused;   /* in detail, or not: that which isn't on */
		struct kernel_totals before; /* at the window's begin */
		struct mean overflow, sample;
		uint64_t accounted; /* samples since the window's begin */
	} payers[N_PAYERS];
	uint64_t window_ns;        /* when it began */
	uint64_t cpu_ns;           /* of this thread, at the window's begin */
	uint64_t begun_ns;         /* …when the counters were enabled */
	uint64_t ended_ns;         /* …and when they were disabled */
	uint64_t begun_cpu_ns;     /* of this process: others of its threads read names */
	uint64_t helper_before_ns; /* its helper's */
	/* at the window's begin: of other events, of probes that open and close windows, of
	 * switches to threads, and of probes at mmap() */
	struct kernel_totals other, probes, arrivals, mapped;
	struct mean other_overflow, probe, arrival, mapping;
	uint64_t drained_ns; /* since the window's begin: rings were emptied */
	uint64_t turn;
	uint64_t sample_ns;      /* when the sample began that is timed; 0: none is */
	enum payer sample_payer; /* whose it is */
	struct settled {
		uint64_t at_ns; /* 0: the start isn't over */
		uint64_t kernel_ns, reader_ns;
	} settled;         /* what the start had cost */
	uint64_t fixed_ns; /* of all windows since */
	int n_cpus;        /* that are watched */
	uint64_t *period;  /* per event: the present one; in frequency mode that */
	bool detail;       /* events that have a rate for it have that */
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

static enum payer payer_of(const struct session *s, size_t event)
{
	if (!is_adaptive(s, event))
		return PAYS_NOTHING;
	return s->opts->events->events[event].off_cpu ? PAYS_SWITCHES : PAYS_EVENTS;
}

static bool any_pays(const struct session *s, enum payer payer)
{
	for (size_t i = 0; i < s->opts->events->n; i++) {
		if (payer_of(s, i) == payer)
			return true;
	}
	return false;
}

static bool any_adaptive(const struct session *s)
{
	return any_pays(s, PAYS_EVENTS) || any_pays(s, PAYS_SWITCHES);
}

/* For other events all is as it were without switches; these have what is left. */
static void init_budgets(struct session *s)
{
	struct spending *sp = s->spending;
	double share = s->opts->budget / 100 * s->cpus->n;
	bool events = any_pays(s, PAYS_EVENTS), switches = any_pays(s, PAYS_SWITCHES);

	budget__init(&sp->payers[PAYS_EVENTS].budget, events ? share : 0, LONGEST, BUDGET_LEFT);
	budget__init(&sp->payers[PAYS_SWITCHES].budget, switches ? share : 0, LONGEST_OF_SWITCHES,
		     events ? BUDGET_LEFT / 2 : BUDGET_LEFT);
	/* at 100,000 a second the first second alone would take a CPU */
	sp->payers[PAYS_SWITCHES].budget.age_ns = BUDGET_SETTLING_NS;
	for (int i = 0; i < N_PAYERS; i++)
		sp->payers[i].unused = budget__mode(sp->payers[i].budget.share * DETAIL_COSTS);
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
	init_budgets(s);
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
	sp->sample_payer = payer_of(s, rec->sample->event);
	if (sp->sample_payer == PAYS_NOTHING)
		return;
	sp->payers[sp->sample_payer].accounted++;
	if (++sp->turn % TIMED_EVERY == 0)
		sp->sample_ns = usage_thread_ns();
}

void session__timed_sample(struct session *s)
{
	struct spending *sp = s->spending;

	if (sp->sample_ns)
		mean__add(&sp->payers[sp->sample_payer].sample, 1,
			  usage_thread_ns() - sp->sample_ns);
}

void session__drain_rings(struct session *s, uint64_t until_ns)
{
	uint64_t before = usage_thread_ns();

	rings__drain(s->rings, until_ns);
	s->spending->drained_ns += usage_thread_ns() - before;
}

/* Of time without a CPU: what is dear is where threads leave theirs. */
static void add_departures(const struct session *s, struct kernel_totals *sum)
{
	const struct pmb_off_stats stats = session__off_stats(s);

	sum->seen += stats.departures;
	sum->timed.n += stats.timed;
	sum->timed.ns += stats.timed_ns;
}

static struct kernel_totals kernel_totals(const struct session *s, enum payer payer)
{
	struct kernel_totals sum = {0};

	for (size_t i = 0; i < s->opts->events->n; i++) {
		struct pmb_stats stats;

		if (s->opts->events->events[i].mode != EVENT_OVERFLOWS || payer_of(s, i) != payer ||
		    programs__stats(s->programs, i, &stats) < 0)
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

/* Of probes that open and close windows. */
static struct kernel_totals probe_totals(const struct session *s)
{
	struct pmb_window_stats stats = {0};

	if (s->opts->gates)
		(void)programs__window_stats(s->programs, &stats);
	return (struct kernel_totals){.seen = stats.hits, .timed = {stats.timed, stats.timed_ns}};
}

/* Of switches to threads, and where they are woken. */
static struct kernel_totals arrival_totals(const struct session *s)
{
	const struct pmb_off_stats off = session__off_stats(s);

	return (struct kernel_totals){.seen = off.hooks,
				      .timed = {off.hooks_timed, off.hooks_timed_ns}};
}

/* Of probes at calls that ask for memory: each is timed. */
static struct kernel_totals mapped_totals(const struct session *s)
{
	const struct pmb_mapped_stats stats = session__mapped_stats(s);

	return (struct kernel_totals){.seen = stats.hits,
				      .timed = {stats.hits, stats.ns + stats.others_ns}};
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

	enum payer payer = payer_of(s, event);

	if (payer == PAYS_NOTHING)
		return base;
	return period__prime((uint64_t)((double)base * sp->payers[payer].budget.factor));
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
	for (int i = 0; i < N_PAYERS; i++)
		budget__swap(&sp->payers[i].budget, &sp->payers[i].unused);
	set_periods(s);
}

/* Accounting them, and their part in what took them out of the rings. */
static uint64_t cost_of_samples(const struct spending *sp, int payer)
{
	const uint64_t accounted = sp->payers[payer].accounted;
	uint64_t ns = mean__times(&sp->payers[payer].sample, accounted), all = 0;

	for (int i = 0; i < N_PAYERS; i++)
		all += sp->payers[i].accounted;
	return ns +
	       (all ? (uint64_t)((double)sp->drained_ns * (double)accounted / (double)all) : 0);
}

/* What each payer's samples have taken since the window began, and of this process's time all of
 * theirs. */
static uint64_t take_samples(struct session *s, uint64_t reader_ns,
			     struct budget_window windows[N_PAYERS])
{
	struct spending *sp = s->spending;
	const uint64_t each_ns[N_PAYERS] = {cost_of_samples(sp, PAYS_EVENTS),
					    cost_of_samples(sp, PAYS_SWITCHES)};
	uint64_t all_ns = 0;

	sp->drained_ns = 0;
	for (int i = 0; i < N_PAYERS; i++) {
		struct kernel_totals now = kernel_totals(s, (enum payer)i);
		uint64_t ns = each_ns[i];

		if (ns > reader_ns - all_ns)
			ns = reader_ns - all_ns;
		all_ns += ns;
		sp->payers[i].accounted = 0;
		windows[i].overflows = now.seen - sp->payers[i].before.seen;
		windows[i].lost = now.dropped > sp->payers[i].before.dropped;
		windows[i].varying_ns =
			kernel_ns(&now, &sp->payers[i].before, &sp->payers[i].overflow) + ns;
	}
	return all_ns;
}

/* Rings are full of whose samples there are most. */
static void charge_rings(const struct session *s, struct budget_window windows[N_PAYERS])
{
	int most = any_pays(s, PAYS_SWITCHES) && (!any_pays(s, PAYS_EVENTS) ||
						  windows[PAYS_SWITCHES].varying_ns >
							  windows[PAYS_EVENTS].varying_ns) ?
			   PAYS_SWITCHES :
			   PAYS_EVENTS;

	windows[most].fill = rings__most_fill(s->rings);
	for (int i = 0; i < N_PAYERS; i++) {
		if (i == most)
			continue;
		windows[most].lost |= windows[i].lost;
		windows[i].lost = false;
	}
}

/* Since the window began: each payer's. Returns what no period changes. */
static uint64_t session__window(struct session *s, uint64_t now,
				struct budget_window windows[N_PAYERS])
{
	struct spending *sp = s->spending;
	struct kernel_totals other = kernel_totals(s, PAYS_NOTHING), probes = probe_totals(s);
	struct kernel_totals arrivals = arrival_totals(s), mapped = mapped_totals(s);
	uint64_t cpu_ns = usage_thread_ns(), reader_ns = cpu_ns - sp->cpu_ns;
	uint64_t samples_ns = take_samples(s, reader_ns, windows);
	uint64_t arrivals_ns = kernel_ns(&arrivals, &sp->arrivals, &sp->arrival);
	uint64_t fixed_ns = kernel_ns(&other, &sp->other, &sp->other_overflow) +
			    kernel_ns(&probes, &sp->probes, &sp->probe) +
			    kernel_ns(&mapped, &sp->mapped, &sp->mapping) + reader_ns - samples_ns;

	charge_rings(s, windows);
	windows[PAYS_EVENTS].fixed_ns = fixed_ns;
	windows[PAYS_SWITCHES].fixed_ns = fixed_ns + arrivals_ns + windows[PAYS_EVENTS].varying_ns;
	for (int i = 0; i < N_PAYERS; i++)
		windows[i].span_ns = now - sp->window_ns;
	sp->window_ns = now;
	sp->cpu_ns = cpu_ns;
	return fixed_ns + arrivals_ns;
}

/* Of all programs, since they were attached; of overflow programs *ret. */
static uint64_t kernel_cost_ns(const struct session *s, struct kernel_totals *ret)
{
	const struct kernel_totals probes = probe_totals(s), arrivals = arrival_totals(s);
	uint64_t ns = mean__times(&probes.timed, probes.seen) +
		      mean__times(&arrivals.timed, arrivals.seen) + mapped_totals(s).timed.ns;

	*ret = (struct kernel_totals){0};
	for (int i = 0; i <= N_PAYERS; i++) {
		struct kernel_totals of_events = kernel_totals(s, (enum payer)i);

		ns += mean__times(&of_events.timed, of_events.seen);
		ret->seen += of_events.seen;
		ret->timed.n += of_events.timed.n;
	}
	return ns;
}

/* Samples cost more as long as tables are not there; that is over. */
static void session__settle_costs(struct session *s, uint64_t now)
{
	struct spending *sp = s->spending;
	struct kernel_totals unused;

	sp->settled =
		(struct settled){now, kernel_cost_ns(s, &unused), usage_thread_ns() - sp->begun_ns};
	sp->other_overflow = sp->probe = sp->arrival = sp->mapping = (struct mean){0};
	for (int i = 0; i < N_PAYERS; i++)
		sp->payers[i].sample = sp->payers[i].overflow = (struct mean){0};
}

void session__spend_round(struct session *s)
{
	struct spending *sp = s->spending;
	struct budget_window windows[N_PAYERS] = {0};
	uint64_t now = now_ns(), fixed_ns;
	bool changed = false;

	if (!sp->settled.at_ns && now - s->start_ns >= BUDGET_SETTLING_NS)
		session__settle_costs(s, now);
	if (!any_adaptive(s) || now - sp->window_ns < WINDOW_NS)
		return;
	fixed_ns = session__window(s, now, windows);
	if (sp->settled.at_ns)
		sp->fixed_ns += fixed_ns;
	for (int i = 0; i < N_PAYERS; i++)
		changed |= budget__pass(&sp->payers[i].budget, &windows[i]);
	if (changed)
		set_periods(s);
}

uint64_t session__period(const struct session *s, size_t event)
{
	return may_change(s, event) ? s->spending->period[event] : 0;
}

void session__spend_on_another(struct session *s)
{
	struct spending *sp = s->spending;

	for (int i = 0; i < N_PAYERS; i++) {
		sp->payers[i].budget.share += sp->payers[i].budget.share / sp->n_cpus;
		sp->payers[i].unused.share += sp->payers[i].unused.share / sp->n_cpus;
	}
	sp->n_cpus++;
}

/* What the last window had, which isn't whole, is no sample's either. */
void session__spend_stop(struct session *s)
{
	struct budget_window windows[N_PAYERS] = {0};
	struct spending *sp = s->spending;

	if (sp->settled.at_ns && any_adaptive(s))
		sp->fixed_ns += session__window(s, now_ns(), windows);
	sp->ended_ns = usage_thread_ns();
}

struct cost session__cost(const struct session *s)
{
	const struct spending *sp = s->spending;
	const struct budget *switches = &sp->payers[PAYS_SWITCHES].budget;
	const struct budget *events = &sp->payers[PAYS_EVENTS].budget;
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
		.factor = events->factor,
		.highest = events->highest,
		.switches_factor = switches->factor,
		.switches_highest = switches->highest,
		.changes = events->changes + switches->changes,
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
